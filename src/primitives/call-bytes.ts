/** A message call of a sender, a recipient, data and a gas limit, and nothing else: places in bytes that calls of one request share. */
export type CallBytes = {
  readonly bytes: Uint8Array;
  /** Where the sender's address begins; the zero address where the call gave none. */
  readonly from: number;
  /** Where the recipient's address begins. */
  readonly to: number;
  /** Where the data begin, how many bytes they are, and how many of those are zero. */
  readonly data: number;
  readonly dataLength: number;
  readonly zeros: number;
  /** Its gas limit; `NO_GAS_LIMIT` where the call gave none. */
  readonly gas: number;
  /** Number of the block that it runs on; `LATEST_BLOCK`: the newest. */
  readonly block: number;
  /** The call behind it in its batch, which has the same `bytes`; undefined where there is none. */
  readonly following: CallBytes | undefined;
};

/** More than any limit. */
export const NO_GAS_LIMIT: number = Number.POSITIVE_INFINITY;
/** What stands for the number of the newest block. */
export const LATEST_BLOCK = -1;
