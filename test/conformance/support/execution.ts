/** Interface of an execution engine for conformance runners: one transaction, in one block, on one state. */
import type { BlobParameters } from '../../../packages/ethereum/codecs/chain-config.ts';
import type { Log } from '../../../packages/ethereum/codecs/receipt.ts';
import type { Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import type { StateChanges, StateReader } from '../../../packages/evm/interpreter/host.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';

/** A block that has only this transaction. */
export type SurroundingBlock = {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly beneficiary: Uint8Array;
  readonly gasLimit: bigint;
  readonly difficulty: bigint;
  /** 32 bytes; used after the merge. */
  readonly prevRandao: Uint8Array;
  /** Absent before London. */
  readonly baseFeePerGas: bigint | undefined;
  /** Absent before Cancun. */
  readonly excessBlobGas: bigint | undefined;
  readonly getBlockHash: (number: bigint) => Uint8Array;
};

export type ExecutionInput = {
  readonly state: StateReader;
  readonly block: SurroundingBlock;
  readonly chainId: bigint;
  readonly revision: Revision;
  /** Absent before Cancun. */
  readonly blobs: BlobParameters | undefined;
  readonly tx: Transaction;
  readonly sender: Uint8Array;
};

export type Execution = {
  readonly status: 'success' | 'revert' | 'halt';
  /** Reason of the halt in geth's words; empty otherwise. */
  readonly reason: string;
  readonly output: Uint8Array;
  readonly gasUsed: bigint;
  readonly logs: readonly Log[];
  readonly changes: StateChanges;
};

/** The transaction is not valid in this block, for the reason in `refused`; nothing has changed. */
export type Refusal = { readonly refused: string };

export type ExecutionOutcome = Execution | Refusal;
