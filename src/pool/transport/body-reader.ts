import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeError } from '../node-call.ts';
import type { ReplyScanner } from './reply-scanner.ts';

/** An answer that consists of one error, already parsed. */
export type LoneError = { readonly scanner: ReplyScanner; readonly error: NodeError };

/** Turns the body of one HTTP answer into a value. An invalid body is thrown as `UpstreamFault`. */
export interface BodyReader<T> {
  /** Bytes of the longest body that is read. */
  readonly maxBytes: number;
  /**
   * Announces the length of the body from its header.
   * @throws UpstreamFault when that is too many bytes
   */
  expect?(bytes: number): void;
  /** Takes the next bytes; returns the value when it is complete before the body has ended. */
  push(chunk: Buffer): T | undefined;
  /** Ends the body; returns the value unless `push` has. A long body is read in scheduler slots. */
  end(): PromiseOrValue<T | undefined>;
  /** Ends the reader without a complete body; returns the fault to report, which may be more specific. */
  fail(fault: UpstreamFault): UpstreamFault;
  /** Whether a reader waits for bytes: without one no pause is a fault. */
  readonly isWaitedFor: boolean;
  /**
   * Returns the value where the body of a status other than 2xx is a JSON-RPC error to the request.
   * @param lone the body, which is one error
   * @param mustNameCall whether the error counts as the node's only when it names the call
   */
  readRefusal(lone: LoneError, mustNameCall: boolean): T | undefined;
  /** Returns the value where the body of a status other than 2xx is a list of errors, with pauses. */
  readRefusalList?(body: Buffer, mustNameCall: boolean): Generator<undefined, T | undefined>;
}
