import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import * as z from 'zod';
import type { Refusal, Session } from '../../src/gateway/admission.ts';
import type { Answer, TextAnswer } from '../../src/gateway/answer.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { Network } from '../../src/methods/network.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { RequestLog } from '../../src/observe/request-log.ts';
import { RequestObserver } from '../../src/observe/request-observer.ts';
import type { ServiceHealth } from '../../src/server/health.ts';
import { createServer, type Server } from '../../src/server/lifecycle.ts';
import {
  type CorsOptions,
  type ListenerLimits,
  type ListenOptions,
  transportLimitsShape,
} from '../../src/server/options.ts';
import type { BoundName } from '../../src/util/bounds.ts';
import type { RequestScope } from '../../src/util/request-scope.ts';

export const HOST = 'test.localhost';
export const KEY = 'good-key';
export const PATH: string = `/v3/${KEY}`;

/** Status and code of each refusal, as the gateway's table has them. */
const REFUSALS = {
  notFound: [404, -32600],
  methodNotAllowed: [405, -32600],
  unsupportedMediaType: [415, -32600],
  'body.bytes': [413, -32600],
  parseError: [400, -32700],
  stopping: [429, -32005],
  webSockets: [429, -32005],
  'webSockets.upgrades': [429, -32005],
  bodies: [429, -32005],
  'arriving.bytes': [429, -32005],
  'compression.jobs': [429, -32005],
  'unsent.bytes': [429, -32005],
  'body.time': [408, -32002],
  forbiddenOrigin: [403, -32600],
  malformedHead: [400, -32600],
  upgradeRequired: [426, -32600],
  'head.bytes': [431, -32600],
  internal: [200, -32603],
} as const;

function refusal(status: number, code: number, message: string): TextAnswer {
  return { status, body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }) };
}

/** Answers a body of the fake gateway. */
export type Handler = (text: string, scope: RequestScope) => Promise<Answer> | Answer;

/** A gateway without JSON-RPC, for tests of the transports. */
export function createFakeGateway(
  handler: Handler = (text) => ({ status: 200, body: text }),
  onBound: (bound: BoundName) => void = () => {},
): Gateway {
  const network = { name: 'test' } as Network;
  return {
    openRpc: '{"openrpc":"1.3.2"}',
    bodiesInFlight: 0,
    chargeUnread: () => undefined,
    returnUnread: () => {},
    findRemainingCredits: () => undefined,
    chargeNotifications: () => true,
    noteRefusal: onBound,
    refuse: (reason) => refusal(REFUSALS[reason][0], REFUSALS[reason][1], reason),
    async admit({ host, network: name, key }): Promise<Session | Refusal> {
      const isKnown = name === undefined ? host === HOST : name === network.name;
      if (!isKnown) return { refused: refusal(404, -32600, 'unknown host') };
      if (key !== KEY) return { refused: refusal(401, -32600, key === undefined ? 'no key' : 'wrong key') };
      return { network, principal: { id: '1', name: 'tester' } };
    },
    async handle(body, _session, scope): Promise<Answer> {
      return handler(Buffer.from(body).toString('utf8'), scope);
    },
  };
}

export type Setup = {
  readonly handler?: Handler;
  readonly gateway?: Gateway;
  readonly limits?: Partial<ListenerLimits>;
  readonly cors?: CorsOptions;
  readonly health?: ServiceHealth;
  readonly listen?: Partial<ListenOptions>;
  readonly logLines?: string[];
  /** Called for each refusal by a bound that sends no response. */
  readonly onBound?: (bound: BoundName) => void;
};

/** Returns the default of `limits:`. */
export function defaultLimits(): ListenerLimits {
  return z.strictObject(transportLimitsShape).parse({});
}

/** Starts a server on a free port for the length of a test. */
export async function startServer(
  context: TestContext,
  setup: Setup = {},
): Promise<{ server: Server; port: number }> {
  const lines = setup.logLines;
  const log =
    lines === undefined
      ? createLogger('silent')
      : createLogger('debug', { sink: { write: (line) => void lines.push(line) } });
  const server = createServer({
    gateway: setup.gateway ?? createFakeGateway(setup.handler, setup.onBound),
    options: {
      listen: { host: '127.0.0.1', port: 0, ...setup.listen },
      cors: setup.cors ?? { origins: ['*'] },
      limits: { ...defaultLimits(), drainTimeout: 200, ...setup.limits },
    },
    ...(setup.health !== undefined && { health: setup.health }),
    log,
    requests: new RequestObserver(new RequestLog(log, { sample: 0, slow: 60_000, failed: true }, new Set())),
  });
  const { port } = await server.listen();
  context.after(() => server.close());
  return { server, port };
}

/** Encodes a request; `Content-Length` is filled in. */
export function encodeRequest(body: string | Uint8Array, headers: Record<string, string> = {}): Buffer {
  const bytes = Buffer.from(body);
  const fields = {
    Host: HOST,
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...headers,
  };
  return Buffer.concat([Buffer.from(encodeHead('POST', PATH, fields)), bytes]);
}

export function encodeHead(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export type RawAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
};

/** A client on a bare socket that exposes the bytes on the wire and can violate the protocol. */
export class RawClient {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  /** @param to a port, or a connection to it */
  constructor(to: number | Socket) {
    this.socket = typeof to === 'number' ? connect({ host: '127.0.0.1', port: to, noDelay: true }) : to;
    this.socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.socket.on('error', () => this.#end());
    this.socket.on('close', () => this.#end());
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Reads the next response; undefined when the connection ended before one was complete. */
  async read(withoutBody = false): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = this.#take(withoutBody);
      if (answer !== undefined) return answer;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves when the connection is over, to the bytes that were not read as responses. */
  async readToEnd(): Promise<string> {
    while (!this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#received.toString('latin1');
  }

  close(): void {
    this.socket.destroy();
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  #take(withoutBody: boolean): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [statusLine = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    const status = Number(statusLine.split(' ')[1]);
    const length = withoutBody || status === 100 ? 0 : Number(headers['content-length'] ?? 0);
    if (this.#received.length < end + 4 + length) return undefined;
    const body = this.#received.subarray(end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    return { status, headers, body };
  }
}

/** Sends one request on its own connection. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  const client = new RawClient(port);
  try {
    const answer = await client.send(bytes).read();
    if (answer === undefined) throw new Error('the connection ended without an answer');
    return answer;
  } finally {
    client.close();
  }
}

/** The JSON-RPC error of a refusal. */
export function errorOf(answer: RawAnswer): { code: number; message: string } {
  const { error } = JSON.parse(answer.body.toString('utf8')) as { error: { code: number; message: string } };
  return error;
}

/** A promise that is resolved from outside. */
export class Gate {
  open: () => void = () => {};
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}

/**
 * Waits until bytes sent to a server of this process have been read, however busy the machine is: on elapsed time alone, all may pass in one turn of the
 * event loop.
 */
export async function letArrive(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
