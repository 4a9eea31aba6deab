/**
 * What must not be kept of a trial. In: what its namespace signs with, and something that is about to
 * be kept. Out: the same without it, wherever it stands in one piece.
 */
import type { RailNamespace } from '../../adapters/rail.ts';
import { secretsIn } from './subject-channel.ts';

/** What is shorter is a name, and stands where no secret does. */
const shortestSecret = 12;

export function secretsOf({
  credentials,
  personCredentials,
}: Pick<RailNamespace, 'credentials' | 'personCredentials'>): readonly string[] {
  return [...secretsIn(credentials), ...secretsIn(personCredentials)].filter(
    (secret) => secret.length >= shortestSecret,
  );
}

/** Of a line of JSON, which stays one. */
export function concealInJson(line: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => {
    const written = JSON.stringify(secret).slice(1, -1);
    return text.includes(written) ? text.replaceAll(written, '[secret]') : text;
  }, line);
}

/** Star for byte, so that everything else stays where it is: a database can still be opened. */
export function concealInBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  for (const secret of secrets) {
    const wanted = Buffer.from(secret);
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at)) {
      bytes.fill('*', at, at + wanted.length);
    }
  }
  return bytes;
}
