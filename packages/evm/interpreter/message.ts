/** A message, its block environment, and its result. */

/** Block environment that EVM code can read. */
export type BlockEnvironment = {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly beneficiary: Uint8Array;
  readonly gasLimit: bigint;
  readonly difficulty: bigint;
  /** 32 bytes; replaces the difficulty after the merge. */
  readonly prevRandao: Uint8Array;
  /** Base fee, wei per gas; absent before London. */
  readonly baseFeePerGas: bigint | undefined;
  /** Wei per unit of blob gas; 0n before Cancun. */
  readonly blobBaseFee: bigint;
  /** Slot number of the consensus layer (EIP-7843); absent before Amsterdam. */
  readonly slotNumber?: bigint | undefined;
  /** Returns the hash of one of the 256 blocks before this one. */
  readonly getBlockHash: (number: bigint) => Uint8Array;
};

export type AccessedAccount = {
  readonly address: Uint8Array;
  readonly storageKeys: readonly Uint8Array[];
};

export type Message = {
  readonly caller: Uint8Array;
  /** Recipient; without one, the message creates a contract from `data`. For a creation, the caller's nonce must already be raised. */
  readonly to: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Gas for execution: intrinsic gas is already subtracted. */
  readonly gasLimit: bigint;
  /** State gas reservoir in addition to `gasLimit` (EIP-8037); 0 in earlier revisions. */
  readonly stateGas: bigint;
  readonly gasPrice: bigint;
  readonly blobVersionedHashes: readonly Uint8Array[];
  readonly accessList: readonly AccessedAccount[];
};

export type ExecutionLog = {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
  /** Index among all logs since recording began, including reverted ones; 0 when nothing is recorded. */
  readonly number: number;
  /** True for a log that records a value transfer, and that no contract emitted. */
  readonly isTransfer: boolean;
};

/** Kind of data that the EVM records in addition to results. */
export type Recording = 'nothing' | 'logNumbers' | 'transfers' | 'accesses' | 'blockAccesses';

/** An account or slot that an instruction named. With `blockAccesses`: an account or slot that a message accessed. */
export type StateAccess = { readonly address: Uint8Array; readonly slot: Uint8Array | undefined };

/** Outcome of a message. */
export type MessageOutcome = {
  readonly status: 'success' | 'revert' | 'halt';
  /** geth's text of the halt reason; empty unless status is `halt`. */
  readonly reason: string;
  /** Return data, revert data, or the created contract's code. */
  readonly output: Uint8Array;
};

export type MessageResult = MessageOutcome & {
  /** Execution gas used, including state gas charges paid from execution gas; refills do not reduce the amount. */
  readonly gasUsed: bigint;
  /** Remaining state gas reservoir, which may exceed its initial value. */
  readonly stateGasLeft: bigint;
  /** State gas that was charged, minus refills; negative if refills exceed charges. Charges paid from execution gas are included. */
  readonly stateGasUsed: bigint;
  /** Refund counter before the cap is applied. */
  readonly gasRefund: bigint;
  readonly logs: readonly ExecutionLog[];
  /** Smallest gas with which execution would be identical; undefined when code read its remaining gas. */
  readonly gasNeeded: bigint | undefined;
  /** True when a limit of this implementation, not of the protocol, ended the message. The result then differs from the result on the chain. */
  readonly isLimited: boolean;
};
