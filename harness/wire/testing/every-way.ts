/** A stream of bytes cut into chunks, as a network may cut it. */
import fc from 'fast-check';

export function pieces(stream: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const sorted = [0, ...cuts, stream.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => stream.subarray(sorted[index], end));
}

/** Every single cut, byte by byte, and then many cuts at once. */
export function everyWay(stream: Buffer, check: (chunks: readonly Buffer[]) => void): void {
  for (let at = 1; at < stream.length; at += 1) check(pieces(stream, [at]));
  check([stream]);
  check([...stream].map((byte) => Buffer.from([byte])));
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: stream.length - 1 }), { maxLength: 12 });
  fc.assert(
    fc.property(cuts, (positions) => check(pieces(stream, positions))),
    { seed: 1 },
  );
}

/** Cut after these many bytes each, as far as they go. */
export function cutAfter(bytes: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  let from = 0;
  for (const length of [...lengths, bytes.length]) {
    if (from >= bytes.length) break;
    chunks.push(bytes.subarray(from, from + length));
    from += length;
  }
  return chunks;
}
