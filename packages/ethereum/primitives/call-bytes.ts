/** Message call that has only sender, recipient, data and gas limit. Offsets refer to `bytes`, which all calls of a request share. */
export type CallBytes = {
  readonly bytes: Uint8Array;
  /** Offset of the sender's address, which is the zero address if the call has no sender. */
  readonly from: number;
  /** Offset of the recipient's address. */
  readonly to: number;
  /** Offset of the call data, its length, and its number of zero bytes. */
  readonly data: number;
  readonly dataLength: number;
  readonly zeros: number;
  /** Gas limit; `NO_GAS_LIMIT` if the call has none. */
  readonly gas: number;
  /** Number of the block to execute on, or `LATEST_BLOCK`. */
  readonly block: number;
  /** Next call of the batch, with the same `bytes`; undefined for the last call. */
  readonly following: CallBytes | undefined;
};

/** Stands for an absent gas limit; larger than any gas limit. */
export const NO_GAS_LIMIT: number = Number.POSITIVE_INFINITY;
/** Placeholder for the number of the newest block. */
export const LATEST_BLOCK = -1;
