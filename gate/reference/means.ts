/** By which means it can be learnt what became of an intent. */
import type { Engine } from './engine.ts';
import type { IntentRow } from './schema.ts';
import { isWindowOpen } from './send.ts';

export function meansOf(
  engine: Engine,
  row: IntentRow,
  whyNoResend: string | null,
): 'resend' | 'look' | 'none' {
  if (whyNoResend === null && resendIsLook(engine, row)) return 'resend';
  return engine.target.declaration.lookup === null ? 'none' : 'look';
}

/** A key that only replays a stored failure tells nothing more, however often it is sent. */
export function resendIsLook(engine: Engine, row: IntentRow): boolean {
  const attempts = engine.ledger.attempts(row);
  if (attempts.some((attempt) => attempt.reply === 'stored-error')) return false;
  const clockHighMs = engine.ledger.clockHighMs();
  return isWindowOpen(engine, row, { nowMs: Math.trunc(engine.now()), clockHighMs });
}
