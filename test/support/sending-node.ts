/** A node with a static chain and a transaction pool, over HTTP and WebSocket, that treats sent transactions as configured. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { hashTransaction } from '../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { decodeSentTransaction } from '../../src/chain/sending/sent-transaction.ts';
import { makeBlock } from './served-node.ts';

/** Treatment of a sent transaction. */
export type SendBehaviour = {
  readonly name: string;
  /** Whether the node has it afterwards, or reports that it has. */
  readonly takes: boolean;
  /** Whether the node has it in its pool afterwards. */
  readonly holds: boolean;
  readonly answer:
    | { readonly kind: 'result'; readonly hash?: string; readonly delayMs?: number; readonly dies?: boolean }
    | { readonly kind: 'error'; readonly code: number; readonly message: string }
    | { readonly kind: 'status'; readonly status: number }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'hang' }
    | { readonly kind: 'drop' };
};

const error = (code: number, message: string): SendBehaviour['answer'] => ({ kind: 'error', code, message });

export const SEND_BEHAVIOURS: readonly SendBehaviour[] = [
  { name: 'accepts', takes: true, holds: true, answer: { kind: 'result' } },
  { name: 'accepts and dies', takes: true, holds: true, answer: { kind: 'result', dies: true } },
  { name: 'accepts slowly', takes: true, holds: true, answer: { kind: 'result', delayMs: 100 } },
  {
    name: 'rejects',
    takes: false,
    holds: false,
    answer: error(-32000, 'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1'),
  },
  { name: 'forgets', takes: true, holds: false, answer: { kind: 'result' } },
  { name: 'says known', takes: true, holds: true, answer: error(-32000, 'already known') },
  {
    name: 'says nonce too low of what it has',
    takes: true,
    holds: true,
    answer: error(-32000, 'nonce too low: next nonce 1, tx nonce 0'),
  },
  { name: 'limits its rate', takes: false, holds: false, answer: { kind: 'status', status: 429 } },
  { name: 'is out of order', takes: false, holds: false, answer: { kind: 'status', status: 503 } },
  {
    name: 'gives another hash',
    takes: false,
    holds: false,
    answer: { kind: 'result', hash: `0x${'ab'.repeat(32)}` },
  },
  { name: 'hangs', takes: false, holds: false, answer: { kind: 'hang' } },
  { name: 'takes it and drops the connection', takes: true, holds: true, answer: { kind: 'drop' } },
  {
    name: 'lacks the method',
    takes: false,
    holds: false,
    answer: error(-32601, 'the method eth_sendRawTransaction does not exist/is not available'),
  },
  { name: 'is not open to us', takes: false, holds: false, answer: { kind: 'status', status: 401 } },
  { name: 'answers garbage', takes: false, holds: false, answer: { kind: 'text', text: '<html>' } },
  {
    name: 'says that it reverts',
    takes: false,
    holds: false,
    answer: error(3, 'execution reverted: not allowed'),
  },
];

export const ACCEPTS: SendBehaviour = SEND_BEHAVIOURS[0] as SendBehaviour;
export const REJECTS: SendBehaviour = SEND_BEHAVIOURS[3] as SendBehaviour;

type Call = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] };
/** Text to send, or what happens instead. */
type Delivery = {
  readonly text?: string;
  readonly status?: number;
  readonly isDropped?: boolean;
  readonly dies?: boolean;
};

const HEIGHT = 40;

export class SendingNode {
  behaviour: SendBehaviour;
  /** Hashes in its pool. */
  readonly pool: Set<string> = new Set();
  /** Received raw transactions, as hex data. */
  readonly received: string[] = [];
  /** Whether each accepted transaction makes a block, as on a development node. */
  mines = false;
  #height = HEIGHT;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new Set<Socket>();
  readonly #webSockets = new WebSocketServer({ server: this.#server });
  #port = 0;

  private constructor(behaviour: SendBehaviour) {
    this.behaviour = behaviour;
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#webSockets.on('connection', (socket) => {
      socket.on('message', (data) => void this.#serveMessage(socket, String(data)));
    });
  }

  static async start(behaviour: SendBehaviour): Promise<SendingNode> {
    const node = new SendingNode(behaviour);
    await new Promise<void>((resolve) => node.#server.listen(0, '127.0.0.1', resolve));
    node.#port = (node.#server.address() as AddressInfo).port;
    return node;
  }

  urlOver(protocol: 'http' | 'ws'): string {
    return `${protocol}://127.0.0.1:${this.#port}`;
  }

  close(): void {
    this.#webSockets.close();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const delivery = await this.#answer(body);
    if (delivery.isDropped === true) {
      request.socket.destroy();
      return;
    }
    response.statusCode = delivery.status ?? 200;
    response.setHeader('content-type', 'application/json');
    response.end(delivery.text ?? '', () => {
      if (delivery.dies === true) this.close();
    });
  }

  async #serveMessage(socket: WebSocket, body: string): Promise<void> {
    const { text, status, isDropped, dies } = await this.#answer(body);
    if (isDropped === true || status !== undefined) socket.terminate();
    else socket.send(text ?? '', () => dies === true && this.close());
  }

  async #answer(body: string): Promise<Delivery> {
    const parsed = JSON.parse(body) as Call | readonly Call[];
    if (!Array.isArray(parsed)) return this.#answerCall(parsed as Call);
    const answers = await Promise.all(parsed.map((call: Call) => this.#answerCall(call)));
    return { text: `[${answers.map(({ text }) => text).join(',')}]` };
  }

  #answerCall(call: Call): Delivery | Promise<Delivery> {
    if (call.method === 'eth_sendRawTransaction') return this.#take(call);
    const result = this.#read(call);
    const body =
      result === undefined ? { error: { code: -32601, message: 'the method does not exist' } } : { result };
    return { text: JSON.stringify({ jsonrpc: '2.0', id: call.id, ...body }) };
  }

  #read({ method, params = [] }: Call): unknown {
    const [first] = params;
    switch (method) {
      case 'eth_chainId':
        return '0x1';
      case 'eth_syncing':
        return false;
      case 'web3_clientVersion':
        return 'Geth/v1.17.8-stable/linux-amd64/go1.26';
      case 'eth_getBlockByNumber':
        return makeBlock(
          first === 'latest' ? this.#height : String(first).startsWith('0x') ? Number(first) : 30,
        );
      case 'eth_getTransactionCount':
        return '0x0';
      case 'eth_getTransactionReceipt':
        return null;
      case 'eth_getTransactionByHash':
        return this.pool.has(String(first)) ? { hash: first, blockHash: null, blockNumber: null } : null;
      default:
        return undefined;
    }
  }

  async #take({ id, params }: Call): Promise<Delivery> {
    const raw = String(params?.[0]);
    const hash = bytesToHex(hashTransaction(decodeSentTransaction(hexToBytes(raw)).transaction));
    const { answer, holds } = this.behaviour;
    this.received.push(raw);
    if (holds) this.pool.add(hash);
    if (holds && this.mines) this.#height++;
    const say = (body: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...body });
    switch (answer.kind) {
      case 'result':
        if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
        return { text: say({ result: answer.hash ?? hash }), dies: answer.dies === true };
      case 'error':
        return { text: say({ error: { code: answer.code, message: answer.message } }) };
      case 'status':
        return { text: '', status: answer.status };
      case 'text':
        return { text: answer.text };
      case 'drop':
        return { isDropped: true };
      default:
        return new Promise(() => {});
    }
  }
}
