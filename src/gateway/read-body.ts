import type { Network } from '../methods/network.ts';
import { readFastPathCalls } from '../methods/plain-calls/read-plain-calls.ts';
import { findMethod } from '../methods/table.ts';
import { ValueCounter } from '../rpc/codec/codec.ts';
import { type Envelope, LARGE_BODY_BYTES, readEnvelope } from '../rpc/envelope.ts';
import { areLarge, prepareParams } from '../rpc/method.ts';
import type { BodyContext } from './body-context.ts';

const LIST_BEGIN = 0x5b;

/**
 * Reads a body for the fast path. The fast path is possible if the chain accepts raw bytes of calls, or if the body is a batch and the chain accepts
 * groups of calls. Returns undefined for a body that must be parsed as a whole.
 */
export function readFastPath(body: Uint8Array, maxItems: number, { chain }: Network): Envelope | undefined {
  const { callFastPath, callMany } = chain.execution;
  const mayBe = callFastPath !== undefined || (callMany !== undefined && body[0] === LIST_BEGIN);
  return mayBe ? readFastPathCalls(body, maxItems) : undefined;
}

/** Reads a large body with pauses, and also parses the large parameters of its calls. */
export function* readLarge(
  body: Uint8Array,
  maxItems: number,
  context: BodyContext,
): Generator<undefined, Envelope> {
  const { scope, session } = context;
  const plain = readFastPath(body, maxItems, session.network);
  if (plain !== undefined) return plain;
  const envelope = yield* readEnvelope(body, maxItems, scope);
  if (body.length < LARGE_BODY_BYTES) return envelope;
  const items = envelope.kind === 'batch' ? envelope.items : [envelope];
  const pace = new ValueCounter();
  for (const item of items) {
    if (item.kind === 'malformed' || item.params === undefined || !areLarge(item.params)) continue;
    const method = findMethod(item.method, session.network);
    if (method !== undefined) yield* prepareParams(method.params, item.params, pace);
  }
  return envelope;
}
