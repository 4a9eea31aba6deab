/** A certificate on disk: `certificate.json` and `certificate.md`, the histories below them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { type Certificate, certificateSchema } from '../model/certificate.ts';
import { UsageError } from '../model/errors.ts';

export const certificateFile = 'certificate.json';
export const certificateText = 'certificate.md';

export async function writeCertificate(
  folder: string,
  certificate: Certificate,
  markdown: string,
): Promise<void> {
  await writeFileAtomic(join(folder, certificateText), markdown);
  await writeFileAtomic(join(folder, certificateFile), formatCertificate(certificate));
}

/** One trial a line, so that two certificates can be compared line by line. */
function formatCertificate(certificate: Certificate): string {
  const trialsAt = new Map<string, string>();
  const { stages } = certificate;
  const text = JSON.stringify(
    {
      ...certificate,
      stages: stages.map((stage, index) => {
        const place = `trials of stage ${index}`;
        const lines = stage.results.trials.map((trial) => `          ${JSON.stringify(trial)}`);
        trialsAt.set(JSON.stringify(place), `[\n${lines.join(',\n')}\n        ]`);
        return { ...stage, results: { ...stage.results, trials: place } };
      }),
    },
    null,
    2,
  );
  return `${[...trialsAt].reduce((whole, [place, trials]) => whole.replace(place, () => trials), text)}\n`;
}

/** Throws UsageError for what is no certificate. */
export function parseCertificate(text: string, path: string): Certificate {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`expected a certificate in ${path}, got no JSON: ${String(error)}`, {
      cause: error,
    });
  }
  const parsed = certificateSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `expected a certificate of format 1 in ${path}, got something else; certify again\n${z.prettifyError(parsed.error)}`,
  );
}

export async function readCertificate(path: string): Promise<Certificate> {
  try {
    return parseCertificate(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `expected a certificate at ${path}, got: ${error instanceof Error ? error.message : String(error)}; name a file that \`killpoint certify\` has written`,
      { cause: error },
    );
  }
}
