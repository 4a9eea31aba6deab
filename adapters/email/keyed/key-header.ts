/** Under which key a mail is sent. In: a decision key. Out: the header of the request. */
export function keyHeader(key: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': key };
}
