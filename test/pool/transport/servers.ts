/** Nodes with scripted behaviour, over real sockets. */
import assert from 'node:assert/strict';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type FaultKind, UpstreamFault } from '../../../src/pool/fault.ts';
import type { Endpoint, TransportLimits } from '../../../src/pool/transport/transport.ts';
import { AnswerMemory } from '../../../src/util/answer-memory.ts';
import { SharedBudget } from '../../../src/util/shared-budget.ts';

/** Generous limits: a test that waits for one of them sets it lower. */
export const LIMITS: TransportLimits = {
  connections: 4,
  inFlight: 64,
  connectTimeout: 30_000,
  answerTimeout: 30_000,
  stallTimeout: 30_000,
  answerBytes: 64 * 1024 * 1024,
  streamBytes: 256 * 1024,
  pingInterval: 30_000,
  batch: { items: 100, callers: 'auto' },
  memory: () => new AnswerMemory(new SharedBudget(1024 * 1024 * 1024, 1), 'node'),
};

/** A method without a row of its own: only the transport bounds its answers. */
export const CALL = { method: 'node_anything', params: '[]' };

/** Deadline that is far enough away to have no effect, ms. */
export const inTime = (): { deadline: number } => ({ deadline: performance.now() + 50_000 });

export type Node = {
  readonly endpoint: Endpoint;
  /** Number of accepted connections so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

async function listen(server: Server | HttpServer, at = 0): Promise<Node> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { url: new URL(`http://127.0.0.1:${port}/rpc/key?network=1`), headers: {} },
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export type Asked = { readonly request: IncomingMessage; readonly body: string; readonly id: number };

/** A node behind a well-behaved HTTP server. */
export function serveHttp(answer: (response: ServerResponse, requested: Asked) => void): Promise<Node> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    answer(response, { request, body, id: (JSON.parse(body) as { id: number }).id });
  });
  return listen(server);
}

/** A node that writes raw bytes: `answer` is called once for each complete request on a connection. */
export function serveRaw(
  answer: (socket: Socket, id: number, connection: number, count: number, request: string) => void,
): Promise<Node> {
  let connection = 0;
  const server = createTcpServer((socket) => {
    const number = connection++;
    let count = 0;
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (;;) {
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1];
        const head = received.indexOf('\r\n\r\n');
        const end = head + 4 + Number(length ?? 0);
        if (head < 0 || received.length < end) return;
        const request = received.slice(0, end);
        received = received.slice(end);
        answer(socket, Number(/"id":(\d+)/.exec(request)?.[1]), number, count++, request);
      }
    });
  });
  return listen(server);
}

export function rawAnswer(body: string | Buffer, headers = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

export type WebSocketNode = Node & {
  /** Open sockets. */
  readonly sockets: ReadonlySet<WebSocket>;
};

/** A node behind WebSockets; `answer` is called for every message. */
export async function serveWebSocket(
  answer: (
    socket: WebSocket,
    requested: { id: number; method: string; text: string },
    connection: number,
  ) => void,
  options: { readonly autoPong?: boolean; readonly port?: number } = {},
): Promise<WebSocketNode> {
  const http = createServer();
  const server = new WebSocketServer({ server: http, autoPong: options.autoPong ?? true });
  const sockets = new Set<WebSocket>();
  let connection = 0;
  server.on('connection', (socket) => {
    const number = connection++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const text = (data as Buffer).toString();
      const parsed = JSON.parse(text) as { id: number; method: string };
      answer(socket, { id: parsed.id, method: parsed.method, text }, number);
    });
  });
  const node = await listen(http, options.port);
  const url = new URL(node.endpoint.url);
  url.protocol = 'ws:';
  return { ...node, endpoint: { ...node.endpoint, url }, connections: () => connection, sockets };
}

/** Asserts that a call fails with this kind of fault, and returns the fault. */
export async function faultOf(promise: Promise<unknown>, kind: FaultKind): Promise<UpstreamFault> {
  const fault = await promise.then(
    (value) => assert.fail(`no fault but ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  assert.ok(fault instanceof UpstreamFault, String(fault));
  assert.equal(fault.kind, kind, fault.message);
  assert.doesNotMatch(fault.message, /127\.0\.0\.1|key|rpc/);
  return fault;
}
