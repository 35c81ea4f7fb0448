import type { JsonText } from '../primitives/json-result.ts';
import { type ErrorName, RpcError } from '../rpc/errors.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { TextAnswer } from './answer.ts';

/** Why a transport turns a request away before it can be read, or because it cannot be read. */
export type RefusalReason =
  | 'notFound'
  | 'forbiddenOrigin'
  | 'methodNotAllowed'
  | 'malformedHead'
  | 'upgradeRequired'
  | 'headTooLarge'
  | 'unsupportedMediaType'
  | 'bodyTooLarge'
  | 'parseError'
  | 'overloaded'
  | 'timeout'
  | 'internal';

/** The answer that is one error and concerns no particular id. */
export function createRefusal(name: ErrorName, detail?: string): TextAnswer {
  return refuseWith('null', new RpcError(name, detail));
}

/** The answer that is one error, to the request of this id (raw JSON). */
export function refuseWith(id: JsonText, error: RpcError): TextAnswer {
  const { row, retryAfter } = error;
  const answer = { status: row.status, body: encodeSmallError(id, error) };
  return retryAfter === undefined ? answer : { ...answer, retryAfter };
}

/** By reason, made once: they are all the same. */
export const REFUSALS: Readonly<Record<RefusalReason, TextAnswer>> = {
  notFound: createRefusal('unknownPath'),
  forbiddenOrigin: createRefusal('forbiddenOrigin'),
  methodNotAllowed: createRefusal('methodNotAllowed'),
  malformedHead: createRefusal('malformedHead'),
  upgradeRequired: createRefusal('upgradeRequired'),
  headTooLarge: createRefusal('headTooLarge'),
  unsupportedMediaType: createRefusal('unsupportedMediaType'),
  bodyTooLarge: createRefusal('bodyTooLarge'),
  parseError: createRefusal('parseError', 'the body cannot be read'),
  overloaded: createRefusal('overloaded'),
  timeout: createRefusal('slowBody'),
  internal: createRefusal('internal'),
};
