/**
 * Checks a receipt against the chain of the ledger it came from: the entry it speaks for must be
 * there, hang on everything before it, and have put the intent where the receipt says it was.
 *
 * That shows a receipt and its ledger to be consistent. That nobody wrote both anew is shown only by
 * heads somebody outside has kept: `createGate({ onHead })` hands them out to be signed.
 */
import type { Receipt } from '../gate.ts';
import { type ChainBody, type ChainHead, type ChainRow, chainStart } from './chain.ts';
import { canonicalJson } from './identity.ts';
import { factsOf } from './outcome.ts';
import type { IntentRow } from './schema.ts';
import { Fold, intentId, openToRead, snapshot, wrongLink } from './verify.ts';

export type ReceiptVerdict =
  | { readonly kind: 'holds' }
  | { readonly kind: 'false'; readonly why: string };

export function verifyReceipt(ledgerFolder: string, receipt: Receipt): ReceiptVerdict {
  const db = openToRead(ledgerFolder);
  try {
    const entries = db.prepare<[number], ChainRow>(
      'SELECT * FROM chain WHERE seq <= ? ORDER BY seq',
    );
    const why = snapshot(db, () => whyFalse(entries.iterate(receipt.chainSeq), receipt));
    return why === null ? { kind: 'holds' } : { kind: 'false', why };
  } finally {
    db.close();
  }
}

function whyFalse(entries: Iterable<ChainRow>, receipt: Receipt): string | null {
  const fold = new Fold(true);
  let head: ChainHead = { ...chainStart };
  let last: ChainBody | null = null;
  for (const entry of entries) {
    const body = JSON.parse(entry.body) as ChainBody;
    const wrong = wrongLink(head, entry) ?? fold.add(entry.seq, body);
    if (wrong !== null) return `chain entry ${head.seq + 1} is bad: ${wrong}`;
    head = { seq: entry.seq, hash: entry.hash };
    last = body;
  }
  if (last === null || head.seq !== receipt.chainSeq) {
    return `expected chain entry ${receipt.chainSeq}, the chain ends at ${head.seq}`;
  }
  if (head.hash !== receipt.chainHash) {
    return `chain entry ${head.seq} has hash ${head.hash}, the receipt says ${receipt.chainHash}`;
  }
  const row = fold.intents.get(intentId(last.decisionKey, last.proposal)) as unknown as IntentRow;
  const said: Receipt = {
    decisionKey: row.decisionKey,
    payloadHash: row.payloadHash,
    state: row.state,
    entityId: row.entityId,
    facts: factsOf(row),
    chainSeq: head.seq,
    chainHash: head.hash,
  };
  if (canonicalJson(said) === canonicalJson(pickReceipt(receipt))) return null;
  return `the chain says ${canonicalJson(said)}, the receipt ${canonicalJson(pickReceipt(receipt))}`;
}

/** Only what a receipt states; a caller may have stored more beside it. */
function pickReceipt(receipt: Receipt): Receipt {
  const { decisionKey, payloadHash, state, entityId, facts, chainSeq, chainHash } = receipt;
  return { decisionKey, payloadHash, state, entityId, facts, chainSeq, chainHash };
}
