import { isComplete, type JsonResult, type JsonStream } from '../../primitives/json-result.ts';
import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { TraceSpan } from '../../util/trace-span.ts';
import { readError } from '../errors/read-error.ts';
import { UpstreamFault } from '../fault.ts';
import { hold, holdText } from '../hold-text.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { Directed, Handler, RoutedCall } from '../routed-call.ts';
import { hasSmallAnswer } from '../small-answers.ts';
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

function send({ call, scope, upstream }: Directed, bounds: SenderBounds): Promise<JsonResult> {
  const { trace } = scope;
  if (trace === undefined && call.batch === undefined) {
    const sent = upstream.transport.send(chooseCall(call, upstream), scope);
    return sent.then((reply) => takeResult(readReply(reply, call, upstream), call, scope, bounds));
  }
  const answer =
    trace === undefined
      ? ask(call, upstream, scope, bounds)
      : askTraced(call, upstream, scope, bounds, trace);
  return answer.then((result) => takeResult(result, call, scope, bounds));
}

function takeResult(
  result: JsonResult,
  call: RoutedCall,
  scope: RequestScope,
  bounds: SenderBounds,
): PromiseOrValue<JsonResult> {
  if (isComplete(result)) return checkAnswer(call, result);
  const held = holdAnswer(call, result, scope, bounds);
  return held === undefined ? checkAnswer(call, result) : held.then((whole) => checkAnswer(call, whole));
}

/** As much of a stream as is wanted before it is checked; undefined where it is to be passed on at once. */
function holdAnswer(
  call: RoutedCall,
  stream: JsonStream,
  scope: RequestScope,
  { streamBytes }: SenderBounds,
): Promise<JsonResult> | undefined {
  if (call.isText === true) return holdText(stream, scope);
  if (call.isHeld !== true) return undefined;
  return hold(stream, HOLD_FACTOR * streamBytes, scope, call.takesBytes);
}

function checkAnswer(call: RoutedCall, result: JsonResult): JsonResult {
  if (result === 'null') {
    if (call.nulls !== 'fault') return result;
    throw new UpstreamFault('missing', 'the node does not have what it should have');
  }
  return call.check === undefined ? result : call.check(result);
}

/** Asks within a span of its own; it ends with the first bytes of a stream. */
async function askTraced(
  call: RoutedCall,
  upstream: Upstream,
  { deadline, signal, batch }: RequestScope,
  bounds: SenderBounds,
  trace: TraceSpan,
): Promise<JsonResult> {
  const span = trace.begin(call.method, 'client', {
    'rpc.system': 'jsonrpc',
    'rpc.method': call.method,
    'portcullis.upstream': upstream.name,
  });
  try {
    const options = { deadline, signal, batch, traceParent: span.traceParent };
    const answer = await ask(call, upstream, options, bounds);
    span.end();
    return answer;
  } catch (error) {
    // A node's error is an answer.
    span.end(error instanceof UpstreamFault ? error.kind : undefined);
    throw error;
  }
}

/** A method that the node lacks is replaced at once where there is a replacement: its state is not in question. */
function ask(
  call: RoutedCall,
  upstream: Upstream,
  options: SendOptions,
  { answerBytes }: SenderBounds,
): Promise<JsonResult> {
  const { batch } = call;
  const parts = { upstream, options, answerBytes };
  if (batch !== undefined && upstream.lacks(call.method)) return sendBatch(call, batch(), parts);
  const sent = upstream.transport.send(chooseCall(call, upstream), options);
  const answer = sent.then((reply) => readReply(reply, call, upstream));
  if (batch === undefined) return answer;
  return answer.catch((error: unknown) => {
    if (!(error instanceof UpstreamFault) || error.kind !== 'unsupported') throw error;
    upstream.noteUnsupported(call.method);
    return sendBatch(call, batch(), parts);
  });
}

function chooseCall(call: RoutedCall, upstream: Upstream): NodeCall {
  const { method, takesBytes } = call;
  const params = upstream.knowsHashParameters ? (call.paramsByHash ?? call.params) : call.params;
  const isSmall = hasSmallAnswer(method);
  return takesBytes === true ? { method, params, isSmall, takesBytes } : { method, params, isSmall };
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
