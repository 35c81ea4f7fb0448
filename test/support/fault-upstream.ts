/** Proxy in front of a node, over HTTP and WebSocket, that injects faults. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { sendToNode } from './faults/ask-node.ts';
import type { Answer, AskNode, Call, Delivery, Fault } from './faults/fault.ts';
import { HeadAnnouncer } from './faults/head-announcer.ts';
import { deliverOverHttp } from './faults/http-delivery.ts';
import { deliverOverWebSocket } from './faults/websocket-delivery.ts';
import { listenOn } from './listen-on.ts';

const HEALTHY: Fault = {};
const SUBSCRIPTION = '0x1';

export type FaultUpstreamOptions = {
  /** Additional delay of every answer, milliseconds. */
  readonly delay?: number;
};

type Outgoing = {
  readonly text: string;
  /** First call that the fault concerns; the first call when there is none. */
  readonly call: Call;
  readonly delivery: Delivery | undefined;
};

export class FaultUpstream {
  readonly #ask: AskNode;
  readonly #delay: number;
  readonly #webSockets: WebSocketServer = new WebSocketServer({ noServer: true, perMessageDeflate: true });
  readonly #sockets: Set<Socket> = new Set();
  readonly #announcer: HeadAnnouncer;
  #server: Server;
  #port = 0;
  #fault: Fault = HEALTHY;
  #calls = 0;

  private constructor(node: string | AskNode, { delay = 0 }: FaultUpstreamOptions) {
    this.#ask = typeof node === 'string' ? (call) => sendToNode(node, call) : node;
    this.#delay = delay;
    this.#server = this.#createServer();
    this.#announcer = new HeadAnnouncer(() => this.#readLatest());
  }

  /** Starts a healthy proxy. @param node URL of the node, or a function that answers in its place */
  static async start(node: string | AskNode, options: FaultUpstreamOptions = {}): Promise<FaultUpstream> {
    const upstream = new FaultUpstream(node, options);
    await upstream.#listen();
    return upstream;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Calls received so far, without those on connections that were refused. */
  get calls(): number {
    return this.#calls;
  }

  /** Sets the fault from now on, none by default. Answers in flight do not change. */
  async setFault(fault: Fault = HEALTHY): Promise<void> {
    const wasOpen = this.#fault.delivery?.kind !== 'refuse';
    this.#fault = fault;
    const isOpen = fault.delivery?.kind !== 'refuse';
    if (wasOpen && !isOpen) await this.#closeServer();
    if (!wasOpen && isOpen) {
      this.#server = this.#createServer();
      await this.#listen();
    }
  }

  async close(): Promise<void> {
    this.#announcer.close();
    if (this.#fault.delivery?.kind !== 'refuse') await this.#closeServer();
  }

  #createServer(): Server {
    const server = createServer((request, response) => void this.#onRequest(request, response));
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket as Socket, head));
    return server;
  }

  async #listen(): Promise<void> {
    this.#port = await listenOn(this.#server, this.#port);
  }

  async #closeServer(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
      const body = request.method === 'GET' ? describeGet(request) : Buffer.concat(chunks).toString();
      const { text, call, delivery } = await this.#handle(body);
      deliverOverHttp(text, call, delivery, request, response);
    } catch {
      request.socket.destroy();
    }
  }

  #onUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { delivery, concerns } = this.#fault;
    if (concerns === undefined && delivery?.kind === 'hang') return;
    if (concerns === undefined && delivery?.kind === 'status') {
      const headers = Object.entries(delivery.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${delivery.status} Fault\r\n${headers.join('')}connection: close\r\n\r\n`);
      return;
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      webSocket.on('message', (data) => void this.#onMessage(String(data), webSocket, socket));
      webSocket.once('close', () => this.#announcer.remove(webSocket));
    });
  }

  async #onMessage(message: string, webSocket: WebSocket, socket: Socket): Promise<void> {
    try {
      const { text, call, delivery } = await this.#handle(message, webSocket);
      deliverOverWebSocket(text, call, delivery, webSocket, socket);
    } catch {
      socket.destroy();
    }
  }

  /** Makes the response to a call or a batch, and its delivery. */
  async #handle(body: string, subscriber?: WebSocket): Promise<Outgoing> {
    const parsed = JSON.parse(body) as Call | Call[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const concerned = calls.find((call) => this.#isFaulty(call));
    const fault = concerned === undefined ? HEALTHY : this.#fault;
    this.#calls += calls.length;
    if (this.#delay > 0) await sleep(this.#delay);
    const responses = await Promise.all(
      calls.map(async (call) => {
        const answer = await this.#answer(call, fault, subscriber);
        const response = { jsonrpc: '2.0', id: call.id, ...answer };
        return fault.response?.(response) ?? response;
      }),
    );
    const text = JSON.stringify(Array.isArray(parsed) ? responses : responses[0]);
    const call = concerned ?? (calls[0] as Call);
    return { text: fault.text?.(text) ?? text, call, delivery: fault.delivery };
  }

  #isFaulty(call: Call): boolean {
    return this.#fault.concerns?.(call) ?? true;
  }

  /** Reads the block to announce; empty while the fault drops calls. */
  async #readLatest(): Promise<Answer> {
    const call: Call = { id: 0, method: 'eth_getBlockByNumber', params: ['latest', false] };
    const fault = this.#isFaulty(call) ? this.#fault : HEALTHY;
    return fault.delivery === undefined ? this.#answer(call, fault) : { result: null };
  }

  async #answer(call: Call, { answer }: Fault, subscriber?: WebSocket): Promise<Answer> {
    if (call.method === 'eth_subscribe' && subscriber !== undefined && call.params[0] === 'newHeads') {
      this.#announcer.add(subscriber, SUBSCRIPTION);
      return { result: SUBSCRIPTION };
    }
    if (call.method === 'eth_unsubscribe' && subscriber !== undefined) {
      this.#announcer.remove(subscriber);
      return { result: true };
    }
    return answer === undefined ? this.#ask(call) : answer(call, this.#ask);
  }
}

/** Describes a GET request as a call, so that faults apply to it. */
function describeGet({ url }: IncomingMessage): string {
  return JSON.stringify({ id: 0, method: 'GET', params: [url] });
}
