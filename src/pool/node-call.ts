import type { JsonResult, JsonText } from '../../packages/ethereum/primitives/json-result.ts';

/** A JSON-RPC call that is sent to a node. */
export type NodeCall = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** Whether the result is usually small, so that the call may share a request with others. */
  readonly isSmall?: boolean;
  /** Whether a large result may be returned as bytes instead of text. */
  readonly takesBytes?: boolean;
  /** Whether the call may change state. A call that may change state is not sent again if the node may already have received it. */
  readonly isOnce?: boolean;
};

/** Error object of a node's response, unmodified. Code, message and data differ between clients. */
export type NodeError = { readonly code: number; readonly message: string; readonly data: unknown };

/** Result or error of a valid JSON-RPC response to the call. */
export type NodeReply =
  | { readonly kind: 'result'; readonly result: JsonResult }
  | { readonly kind: 'error'; readonly error: NodeError };
