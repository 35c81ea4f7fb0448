/**
 * Source of an answer: the embedded chain, a node, or cached answers of nodes. An answer is `local` if it needed no
 * chain data.
 */
export type CallSource = 'embedded' | 'upstream' | 'cache' | 'local';

/** The parts of the caller's key that are safe to log. */
export type Caller = { readonly id: string; readonly name: string };

/**
 * Receives every call once, at its end. Each item of a batch and each notification is a call. The measured duration of a streamed answer ends with
 * the first bytes, because the rest depends on the client's read rate. The arguments are positional because an object per call would cost more than
 * the processing of the arguments.
 */
export interface CallObserver {
  /**
   * @param method label of the method, never text of a client
   * @param credits price of the call in the table of credits
   * @param now end of the call on the clock of `performance.now()`
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
  /** Called with the credits that a key pays in addition to the price of the calls: for a large body, extra work, or notifications. */
  onSurcharge(caller: Caller, credits: number, network: string): void;
  /** Called with the number of items of a batch that was read. */
  onBatch(items: number): void;
  /** Called when a streamed answer broke off after its first bytes. */
  onBrokenStream(network: string): void;
}
