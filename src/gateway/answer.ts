import type { JsonBytes, JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { BoundName } from '../util/bounds.ts';
import type { Trust } from '../util/request-scope.ts';

/**
 * Response to the client: an HTTP status and a JSON body; if the body is empty, nothing is sent. A streamed body begins with its first piece, and
 * must be read or cancelled. If the stream throws, the part that was already sent is incomplete JSON, and the transport must show the client that the
 * answer is broken. `retryAfter` is in whole seconds, at least one.
 */
export type Answer = {
  readonly status: number;
  readonly body: JsonResult;
  readonly retryAfter?: number;
  /** Trust level of the single result in the body, if nodes answered. */
  readonly trust?: Trust;
  /** Bound that caused the refusal. */
  readonly bound?: BoundName;
};

/** An answer with a complete body. */
export type WholeAnswer = {
  readonly status: number;
  readonly body: string | JsonBytes;
  readonly retryAfter?: number;
  readonly trust?: Trust;
  readonly bound?: BoundName;
};

/** An answer whose body is text. */
export type TextAnswer = {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: number;
  readonly bound?: BoundName;
};
