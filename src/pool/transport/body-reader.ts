import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeError } from '../node-call.ts';
import type { ReplyScanner } from './reply-scanner.ts';

/** A response that is one JSON-RPC error, already parsed. */
export type LoneError = { readonly scanner: ReplyScanner; readonly error: NodeError };

/** Converts the body of one HTTP response to a value. Methods throw `UpstreamFault` for an invalid body. */
export interface BodyReader<T> {
  /** Maximum size of a body, bytes. */
  readonly maxBytes: number;
  /**
   * Announces the length of the body, from its header.
   * @throws UpstreamFault if the length exceeds the maximum
   */
  expect?(bytes: number): void;
  /** Takes the next bytes of the body. Returns the value if it is complete although the body has not ended. */
  push(chunk: Buffer): T | undefined;
  /** Ends the body. `end` returns the value of the body, unless `push` has already returned it. A long body is read in scheduler slots. */
  end(): PromiseOrValue<T | undefined>;
  /** Ends the reader when the body breaks off. Returns the fault to report, which may be more specific than `fault`. */
  fail(fault: UpstreamFault): UpstreamFault;
  /** Whether a consumer waits for bytes. If no consumer waits, a stalled body is not a fault of the node. */
  readonly isWaitedFor: boolean;
  /**
   * Returns the value if the body of a status other than 2xx is a JSON-RPC error in reply to the request.
   * @param lone the parsed body, one error
   * @param mustNameCall whether the error is accepted only if it has the id of the call
   */
  readRefusal(lone: LoneError, mustNameCall: boolean): T | undefined;
  /** Reads a body of a status other than 2xx, with pauses. Returns the value if the body is a list of errors. */
  readRefusalList?(body: Buffer, mustNameCall: boolean): Generator<undefined, T | undefined>;
}
