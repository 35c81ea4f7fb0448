import { type IncomingHttpHeaders, type IncomingMessage, request as openRequest } from 'node:http';
import { readErrorCode } from '../util/system-error.ts';
import type { ConsoleAnswer } from './page/console/wire.ts';
import { AdminRefusal } from './refusal.ts';
import type { AdminSources } from './sources.ts';

/** Timeout of a console request, ms; longer than all default timeouts of the service. */
const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Response headers displayed by the console. */
const SHOWN_HEADER =
  /^(content-(type|length|encoding)|retry-after|www-authenticate|allow|server-timing|traceparent|x-request-id|(x-)?ratelimit(-.*)?)$/;

export type AdminCall = {
  readonly network: string;
  /** Host of the network. */
  readonly host: string;
  readonly key: string;
  readonly authorization: string | undefined;
  readonly body: string;
};

/** Opens a connection to the service. */
export type Connect = AdminSources['service']['connect'];

/** Sends requests to the service's port for clients. */
export class ServiceClient {
  readonly #connect: Connect;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** @throws AdminRefusal when there is no answer to display */
  async send(call: AdminCall, left: AbortSignal): Promise<ConsoleAnswer> {
    const signal = AbortSignal.any([left, AbortSignal.timeout(TIMEOUT_MS)]);
    const start = performance.now();
    try {
      const response = await this.#post(call, signal);
      const text = await readText(response);
      return {
        status: response.statusCode ?? 0,
        headers: pickHeaders(response.headers),
        body: text,
        milliseconds: Math.round((performance.now() - start) * 100) / 100,
      };
    } catch (error) {
      if (error instanceof AdminRefusal) throw error;
      const code = readErrorCode(error) ?? 'no answer';
      throw new AdminRefusal(502, `the service did not answer (${code})`);
    }
  }

  async #post(
    { network, host, key, authorization, body }: AdminCall,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const socket = await this.#connect(signal);
    return new Promise((resolve, reject) => {
      const request = openRequest({
        createConnection: () => socket,
        path: `/${network}/v3/${key}`,
        method: 'POST',
        signal,
        headers: {
          Host: host,
          Connection: 'close',
          // The header `Via` marks the request as forwarded, so that methods reserved for clients of this machine are refused. Such methods must not
          // be callable from the console, because its users may be on other machines.
          Via: '1.1 portcullis-console',
          ...(authorization !== undefined && { Authorization: authorization }),
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        },
      });
      request.once('response', resolve);
      request.once('error', reject);
      request.end(body);
    });
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) throw new AdminRefusal(502, `the answer exceeds ${MAX_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function pickHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const picked = Object.entries(headers).filter(([name]) => SHOWN_HEADER.test(name));
  return Object.fromEntries(picked.map(([name, value]) => [name, String(value)]));
}
