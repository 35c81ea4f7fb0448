import type { JsonResult, JsonText } from '../../packages/ethereum/primitives/json-result.ts';

/** A JSON-RPC call that is sent to a node. */
export type NodeCall = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** The result is usually small: the call may share a request with others. */
  readonly isSmall?: boolean;
  /** A large result may be returned as bytes instead of text. */
  readonly takesBytes?: boolean;
  /** The call may change something: it is not sent again if it is unknown whether the node received it. */
  readonly isOnce?: boolean;
};

/** The error object of a node's response, unmodified: nothing in it can be trusted to be geth's. */
export type NodeError = { readonly code: number; readonly message: string; readonly data: unknown };

/** A node's reply, once it is known to be a JSON-RPC answer to the call. */
export type NodeReply =
  | { readonly kind: 'result'; readonly result: JsonResult }
  | { readonly kind: 'error'; readonly error: NodeError };
