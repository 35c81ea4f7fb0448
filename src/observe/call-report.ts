/**
 * Where an answer came from: the embedded chain, a node, memory of what nodes said before, or nowhere (`local`: nothing of
 * a chain was needed).
 */
export type CallSource = 'embedded' | 'upstream' | 'cache' | 'local';

/** The caller's key: the parts that are safe to log. */
export type Caller = { readonly id: string; readonly name: string };

/**
 * Called once for every call, at its end: items of a batch one by one, notifications too. A streamed answer ends with its first
 * bytes, as from there on the client's pace counts. The arguments are positional because an object for each call would cost
 * more than all that is done with them.
 */
export interface CallObserver {
  /**
   * `method` is a name that the service chose itself; `credits` is what the table says that it costs; `now` is the end on the
   * clock of `performance.now()`.
   */
  onCall(
    network: string,
    method: string,
    outcome: string,
    source: CallSource,
    ms: number,
    caller: Caller,
    credits: number,
    now: number,
  ): void;
  /** What a large body cost its key beyond its calls, in credits. */
  onSurcharge(caller: Caller, credits: number): void;
  /** Number of items of a batch that was read. */
  onBatch(items: number): void;
  /** A streamed answer broke off after its first bytes. */
  onBrokenStream(network: string): void;
}
