/**
 * Where a message's body is and whether it has ended (RFC 9112, section 6). Content is handed out as
 * it comes; the chunks' framing is checked and left out of it.
 */

/** Bound on a head, and on a chunk's size line or a trailer. */
export const maxHeadBytes = 64 * 1024;

export type BodyLength =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' };

export class Body {
  readonly kind: BodyLength['kind'];
  whole: boolean;
  malformed = false;
  #left = 0;
  #at: 'size' | 'data' | 'data-end' | 'trailer' = 'size';
  #line = '';

  constructor(length: BodyLength) {
    this.kind = length.kind;
    if (length.kind === 'length') this.#left = length.bytes;
    this.whole = length.kind === 'none' || (length.kind === 'length' && length.bytes === 0);
  }

  /** Returns how many of the bytes belong to this body, and gives its content to `piece`. */
  take(bytes: Buffer, piece: (content: Buffer) => void): number {
    switch (this.kind) {
      case 'none':
        return 0;
      case 'until-close':
        piece(bytes);
        return bytes.length;
      case 'length': {
        const used = this.#takeContent(bytes, piece);
        this.whole = this.#left === 0;
        return used;
      }
      case 'chunked':
        return this.#takeChunks(bytes, piece);
      default:
        return this.kind satisfies never;
    }
  }

  #takeContent(bytes: Buffer, piece: (content: Buffer) => void): number {
    const used = Math.min(this.#left, bytes.length);
    piece(bytes.subarray(0, used));
    this.#left -= used;
    return used;
  }

  #takeChunks(bytes: Buffer, piece: (content: Buffer) => void): number {
    let used = 0;
    while (used < bytes.length && !this.whole && !this.malformed) {
      if (this.#at === 'data') {
        used += this.#takeContent(bytes.subarray(used), piece);
        if (this.#left === 0) this.#at = 'data-end';
        continue;
      }
      const newline = bytes.indexOf(10, used);
      const end = newline < 0 ? bytes.length : newline + 1;
      this.#line += bytes.toString('latin1', used, end);
      used = end;
      if (this.#line.length > maxHeadBytes) this.malformed = true;
      if (newline >= 0) this.#endLine();
    }
    return used;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (this.#at === 'size') {
      const size = /^([0-9a-fA-F]{1,8})[ \t]*(;.*)?\r\n$/.exec(line)?.[1];
      if (size === undefined) {
        this.malformed = true;
        return;
      }
      this.#left = Number.parseInt(size, 16);
      this.#at = this.#left === 0 ? 'trailer' : 'data';
    } else if (this.#at === 'data-end') {
      this.malformed = line !== '\r\n';
      this.#at = 'size';
    } else {
      this.whole = line === '\r\n';
    }
  }
}
