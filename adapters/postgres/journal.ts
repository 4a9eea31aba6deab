/**
 * What a rail adds to the business tables: its journal, and the place where a commit can be stopped.
 * Both are triggers that run with the rail's own rights, so that no role of a trial can touch what they
 * write. A row of the journal is written in the transaction of its credit: one stands with the other,
 * and deleting the credit deletes nothing here.
 */

/** `session_user` is who logged in, whatever rights a function runs with. */
export const journalSql = `
CREATE SCHEMA killpoint;
CREATE TABLE killpoint.journal (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entity_id uuid NOT NULL,
  stamp text,
  actor text NOT NULL,
  subject text NOT NULL,
  amount_minor bigint NOT NULL,
  currency text NOT NULL,
  at timestamptz NOT NULL
);
CREATE TABLE killpoint.holds (id bigint PRIMARY KEY, taken boolean NOT NULL DEFAULT false);

CREATE FUNCTION killpoint.actor() RETURNS text LANGUAGE sql STABLE
AS $$ SELECT CASE WHEN session_user LIKE '%\\_subject' THEN 'subject' ELSE 'person' END $$;

CREATE FUNCTION killpoint.record_effect() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  INSERT INTO killpoint.journal (entity_id, stamp, actor, subject, amount_minor, currency, at)
  VALUES (NEW.id, NEW.effect_key, killpoint.actor(), NEW.account || '/' || NEW.reference,
    NEW.amount_minor, NEW.currency, clock_timestamp());
  RETURN NULL;
END $$;
CREATE TRIGGER record_effect AFTER INSERT ON public.credits
FOR EACH ROW EXECUTE FUNCTION killpoint.record_effect();

-- Deferred, it runs when COMMIT has been received and nothing is left to be said by the client. The
-- hold is taken in the client's transaction: one that is rolled back leaves it to the next. Its lock is
-- waited for without the client's own limit: a hold is time in which the server is at work.
CREATE FUNCTION killpoint.stand_still() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = 0 AS $$
DECLARE
  hold bigint;
BEGIN
  IF killpoint.actor() <> 'subject' THEN RETURN NULL; END IF;
  UPDATE killpoint.holds SET taken = true WHERE id =
    (SELECT id FROM killpoint.holds WHERE NOT taken ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id INTO hold;
  IF hold IS NOT NULL THEN PERFORM pg_advisory_xact_lock_shared(hold); END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER stand_still AFTER INSERT ON public.credits
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION killpoint.stand_still();
`;

/** What the two kinds of roles of a trial may do. People also change and undo. */
export function grantsSql(subjects: string, people: string): string {
  const both = `${subjects}, ${people}`;
  return `
GRANT SELECT, INSERT ON credits TO ${both};
GRANT SELECT, INSERT, UPDATE ON effects TO ${both};
GRANT SELECT ON accounts, credit_changes TO ${both};
GRANT USAGE ON SEQUENCE fence_ids TO ${both};
GRANT UPDATE, DELETE ON credits TO ${people};
GRANT INSERT, UPDATE ON accounts TO ${people};
`;
}
