import type { JsonResult, JsonText } from '../primitives/json-result.ts';

/** A JSON-RPC call on its way to a node. */
export type NodeCall = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** Its answer is small, as a rule: it may share a request with other calls. */
  readonly isSmall?: boolean;
  /** A large result may come as bytes instead of as text. */
  readonly takesBytes?: boolean;
  /** It may change something: where it is not known whether the node has it, it is not sent again. */
  readonly isOnce?: boolean;
};

/** The error object of a node's answer, as it came: nothing in it can be trusted to be geth's. */
export type NodeError = { readonly code: number; readonly message: string; readonly data: unknown };

/** What a node said, once it is known to be a JSON-RPC answer to the call. */
export type NodeReply =
  | { readonly kind: 'result'; readonly result: JsonResult }
  | { readonly kind: 'error'; readonly error: NodeError };
