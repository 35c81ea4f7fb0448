import type { Trust } from '../util/request-scope.ts';
import { readErrorCode } from '../util/system-error.ts';
import type { GatewayWork } from './gateway-work.ts';
import { GatewayRefusal, ToolError } from './tool-error.ts';

/** Time limit of one request, ms: longer than all default timeouts of the gateway. */
const TIMEOUT_MS = 60_000;
/** Maximum size of a response, bytes. It is much larger than an answer, because a tool may have to search all of a response. */
const MAX_ANSWER_BYTES: number = 16 * 1024 * 1024;

/** Advice by HTTP status, because the messages of the JSON-RPC errors are those of hosted services. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [401, 'the gateway does not accept the key'],
  [403, 'the settings of the key do not allow this request'],
]);

/** Result of one request, and its trust level. `trust` is undefined if the gateway reports none, as for embedded networks. */
export type GatewayAnswer = { readonly result: unknown; readonly trust: Trust | undefined };

export type ClientOptions = {
  /** Called with the HTTP status of each response. */
  readonly onStatus?: (status: number) => void;
  /** Whether the requests are those of a program on this machine, which started the server for itself. */
  readonly isLocal?: boolean;
};

/** Sends JSON-RPC requests to one network of a gateway. No error contains the URL, because the URL contains the key. */
export class GatewayClient {
  readonly #url: URL;
  readonly #work: GatewayWork;
  readonly #onStatus: ((status: number) => void) | undefined;
  readonly #headers: Readonly<Record<string, string>>;

  /**
   * @param url the network's URL with the key in its path
   * @param work the tool call that sends the requests
   */
  constructor(url: URL, work: GatewayWork, { onStatus, isLocal = false }: ClientOptions = {}) {
    this.#url = new URL(url);
    this.#work = work;
    this.#onStatus = onStatus;
    // `Via` marks the request as forwarded: the gateway then refuses methods that are reserved for clients of its own machine.
    this.#headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'portcullis-mcp',
      ...(!isLocal && { Via: '1.1 portcullis-mcp' }),
    };
    // The responses then have a member `trust`, also where they are streamed.
    this.#url.searchParams.set('trust', '1');
  }

  /**
   * Sends one request.
   * @throws GatewayRefusal with the message of the JSON-RPC error; ToolError if there is no usable response
   */
  async request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<GatewayAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { status, text } = await this.#work.run(signal, () =>
      this.#post(body, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])),
    );
    this.#onStatus?.(status);
    const { result, error, trust } = parseResponse(text, status);
    if (error !== undefined) {
      const { code, message, data } = error;
      const advice = ADVICE.get(status);
      throw new GatewayRefusal(advice === undefined ? message : `${message}: ${advice}`, method, code, data);
    }
    if (result === undefined) throw new GatewayRefusal(`the gateway answered with HTTP ${status}`);
    return { result, trust };
  }

  async #post(
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        body,
        signal,
        // The key must not be sent to another server.
        redirect: 'error',
        headers: this.#headers,
      });
      return { status: response.status, text: await readText(response, this.#work) };
    } catch (error) {
      if (error instanceof ToolError) throw error;
      if (signal.aborted) throw new ToolError(`the gateway did not answer in ${TIMEOUT_MS / 1_000} s`);
      // The message of a cause may contain an address, but never the path with the key.
      const { cause } = error as Error;
      const reason = readErrorCode(cause) ?? (cause instanceof Error ? cause.message : 'connection failed');
      throw new ToolError(`the gateway did not answer (${reason})`);
    }
  }
}

/** @throws ToolError if the response is too large */
async function readText(response: Response, work: GatewayWork): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES)
      throw new ToolError(`the answer has more than ${MAX_ANSWER_BYTES} bytes: request a smaller range`);
    work.takeBytes(piece.length);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

type RpcResponse = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly trust?: Trust;
};

/** @throws GatewayRefusal if the text is not a JSON-RPC response */
function parseResponse(text: string, status: number): RpcResponse {
  try {
    const response: unknown = JSON.parse(text);
    if (typeof response === 'object' && response !== null && !Array.isArray(response))
      return response as RpcResponse;
  } catch {
    // Text that is not JSON causes the same error as JSON that is not an object.
  }
  throw new GatewayRefusal(`the gateway answered with HTTP ${status}, not with JSON-RPC: check the URL`);
}
