/**
 * Source of an answer: the embedded chain, a node, cached answers of nodes, or nowhere (`local`: nothing of a chain
 * was needed).
 */
export type CallSource = 'embedded' | 'upstream' | 'cache' | 'local';

/** The parts of the caller's key that are safe to log. */
export type Caller = { readonly id: string; readonly name: string };

/**
 * Called once for every call, at its end: for each item of a batch, for notifications too. A streamed answer ends
 * with its first bytes, since the client's read rate counts from there on. The arguments are positional because an
 * object per call would cost more than all the processing of them.
 */
export interface CallObserver {
  /**
   * @param method a name chosen by the service
   * @param credits the price by the table
   * @param now the end on the clock of `performance.now()`
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
  /** Called with the credits that a large body cost its key beyond its calls. */
  onSurcharge(caller: Caller, credits: number): void;
  /** Called with the number of items of a batch that was read. */
  onBatch(items: number): void;
  /** Called when a streamed answer broke off after its first bytes. */
  onBrokenStream(network: string): void;
}
