/** Shards on disk: read, checked against their histories, and put together in another folder. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../model/errors.ts';
import type { TrialRecord } from '../model/results.ts';
import { historyPath } from './history-path.ts';
import { findHistories, unlistedIn } from './judge-folder.ts';
import type { StoredShard } from './merge.ts';
import { lockFile } from './run-lock.ts';
import { readResults } from './store.ts';

/** A shard with where it really stands. */
export interface ShardFolder extends StoredShard {
  readonly path: string;
}

/** Throws UsageError when there are no results, or a history is not what its record says. */
export async function readShard(folder: string, path: string): Promise<ShardFolder> {
  const results = await readResults(path);
  if (existsSync(join(path, lockFile))) {
    throw new UsageError(
      `expected the run in ${folder} to have ended, got a ${lockFile} in it: somebody writes there, or was killed while writing; wait for it, or run the shard again`,
    );
  }
  await assertNothingUnlisted({ folder, path, results });
  for (const record of results.trials) await readHistory({ folder, path, results }, record);
  return { folder, path, results };
}

/** Copies what a shard's records rest on, with the evidence beside it. Throws UsageError as reading does. */
export async function copyHistories(shard: ShardFolder, outFolder: string): Promise<void> {
  for (const record of shard.results.trials) {
    const bytes = await readHistory(shard, record);
    if (bytes === null) continue;
    await writeFile(historyPath(outFolder, record.id), bytes);
    const evidence = evidenceOf(shard.path, record.id);
    if (existsSync(evidence)) {
      await cp(evidence, evidenceOf(outFolder, record.id), { recursive: true });
    }
  }
}

/** The bytes that the record names; null where there is no history, and none has to be. */
async function readHistory(shard: ShardFolder, record: TrialRecord): Promise<Buffer | null> {
  const { id, historySha256, verdict } = record;
  const path = historyPath(shard.path, id);
  if (historySha256 === null) {
    if (!existsSync(path)) return null;
    throw refusal(shard, `no history of ${id}, which is ${verdict}, got one`);
  }
  const bytes = await readBytes(path);
  if (bytes === undefined) throw refusal(shard, `the history of ${id}, got none that can be read`);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === historySha256) return bytes;
  throw refusal(shard, `a history of ${id} with the SHA-256 ${historySha256}, got ${found}`);
}

async function assertNothingUnlisted(shard: ShardFolder): Promise<void> {
  const found = await findHistories(shard.path);
  const [problem] = [...found.differences, ...unlistedIn(found, [shard.results])];
  if (problem === undefined) return;
  throw refusal(shard, `histories that its records list, got ${problem.about ?? problem.message}`);
}

function refusal({ folder }: ShardFolder, expectedAndGot: string): UsageError {
  return new UsageError(
    `the shard in ${folder} is not as it was written: expected ${expectedAndGot}; bring the whole folder, histories included, or run the shard again`,
  );
}

async function readBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined;
  }
}

function evidenceOf(folder: string, id: string): string {
  return historyPath(folder, id).replace(/jsonl$/, 'evidence');
}
