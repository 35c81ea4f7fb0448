import type { JsonBytes, JsonResult } from '../primitives/json-result.ts';
import type { BoundName } from '../util/bounds.ts';
import type { Trust } from '../util/request-scope.ts';

/**
 * What goes back to the client: an HTTP status and a JSON body; an empty body means nothing is to be said. A streamed
 * body has its first piece, and is to be read or cancelled. When it throws, what was sent of it is no JSON text, and
 * the client must not be able to take it for one. `retryAfter` is in seconds, whole and at least one.
 */
export type Answer = {
  readonly status: number;
  readonly body: JsonResult;
  readonly retryAfter?: number;
  /** Of the one result in it, where nodes gave it. */
  readonly trust?: Trust;
  /** By which it was refused. */
  readonly bound?: BoundName;
};

/** An answer of which nothing is still to come. */
export type WholeAnswer = {
  readonly status: number;
  readonly body: string | JsonBytes;
  readonly retryAfter?: number;
  readonly trust?: Trust;
  readonly bound?: BoundName;
};

/** An answer that is text for certain. */
export type TextAnswer = {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: number;
  readonly bound?: BoundName;
};
