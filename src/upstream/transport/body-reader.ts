import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeError } from '../node-call.ts';
import type { ReplyScanner } from './reply-scanner.ts';

/** An answer that is one error, as it has been read. */
export type LoneError = { readonly scanner: ReplyScanner; readonly error: NodeError };

/** Turns the body of one HTTP answer into a value. What cannot be one is thrown as `UpstreamFault`. */
export interface BodyReader<T> {
  /** Bytes of the longest body that is read. */
  readonly maxBytes: number;
  /** The body is to have so many bytes, as its header says. @throws UpstreamFault when that is too many */
  expect?(bytes: number): void;
  /** Takes the next bytes; returns the value when it is complete before the body has ended. */
  push(chunk: Buffer): T | undefined;
  /** The body is complete; returns the value unless `push` has. A long one is read in turns. */
  end(): PromiseOrValue<T | undefined>;
  /** No more will come; returns what to report, which may be more to the point. */
  fail(fault: UpstreamFault): UpstreamFault;
  /** Whether a reader waits for bytes: without one no pause is a fault. */
  readonly isWaitedFor: boolean;
  /**
   * The value where a body beside a status other than 2xx is a JSON-RPC error to what was asked; it must name the
   * call when only then the error can be believed to be the node's.
   * @param lone the body, which is one error
   */
  readRefusal(lone: LoneError, mustNameCall: boolean): T | undefined;
  /** The same of another body, where a list of errors may be an answer, with pauses. */
  readRefusalList?(body: Buffer, mustNameCall: boolean): Generator<undefined, T | undefined>;
}
