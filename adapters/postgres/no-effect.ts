/**
 * Whether a cycle of the protocol can make an effect. In: its first keyword, and the text of its
 * transaction so far, which may be cut. Out: true only where it provably can't. Pure.
 *
 * Inside a transaction only COMMIT makes anything last; outside, every statement is its own.
 */

/** A text that is as long may have been cut, and says nothing of what follows. */
const wireTextLength = 400;

const planting = /insert\s+into\s+effects\s*\(effect_key,\s*kind\)\s*values\s*\(\$1,\s*'fence'\)/i;
const writing =
  /\b(insert|update|delete|merge|truncate|copy|call|do|create|alter|drop|execute|nextval|select\s+[^;]*\binto)\b/i;
const never = ['BEGIN', 'START', 'ROLLBACK', 'ABORT', 'SET', 'SHOW', 'RESET', 'DISCARD'];

export function makesNoEffect({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): boolean {
  const keyword = method.toUpperCase();
  const isWholeTransaction = /^\s*(begin|start)\b/i.test(path);
  if (keyword === 'COMMIT' || keyword === 'END') return isWholeTransaction && !mayHaveWritten(path);
  if (isWholeTransaction) return !/;\s*(commit|end)\b/i.test(path);
  return never.includes(keyword) || (keyword === 'SELECT' && !mayHaveWritten(path));
}

function mayHaveWritten(path: string): boolean {
  if (path.length >= wireTextLength) return true;
  // The planting's own words for what it does where a fence stands are no second statement.
  const rest = path
    .replace(planting, '')
    .replace(/on\s+conflict\s*\(effect_key\)\s*do\s+update\s+set\s+fence_id=default/i, '');
  return writing.test(rest);
}
