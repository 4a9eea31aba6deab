/**
 * The tables a database needs for the Postgres target, as one script for its owner to run. What a
 * change of them means is recorded by triggers, so that it holds whoever makes it.
 *
 * - `credits` is the business itself; `effect_key` is the stamp, null for credits made by hand.
 * - `effects` has one row for each decision that took effect or was fenced; it survives the deletion
 *   of the credit. `fence_id` rises with each planting.
 * - `credit_changes` only grows: what was made, changed and undone, each with the stamp it concerned.
 * - `accounts.version` comes from a sequence, so that not even a deleted and re-made row has an old one.
 */
export const schemaSql = `
CREATE SEQUENCE account_versions;
CREATE TABLE accounts (
  account text PRIMARY KEY,
  standing text NOT NULL DEFAULT 'good',
  limit_minor bigint,
  version bigint NOT NULL
);
CREATE TABLE credits (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account text NOT NULL REFERENCES accounts,
  reference text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL,
  reason text,
  effect_key text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX credits_of_subject ON credits (account, reference);

CREATE SEQUENCE fence_ids;
CREATE TABLE effects (
  effect_key text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('effect', 'fence')),
  payload jsonb,
  entity_id uuid,
  fence_id bigint NOT NULL DEFAULT nextval('fence_ids'),
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (kind = 'fence' OR (payload IS NOT NULL AND entity_id IS NOT NULL))
);

CREATE TABLE credit_changes (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  what text NOT NULL CHECK (what IN ('made', 'changed', 'undone')),
  credit_id uuid NOT NULL,
  account text NOT NULL,
  reference text NOT NULL,
  effect_key text,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX credit_changes_of_subject ON credit_changes (account, reference);
CREATE INDEX credit_changes_of_effect ON credit_changes (effect_key);

CREATE FUNCTION set_account_version() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  NEW.version := nextval('account_versions');
  RETURN NEW;
END $$;
CREATE TRIGGER set_account_version BEFORE INSERT OR UPDATE ON accounts
FOR EACH ROW EXECUTE FUNCTION set_account_version();

CREATE FUNCTION record_credit_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO credit_changes (what, credit_id, account, reference, effect_key)
    VALUES (CASE TG_OP WHEN 'DELETE' THEN 'undone' ELSE 'changed' END,
      OLD.id, OLD.account, OLD.reference, OLD.effect_key);
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND (NEW.account, NEW.reference, NEW.effect_key)
      IS DISTINCT FROM (OLD.account, OLD.reference, OLD.effect_key)) THEN
    INSERT INTO credit_changes (what, credit_id, account, reference, effect_key)
    VALUES (CASE TG_OP WHEN 'INSERT' THEN 'made' ELSE 'changed' END,
      NEW.id, NEW.account, NEW.reference, NEW.effect_key);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER record_credit_change AFTER INSERT OR UPDATE OR DELETE ON credits
FOR EACH ROW EXECUTE FUNCTION record_credit_change();
`;
