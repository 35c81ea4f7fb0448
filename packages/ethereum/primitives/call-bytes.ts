/** Message call that has only sender, recipient, data and gas limit. Offsets refer to `bytes`, which all calls of a request share. */
export type CallBytes = {
  readonly bytes: Uint8Array;
  /** Offset of the sender's address, which is the zero address if the call has no sender. */
  readonly from: number;
  /** Offset of the recipient's address. */
  readonly to: number;
  /** Offset and length of the data, and number of zero bytes in it. */
  readonly data: number;
  readonly dataLength: number;
  readonly zeros: number;
  /** Gas limit; `NO_GAS_LIMIT` if the call has none. */
  readonly gas: number;
  /** Number of the block to execute on, or `LATEST_BLOCK`. */
  readonly block: number;
  /** Next call of the batch, with the same `bytes`; undefined for the last one. */
  readonly following: CallBytes | undefined;
};

/** Gas limit of a call without a limit; above any limit. */
export const NO_GAS_LIMIT: number = Number.POSITIVE_INFINITY;
/** Placeholder for the number of the newest block. */
export const LATEST_BLOCK = -1;
