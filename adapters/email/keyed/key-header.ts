/** Under which key a mail is sent. In: a decision key as it is written. Out: the header of the request. */
export function keyHeader(written: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': written };
}
