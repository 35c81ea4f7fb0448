/** One complete JSON value as text, ready to be placed in a response. */
export type JsonText = string;

/** One JSON value that arrives in pieces because it is too large to be held. It is read once, or cancelled. */
export interface JsonStream {
  /**
   * UTF-8 bytes in order; the source is read no faster than they are taken.
   * Throws when the source breaks off before the value is complete: what was taken is then no JSON value.
   */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Lets go of the source. Harmless after the end. */
  cancel(): void;
  /** Bytes of memory that it holds until it is over; absent where a source is read as it arrives. */
  readonly heldBytes?: number;
  /** Length of all pieces together, where that is known. */
  readonly length?: number;
}

/** Whether nothing of a stream is still to arrive: it cannot break off, and may be read at any time. */
export function isWhole({ heldBytes, length }: JsonStream): boolean {
  return heldBytes !== undefined && length !== undefined;
}

export type JsonResult = JsonText | JsonStream;

/** A stream that passes on the pieces of another one, as many bytes in all. */
export function passOn(
  source: JsonStream,
  pieces: AsyncIterable<Uint8Array>,
  cancel: () => void,
): JsonStream {
  const { heldBytes, length } = source;
  return {
    pieces,
    cancel,
    ...(heldBytes !== undefined && { heldBytes }),
    ...(length !== undefined && { length }),
  };
}
