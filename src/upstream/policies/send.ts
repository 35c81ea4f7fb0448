import type { JsonResult } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readError } from '../errors/read-error.ts';
import { UpstreamFault } from '../fault.ts';
import { hold, holdText } from '../hold-text.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { Directed, Handler, RoutedCall } from '../routed-call.ts';
import type { SendOptions } from '../transport/transport.ts';
import type { Upstream } from '../upstream.ts';

/** Calls of one batch to a node; some nodes and vendors refuse more. */
const BATCH_ITEMS = 100;

/** A result that is held as far as possible is not a stream before it has so many times the bytes of others. */
const HOLD_FACTOR = 8;

export type SenderBounds = {
  /** Of one answer, and of what the answers to several batches are put together to. */
  readonly answerBytes: number;
  /** A longer result is a stream. */
  readonly streamBytes: number;
};

/** The innermost handler: asks the chosen upstream and reads what it says. */
export function createSender(bounds: SenderBounds): Handler<Directed> {
  return (exchange) => send(exchange, bounds);
}

async function send(exchange: Directed, { answerBytes, streamBytes }: SenderBounds): Promise<JsonResult> {
  const { call, scope, upstream } = exchange;
  const answer = await askTraced(call, upstream, scope, answerBytes);
  let result = answer;
  if (typeof result !== 'string') {
    if (call.isText === true) result = await holdText(result, scope.signal);
    else if (call.isHeld === true) result = await hold(result, HOLD_FACTOR * streamBytes, scope.signal);
  }
  if (result === 'null') {
    if (call.nulls !== 'fault') return result;
    throw new UpstreamFault('missing', 'the node does not have what it should have');
  }
  return call.check === undefined ? result : call.check(result);
}

/** Asks within a span of its own, where the call is traced; it ends with the first bytes of a stream. */
async function askTraced(
  call: RoutedCall,
  upstream: Upstream,
  scope: RequestScope,
  answerBytes: number,
): Promise<JsonResult> {
  const { deadline, signal } = scope;
  if (scope.trace === undefined) return ask(call, upstream, { deadline, signal }, answerBytes);
  const span = scope.trace.begin(call.method, 'client', {
    'rpc.system': 'jsonrpc',
    'rpc.method': call.method,
    'portcullis.upstream': upstream.name,
  });
  try {
    const options = { deadline, signal, traceParent: span.traceParent };
    const answer = await ask(call, upstream, options, answerBytes);
    span.end();
    return answer;
  } catch (error) {
    // A node's error is an answer.
    span.end(error instanceof UpstreamFault ? error.kind : undefined);
    throw error;
  }
}

/** A method that the node lacks is replaced at once where there is a replacement: its state is not in question. */
async function ask(
  call: RoutedCall,
  upstream: Upstream,
  options: SendOptions,
  answerBytes: number,
): Promise<JsonResult> {
  const { batch } = call;
  if (batch !== undefined && upstream.lacks(call.method)) {
    return sendBatch(call, batch(), { upstream, options, answerBytes });
  }
  try {
    return readReply(await upstream.transport.send(chooseCall(call, upstream), options), call, upstream);
  } catch (error) {
    if (batch === undefined || !(error instanceof UpstreamFault) || error.kind !== 'unsupported') throw error;
    upstream.noteUnsupported(call.method);
    return sendBatch(call, batch(), { upstream, options, answerBytes });
  }
}

function chooseCall(call: RoutedCall, upstream: Upstream): NodeCall {
  const { method, params, paramsByHash } = call;
  return { method, params: upstream.knowsHashParameters ? (paramsByHash ?? params) : params };
}

type BatchParts = {
  readonly upstream: Upstream;
  readonly options: SendOptions;
  readonly answerBytes: number;
};

/** Asks one item after the other where they do not fit into one batch; the results become one array. */
async function sendBatch(
  call: RoutedCall,
  items: readonly NodeCall[],
  { upstream, options, answerBytes }: BatchParts,
): Promise<JsonResult> {
  const results: string[] = [];
  let length = 0;
  for (let from = 0; from < items.length; from += BATCH_ITEMS) {
    const replies = await upstream.transport.sendBatch(items.slice(from, from + BATCH_ITEMS), options);
    for (const reply of replies) {
      const result = await holdText(readReply(reply, call, upstream));
      if (result === 'null') throw new UpstreamFault('missing', 'the node does not have what it should have');
      length += result.length;
      if (length > answerBytes)
        throw new UpstreamFault('tooLarge', 'the answers exceed the bound on their size');
      results.push(result);
    }
  }
  return `[${results.join(',')}]`;
}

function readReply(reply: NodeReply, call: RoutedCall, upstream: Upstream): JsonResult {
  if (reply.kind === 'result') return reply.result;
  throw readError(reply.error, call.method, upstream.secrets);
}
