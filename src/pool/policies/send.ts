import {
  isComplete,
  type JsonResult,
  type JsonStream,
  type JsonText,
} from '../../../packages/ethereum/primitives/json-result.ts';
import { PIECE_LENGTH } from '../../../packages/ethereum/primitives/parse-json.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SCHEDULER } from '../../util/slot-scheduler.ts';
import type { TraceSpan } from '../../util/trace-span.ts';
import { readError } from '../errors/read-error.ts';
import { readPassedError } from '../errors/read-passed-error.ts';
import { UpstreamFault } from '../fault.ts';
import { findFirst, type GroupHandler } from '../group.ts';
import { drain, hold, holdAll, holdText } from '../hold-text.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { checkParsed } from '../parse-text.ts';
import { hasSmallAnswer } from '../small-answers.ts';
import type { OnCompleteMany, SendOptions, Transport } from '../transport/transport.ts';
import type { Upstream } from '../upstream.ts';
import type { Directed, Handler, UpstreamRequest } from '../upstream-request.ts';

/** geth's error message for parameters that a method does not have. */
const ONE_PARAMETER = /^too many arguments, want at most 1$/;

/** Maximum number of concurrent requests for the parts of one answer. */
const PARTS_AT_ONCE = 100;

/** The result of a call with `isBuffered` becomes a stream only above this multiple of `streamBytes`. */
const HOLD_FACTOR = 8;

/**
 * Maximum length of answers that are compared with a block immediately (about 50 µs), UTF-16 units. For answers up to `PIECE_LENGTH`, the comparison
 * takes milliseconds.
 */
const CHECKED_AT_ONCE = 4 * 1024;

export type SenderBounds = {
  /** Maximum size of one answer, and of the combined answer of its parts, bytes. */
  readonly answerBytes: number;
  /** Size above which a result is a stream, bytes. */
  readonly streamBytes: number;
};

/** Creates the innermost handler, which sends the call to the chosen upstream and reads the reply. */
export function createSender(bounds: SenderBounds): Handler<Directed> {
  return (context) => send(context, bounds);
}

function send(directed: Directed, bounds: SenderBounds): Promise<JsonResult> {
  const { call, scope, upstream } = directed;
  const { trace } = scope;
  const hasOtherForm =
    call.batch !== undefined || call.paramsAlone !== undefined || call.mayBeRefused === true;
  if (trace === undefined && !hasOtherForm) {
    const sent = upstream.transport.send(chooseCall(call, upstream), scope);
    return sent.then((reply) => takeResult(readReply(reply, call, upstream), directed, bounds));
  }
  const answer =
    trace === undefined
      ? ask(call, upstream, scope, bounds.answerBytes)
      : sendTraced(call, upstream, scope, bounds.answerBytes, trace);
  return answer.then((result) => takeResult(result, directed, bounds));
}

/**
 * Creates the innermost handler of groups. Uses `sendMany` of the transport if there is one, so that no promise is created per request. Requests of a
 * group are not traced. If a node lacks a method, no replacement methods are sent for it.
 */
export function createGroupSender(bounds: SenderBounds): GroupHandler<Directed> {
  return (group, receive) => {
    const positions: number[] = [];
    const calls: NodeCall[] = [];
    for (let position = 0; position < group.length; position++) {
      const context = group[position];
      if (context === undefined) continue;
      positions.push(position);
      calls.push(chooseCall(context.call, context.upstream));
    }
    const take = (at: number, reply: NodeReply): void => {
      const position = positions[at] as number;
      const directed = group[position] as Directed;
      let result: PromiseOrValue<JsonResult>;
      try {
        result = takeResult(readReply(reply, directed.call, directed.upstream), directed, bounds);
      } catch (error) {
        receive(position, error as Error);
        return;
      }
      if (!(result instanceof Promise)) receive(position, result);
      else
        result.then(
          (buffered) => receive(position, buffered),
          (error: Error) => receive(position, error),
        );
    };
    const { upstream, scope } = findFirst(group) as Directed;
    const reject = (at: number, error: unknown): void => receive(positions[at] as number, error as Error);
    sendMany(upstream.transport, calls, scope, { resolve: take, reject });
  };
}

function sendMany(
  transport: Transport,
  calls: readonly NodeCall[],
  scope: RequestScope,
  complete: OnCompleteMany,
): void {
  if (transport.sendMany !== undefined) {
    transport.sendMany(calls, scope, complete);
    return;
  }
  calls.forEach((call, position) => {
    transport.send(call, scope).then(
      (reply) => complete.resolve(position, reply),
      (fault) => complete.reject(position, fault),
    );
  });
}

function takeResult(
  result: JsonResult,
  directed: Directed,
  bounds: SenderBounds,
): PromiseOrValue<JsonResult> {
  const { call, scope, upstream } = directed;
  const { owner = '', signal } = scope;
  const check = (whole: JsonResult): PromiseOrValue<JsonResult> => {
    if (!isLonger(whole, CHECKED_AT_ONCE)) return checkAnswer(call, whole, upstream);
    const work = { owner, signal, memory: upstream.openMemory };
    if (isLonger(whole, PIECE_LENGTH)) return checkParsed(() => checkAnswer(call, whole, upstream), work);
    // One response may contain many answers as long as this one, so the answer is checked in a scheduler slot.
    return SCHEDULER.take(owner, () => checkAnswer(call, whole, upstream));
  };
  if (isComplete(result)) return check(result);
  if (call.checksStream !== true) return continueWith(holdAnswer(result, directed, bounds), check);
  const checked = checkAnswer(call, result, upstream) as JsonStream;
  return call.isDrained === true ? drain(checked, scope) : holdAnswer(checked, directed, bounds);
}

/** Buffers the stream if the call requires it, completely (`isText`) or up to a bound (`isBuffered`). */
function holdAnswer(
  stream: JsonStream,
  { call, scope, upstream }: Directed,
  { streamBytes }: SenderBounds,
): PromiseOrValue<JsonResult> {
  const { takesBytes = false, takesLongBytes = false } = call;
  const options = { scope, memory: upstream.openMemory, takesBytes, takesLongBytes };
  if (call.isText === true) return holdAll(stream, options);
  if (call.isBuffered !== true) return stream;
  return hold(stream, HOLD_FACTOR * streamBytes, options);
}

function isLonger(result: JsonResult, length: number): boolean {
  if (typeof result === 'string') return result.length > length;
  return !isComplete(result) || result.value.bytes.length > length;
}

function checkAnswer(call: UpstreamRequest, result: JsonResult, upstream: Upstream): JsonResult {
  if (result === 'null' && call.nullAs === undefined) {
    if (call.nulls !== 'fault') return result;
    throw new UpstreamFault('missing', 'the node lacks data that it should have');
  }
  const read = result === 'null' && call.nullAs !== undefined ? call.nullAs : result;
  return call.check === undefined ? read : call.check(read, upstream);
}

/** Sends the call within a separate trace span. The span ends with the first bytes of a stream. */
async function sendTraced(
  call: UpstreamRequest,
  upstream: Upstream,
  scope: RequestScope,
  answerBytes: number,
  trace: TraceSpan,
): Promise<JsonResult> {
  const span = trace.begin(call.method, 'client', {
    'rpc.system': 'jsonrpc',
    'rpc.method': call.method,
    'portcullis.upstream': upstream.name,
  });
  try {
    const answer = await ask(call, upstream, scope, answerBytes, span.traceParent);
    span.end();
    return answer;
  } catch (error) {
    // A JSON-RPC error that is an answer is not a failure of the span.
    span.end(error instanceof UpstreamFault ? error.kind : undefined);
    throw error;
  }
}

/**
 * Sends the call. If the node lacks the method and the call has a replacement (`call.batch`), the replacement is sent to the same node immediately.
 */
function ask(
  call: UpstreamRequest,
  upstream: Upstream,
  scope: RequestScope,
  answerBytes: number,
  traceParent?: string,
): Promise<JsonResult> {
  const { batch } = call;
  const sendEachPart = (parts: readonly NodeCall[]): Promise<JsonResult> =>
    sendParts(call, parts, { upstream, scope, answerBytes, traceParent });
  if (batch !== undefined && upstream.lacks(call.method)) return sendEachPart(batch());
  const options = traceParent === undefined ? scope : chooseOptions(scope, scope.batch, traceParent);
  const send = (): Promise<JsonResult> =>
    upstream.transport
      .send(chooseCall(call, upstream), options)
      .then((reply) => readReply(reply, call, upstream));
  const answer = send();
  if (call.paramsAlone !== undefined && !upstream.takesOneOf(call.method)) {
    return answer.catch((error: unknown) => {
      if (!(error instanceof ChainError) || !ONE_PARAMETER.test(error.message)) throw error;
      upstream.noteTakesOne(call.method);
      return send();
    });
  }
  if (call.mayBeRefused === true) return answer.catch((error: unknown) => readRefusal(error, call));
  if (batch === undefined) return answer;
  return answer.catch((error: unknown) => {
    if (!(error instanceof UpstreamFault) || error.kind !== 'unsupported') throw error;
    upstream.noteUnsupported(call.method);
    return sendEachPart(batch());
  });
}

function chooseOptions(
  { deadline, signal }: RequestScope,
  batch: object | undefined,
  traceParent: string | undefined,
): SendOptions {
  return traceParent === undefined ? { deadline, signal, batch } : { deadline, signal, batch, traceParent };
}

/** Converts `unauthorized` (for example HTTP 403) to `unsupported` for a method that not every node offers. @throws UpstreamFault */
function readRefusal(error: unknown, { method }: UpstreamRequest): never {
  if (error instanceof UpstreamFault && error.kind === 'unauthorized')
    throw new UpstreamFault('unsupported', `${method} is not available`);
  throw error;
}

function chooseCall(call: UpstreamRequest, upstream: Upstream): NodeCall {
  const { method, takesBytes, isOnce } = call;
  const params = chooseParams(call, upstream);
  if (isOnce === true) return { method, params, isOnce };
  const isSmall = hasSmallAnswer(method, params);
  return takesBytes === true ? { method, params, isSmall, takesBytes } : { method, params, isSmall };
}

function chooseParams(call: UpstreamRequest, upstream: Upstream): JsonText {
  const { paramsAlone } = call;
  if (paramsAlone !== undefined && upstream.takesOneOf(call.method)) return paramsAlone;
  return upstream.knowsHashParameters ? (call.paramsByHash ?? call.params) : call.params;
}

type PartsOptions = {
  readonly upstream: Upstream;
  readonly scope: RequestScope;
  readonly answerBytes: number;
  readonly traceParent: string | undefined;
};

/**
 * Requests the parts of an answer separately, because the node lacks the method for the whole. The requests for the parts are sent in batches, and
 * their results become one array.
 * @throws UpstreamFault `missing` for a null part, `tooLarge` if the combined results exceed `answerBytes`
 */
async function sendParts(
  call: UpstreamRequest,
  parts: readonly NodeCall[],
  { upstream, scope, answerBytes, traceParent }: PartsOptions,
): Promise<JsonResult> {
  const results: string[] = [];
  let length = 0;
  const work = scope.derive();
  const sendPart = async (part: NodeCall, batch: object): Promise<string> => {
    const small = { ...part, isSmall: hasSmallAnswer(part.method, part.params) };
    const reply = await upstream.transport.send(small, chooseOptions(work, batch, traceParent));
    const result = await holdText(readReply(reply, call, upstream), {
      scope: work,
      memory: upstream.openMemory,
    });
    if (result === 'null') throw new UpstreamFault('missing', 'the node lacks data that it should have');
    length += result.length;
    if (length > answerBytes)
      throw new UpstreamFault('tooLarge', 'the answers exceed the bound on their size');
    return result;
  };
  try {
    for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
      const batch = {};
      const requested = parts.slice(from, from + PARTS_AT_ONCE).map((part) => sendPart(part, batch));
      results.push(...(await Promise.all(requested)));
    }
  } catch (error) {
    // Cancels the requests for the other parts of the answer.
    work.abort();
    throw error;
  } finally {
    work.release();
  }
  return `[${results.join(',')}]`;
}

function readReply(reply: NodeReply, call: UpstreamRequest, upstream: Upstream): JsonResult {
  if (reply.kind === 'result') return reply.result;
  const read = call.isPassed === true ? readPassedError : readError;
  throw read(reply.error, call.method, upstream.secrets, upstream.credentials);
}
