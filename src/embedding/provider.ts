import { EventEmitter } from 'node:events';
import { isComplete, type JsonResult, textOf } from '../../packages/ethereum/primitives/json-result.ts';
import type { Session } from '../gateway/admission.ts';
import { collectStream } from '../gateway/collect-stream.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { describeBoundRefusal, limitOf } from '../util/bounds.ts';
import { RequestScope } from '../util/request-scope.ts';
import type { GatewayProvider, ProviderEvents, ProviderRequest } from './options.ts';
import { ProviderSubscriptions } from './provider-subscriptions.ts';

/** Maximum size of an answer, bytes; less than the maximum length of a string, because text has at most one character per byte. */
const MAX_ANSWER_BYTES = limitOf('provider.answerBytes');

/** Codes of EIP-1193. */
const UNSUPPORTED_PARAMS = -32_602;
const DISCONNECTED = 4_900;

/** Error of EIP-1193, with the code and the data of the JSON-RPC error. */
class ProviderError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(message: string, code: number, data?: unknown) {
    super(message);
    this.name = 'ProviderRpcError';
    this.code = code;
    this.data = data;
  }
}

/** Answer of the gateway to one call. */
type Response = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

export type ProviderParts = {
  readonly gateway: Pick<Gateway, 'handle'>;
  readonly session: Session;
  /** Time limit of a request, ms. */
  readonly timeoutMs: number;
};

/** EIP-1193 provider that passes its requests to the gateway as request bodies, with the embedding program as their owner. */
export class InProcessProvider implements GatewayProvider {
  readonly #parts: ProviderParts;
  readonly #emitter = new EventEmitter();
  readonly #subscriptions: ProviderSubscriptions;
  readonly #running = new Set<RequestScope>();
  #nextId = 1;
  #isClosed = false;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    this.#subscriptions = new ProviderSubscriptions({
      onResult: (subscription, result) =>
        this.#emit('message', {
          type: 'eth_subscription',
          data: { subscription, result: JSON.parse(result) as unknown },
        }),
      onFailure: (reason) => this.#emit('disconnect', new ProviderError(reason, DISCONNECTED)),
    });
  }

  async request({ method, params }: ProviderRequest): Promise<unknown> {
    if (this.#isClosed) throw new ProviderError('the gateway is closed', DISCONNECTED);
    const body = encodeCall(this.#nextId++, method, params);
    const { gateway, session, timeoutMs } = this.#parts;
    const scope = new RequestScope(performance.now() + timeoutMs);
    this.#running.add(scope);
    try {
      const answer = await gateway.handle(body, session, scope, undefined, this.#subscriptions);
      const text = await readText(answer.body);
      scope.noteSent(true);
      return this.#open(method, JSON.parse(text) as Response);
    } finally {
      this.#running.delete(scope);
    }
  }

  on<Name extends keyof ProviderEvents>(event: Name, listener: (value: ProviderEvents[Name]) => void): this {
    this.#emitter.on(event, listener);
    return this;
  }

  removeListener<Name extends keyof ProviderEvents>(
    event: Name,
    listener: (value: ProviderEvents[Name]) => void,
  ): this {
    this.#emitter.removeListener(event, listener);
    return this;
  }

  /** Cancels running requests and ends subscriptions. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const scope of this.#running) scope.abort();
    this.#subscriptions.close();
    this.#emit('disconnect', new ProviderError('the gateway is closed', DISCONNECTED));
  }

  /** @returns the result @throws ProviderError for an error response */
  #open(method: string, { result, error }: Response): unknown {
    if (error !== undefined) throw new ProviderError(error.message, error.code, error.data);
    // Notifications begin in the next iteration of the event loop, so that the caller has received the id before.
    if (method === 'eth_subscribe') setImmediate(() => this.#subscriptions.release(result));
    return result;
  }

  /** Calls the listeners. The error of a listener is thrown outside of this call, so that it ends neither a subscription nor `close`. */
  #emit<Name extends keyof ProviderEvents>(event: Name, value: ProviderEvents[Name]): void {
    for (const listener of this.#emitter.listeners(event)) {
      try {
        listener.call(this, value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** @throws ProviderError for parameters that JSON cannot express */
function encodeCall(id: number, method: string, params: ProviderRequest['params']): Buffer {
  try {
    return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  } catch (error) {
    throw new ProviderError(`the parameters are not JSON: ${(error as Error).message}`, UNSUPPORTED_PARAMS);
  }
}

/** @throws ProviderError for an answer that is too large for a string */
async function readText(body: JsonResult): Promise<string> {
  if (isComplete(body)) {
    requireFit(body.length);
    return textOf(body);
  }
  let length = 0;
  const pieces = await collectStream(body, (bytes) => {
    length += bytes;
    return length <= MAX_ANSWER_BYTES;
  });
  requireFit(length);
  return Buffer.concat(pieces ?? []).toString('utf8');
}

function requireFit(length: number): void {
  if (length > MAX_ANSWER_BYTES)
    throw new ProviderError(describeBoundRefusal('provider.answerBytes'), UNSUPPORTED_PARAMS);
}
