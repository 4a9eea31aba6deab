/** Postgres messages as bytes, for tests that cut them where no real client would. */

export function typed(type: string, body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32BE(4 + bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export function untyped(code: number, body = ''): Buffer {
  const bytes = Buffer.alloc(8 + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(code, 4);
  bytes.write(body, 8, 'latin1');
  return bytes;
}

export const sslRequest = untyped(80_877_103);
export const cancelRequest = untyped(80_877_102, 'pid.key.');
export const startUp = untyped(196_608, 'user\0me\0\0');
export const query = (sql: string): Buffer => typed('Q', `${sql}\0`);
export const parse = (name: string, sql: string): Buffer => typed('P', `${name}\0${sql}\0\0\0`);
export const bind = (name: string, value = '', portal = ''): Buffer =>
  typed('B', `${portal}\0${name}\0\0\0\0\0${value}\0\0`);
export const execute = (portal = ''): Buffer => typed('E', `${portal}\0\0\0\0\0`);
export const sync = typed('S');
export const flush = typed('H');
export const terminate = typed('X');
export const extended = (sql: string, value = ''): Buffer =>
  Buffer.concat([parse('', sql), bind('', value), execute(), sync]);

export const ready = (status: 'I' | 'T' | 'E'): Buffer => typed('Z', status);
export const complete = (tag: string): Buffer => typed('C', `${tag}\0`);
export const error = typed('E', 'SERROR\0VERROR\0C23505\0Mduplicate\0\0');
export const notice = typed('N', 'SNOTICE\0VNOTICE\0C00000\0Mwell\0\0');
