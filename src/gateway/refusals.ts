import type { JsonText } from '../primitives/json-result.ts';
import { type OtherError, RpcError } from '../rpc/errors.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { BoundsOf } from '../util/bounds.ts';
import type { TextAnswer } from './answer.ts';

/** Why a transport turns a request away before it can be read, or because it cannot be read. */
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

/** The answer that is one error and concerns no particular id. */
export function createRefusal(name: OtherError, detail = ''): TextAnswer {
  return refuseWith('null', new RpcError(name, detail));
}

/** The answer that is one error, to the request of this id (raw JSON). */
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

/** By reason, made once: they are all the same. */
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

/** Bounds by which a transport turns a request away. */
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

/** By bound, made once. */
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

/** The refusal for a reason, and the bound that it is to be counted for; undefined where it is none. */
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
