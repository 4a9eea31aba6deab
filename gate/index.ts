/** The gate library: what a program needs to perform effects once. No work on import. */
export type {
  AnnouncedPoint,
  AtPoint,
  Authority,
  Disposition,
  Gate,
  LeaseCap,
  LeaseState,
  Outcome,
  OutcomeKind,
  PointReached,
  Proposal,
  Receipt,
  ReceiptFacts,
  Resolution,
} from './gate.ts';
export type { ChainHead } from './reference/chain.ts';
export type { Timing } from './reference/engine.ts';
export { createGate, type GateOptions } from './reference/gate.ts';
export { LedgerError, OwnershipLostError } from './reference/ledger.ts';
export type { Ownership } from './reference/ownership.ts';
export { type ReceiptVerdict, verifyReceipt } from './reference/receipt.ts';
export { ResolutionError } from './reference/resolve.ts';
export { type LedgerVerdict, verifyLedger } from './reference/verify.ts';
