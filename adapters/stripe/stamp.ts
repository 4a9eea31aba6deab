/** Where a refund carries our stamp, and how it is read. */

/** The metadata field that carries it. */
const stampField = 'decision_key';

type Metadata = Readonly<Record<string, string>>;

export function stampedWith(key: string): Metadata {
  return { [stampField]: key };
}

/** Null when there is none of ours. */
export function stampOf({
  metadata,
}: {
  readonly metadata?: Metadata | null | undefined;
}): string | null {
  const stamp: unknown = metadata?.[stampField];
  return typeof stamp === 'string' ? stamp : null;
}
