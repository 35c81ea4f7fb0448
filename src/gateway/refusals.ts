import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { type OtherError, RpcError } from '../rpc/errors.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { BoundsOf } from '../util/bounds.ts';
import type { TextAnswer } from './answer.ts';

/** Reason for which a transport refuses a request before reading it, or because the request cannot be read. */
export type RefusalReason =
  | 'notFound'
  | 'forbiddenOrigin'
  | 'methodNotAllowed'
  | 'malformedHead'
  | 'upgradeRequired'
  | 'unsupportedMediaType'
  | 'parseError'
  | 'stopping'
  | 'internal';

/** Returns an answer with one error and a null id. */
export function createRefusal(name: OtherError, detail = ''): TextAnswer {
  return refuseWith('null', new RpcError(name, detail));
}

/** Returns an answer with one error. @param id id of the request as raw JSON */
export function refuseWith(id: JsonText, error: RpcError): TextAnswer {
  const { row, retryAfter, bound } = error;
  const answer = { status: row.status, body: encodeSmallError(id, error) };
  if (retryAfter === undefined && bound === undefined) return answer;
  return {
    ...answer,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(bound !== undefined && { bound }),
  };
}

/** Answers to refused requests, built once, by the reason of the refusal. */
const REFUSALS: Readonly<Record<RefusalReason, TextAnswer>> = {
  notFound: createRefusal('unknownPath'),
  forbiddenOrigin: createRefusal('forbiddenOrigin'),
  methodNotAllowed: createRefusal('methodNotAllowed'),
  malformedHead: createRefusal('malformedHead'),
  upgradeRequired: createRefusal('upgradeRequired'),
  unsupportedMediaType: createRefusal('unsupportedMediaType'),
  parseError: createRefusal('parseError', 'the body cannot be read'),
  stopping: createRefusal('stopping'),
  internal: createRefusal('internal'),
};

/** Bounds that make a transport refuse a request. */
export type TransportBound =
  | 'webSockets'
  | 'webSockets.upgrades'
  | 'bodies'
  | 'arriving.bytes'
  | 'compression.jobs'
  | 'unsent.bytes'
  | 'body.bytes'
  | 'head.bytes'
  | 'body.time';

/** Answers to requests that a bound refuses, built once, by bound. */
export const BOUND_REFUSALS: Readonly<Record<TransportBound, TextAnswer>> = {
  webSockets: refuseRoom('webSockets'),
  'webSockets.upgrades': refuseRoom('webSockets.upgrades'),
  bodies: refuseRoom('bodies'),
  'arriving.bytes': refuseRoom('arriving.bytes'),
  'compression.jobs': refuseRoom('compression.jobs'),
  'unsent.bytes': refuseRoom('unsent.bytes'),
  'body.bytes': refuseWith('null', new RpcError('bodyTooLarge', 'body.bytes')),
  'head.bytes': refuseWith('null', new RpcError('headTooLarge', 'head.bytes')),
  'body.time': refuseWith('null', new RpcError('slowBody', 'body.time')),
};

/** Returns the answer for a reason of refusal, and the bound under which the refusal is counted, if any. */
export function chooseRefusal(reason: RefusalReason | TransportBound): {
  readonly refusal: TextAnswer;
  readonly bound: TransportBound | undefined;
} {
  if (!isBound(reason)) return { refusal: REFUSALS[reason], bound: undefined };
  return { refusal: BOUND_REFUSALS[reason], bound: reason };
}

function isBound(reason: RefusalReason | TransportBound): reason is TransportBound {
  return reason in BOUND_REFUSALS;
}

function refuseRoom(bound: BoundsOf<'overloaded'>): TextAnswer {
  return refuseWith('null', new RpcError('overloaded', bound));
}
