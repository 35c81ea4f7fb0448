/** A node in this process, used without geth: it answers over HTTP and WebSocket from the delivered blocks. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { encodeBlockJson } from '../../../src/chain/block-json.ts';
import { encodeReceipts } from '../../../src/chain/wire-json.ts';
import { encodeExecutedBlock } from '../../../src/chains/embedded/store/chain-writer.ts';
import { listenOn } from '../../support/listen-on.ts';
import type { ForkBlock } from '../chain/fork-chain.ts';
import type { NodeProcess } from './peer.ts';

const CHAIN_ID = '0x539';
const METHOD_NOT_FOUND = -32601;

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };
type LogQuery = {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: unknown;
  readonly topics?: readonly unknown[];
};

export class ScriptedProcess implements NodeProcess {
  readonly #genesis: ForkBlock;
  readonly #transport: 'http' | 'ws';
  readonly #sockets = new Set<Socket>();
  readonly #subscribers = new Map<WebSocket, string>();
  #server: Server | undefined;
  #port = 0;
  #known = new Map<string, ForkBlock>();
  #head: ForkBlock;
  /** Continuations of calls that arrived while it is paused; undefined when it is not paused. */
  #reserved: (() => void)[] | undefined;

  constructor(genesis: ForkBlock, transport: 'http' | 'ws') {
    this.#genesis = genesis;
    this.#head = genesis;
    this.#transport = transport;
  }

  static async start(genesis: ForkBlock, transport: 'http' | 'ws'): Promise<ScriptedProcess> {
    const process = new ScriptedProcess(genesis, transport);
    await process.restart(true);
    return process;
  }

  get url(): string {
    return `${this.#transport}://127.0.0.1:${this.#port}`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async deliver(block: ForkBlock): Promise<void> {
    if (this.#server === undefined || this.#reserved !== undefined) throw new Error('the node is not up');
    for (let at: ForkBlock | undefined = block; at !== undefined; at = at.parent) {
      if (this.#known.has(at.hash)) break;
      this.#known.set(at.hash, at);
    }
    this.#head = block;
    const result = JSON.parse(renderBlock(block, false));
    for (const [socket, subscription] of this.#subscribers) {
      const params = { subscription, result };
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    }
  }

  get provided(): number {
    return this.#known.size;
  }

  get end(): undefined {
    return undefined;
  }

  pause(): void {
    this.#reserved = [];
  }

  goOn(): void {
    const reserved = this.#reserved ?? [];
    this.#reserved = undefined;
    for (const answer of reserved) answer();
  }

  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    this.#reserved = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#subscribers.clear();
    await closed;
  }

  async restart(isNew: boolean): Promise<void> {
    if (isNew) {
      this.#known = new Map([[this.#genesis.hash, this.#genesis]]);
      this.#head = this.#genesis;
    }
    const server = createServer((request, response) => void this.#answerHttp(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#port = await listenOn(server, this.#port);
    // The WebSocket server emits errors of the HTTP server, including those of listening.
    const webSockets = new WebSocketServer({ server });
    webSockets.on('connection', (socket) => this.#serve(socket));
    this.#server = server;
  }

  async dispose(): Promise<void> {
    await this.kill();
  }

  #serve(socket: WebSocket): void {
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#subscribers.delete(socket));
    socket.on('message', (message) => {
      this.#hold(() => {
        const call = JSON.parse(String(message)) as Call | readonly Call[];
        const answer = Array.isArray(call)
          ? call.map((one) => this.#answer(one, socket))
          : this.#answer(call as Call, socket);
        if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(answer));
      });
    });
  }

  async #answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      let body = '';
      for await (const chunk of request) body += chunk;
      this.#hold(() => {
        const call = JSON.parse(body) as Call | readonly Call[];
        const answer = Array.isArray(call)
          ? call.map((one) => this.#answer(one))
          : this.#answer(call as Call);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answer));
      });
    } catch {
      response.destroy();
    }
  }

  #hold(answer: () => void): void {
    if (this.#reserved === undefined) answer();
    else this.#reserved.push(answer);
  }

  #answer(call: Call, socket?: WebSocket): object {
    const { id, method, params = [] } = call;
    const envelope = { jsonrpc: '2.0', id };
    if (method === 'eth_subscribe' && socket !== undefined && params[0] === 'newHeads') {
      const subscription = `0x${randomBytes(16).toString('hex')}`;
      this.#subscribers.set(socket, subscription);
      return { ...envelope, result: subscription };
    }
    const result = this.#find(method, params);
    if (result !== undefined) return { ...envelope, result };
    const message = `the method ${method} does not exist/is not available`;
    return { ...envelope, error: { code: METHOD_NOT_FOUND, message } };
  }

  /** Computes a result; undefined when the method does not exist. */
  #find(method: string, params: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return CHAIN_ID;
      case 'net_version':
        return String(Number(CHAIN_ID));
      case 'web3_clientVersion':
        return 'Geth/v1.17.8-stable-scripted/linux-amd64/go1.25.0';
      case 'eth_syncing':
        return false;
      case 'eth_blockNumber':
        return `0x${this.#head.number.toString(16)}`;
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const block = this.#locate(params[0]);
        return block === undefined ? null : JSON.parse(renderBlock(block, params[1] === true));
      }
      case 'eth_getBlockReceipts': {
        const block = this.#locate(params[0]);
        return block === undefined ? null : renderReceipts(block);
      }
      case 'eth_getTransactionReceipt':
        return this.#findReceipt(String(params[0]));
      case 'eth_getTransactionCount': {
        const block = this.#locate(params[1]);
        // Only one account sends.
        return block === undefined ? null : `0x${block.nonce.toString(16)}`;
      }
      case 'eth_getLogs':
        return this.#findLogs(params[0] as LogQuery);
      default:
        return undefined;
    }
  }

  #locate(reference: unknown): ForkBlock | undefined {
    const text = typeof reference === 'string' ? reference : String(Object(reference).blockHash);
    if (text === 'latest' || text === 'pending') return this.#head;
    if (text === 'safe' || text === 'finalized') return undefined;
    if (text === 'earliest') return this.#genesis;
    if (text.length === 66) return this.#known.get(text);
    const number = Number(text);
    for (let at: ForkBlock | undefined = this.#head; at !== undefined; at = at.parent)
      if (at.number === number) return at;
    return undefined;
  }

  #findReceipt(hash: string): unknown {
    for (let at: ForkBlock | undefined = this.#head; at !== undefined; at = at.parent) {
      const index = at.transactionHashes.indexOf(hash);
      if (index >= 0) return renderReceipts(at)[index];
    }
    return null;
  }

  #findLogs({ blockHash, fromBlock = 'latest', toBlock = 'latest', address, topics }: LogQuery): unknown[] {
    if (address !== undefined || (topics ?? []).length > 0)
      throw new Error('the scripted node gives all logs of a block');
    const [low, high] = [this.#locate(blockHash ?? fromBlock), this.#locate(blockHash ?? toBlock)];
    const found: unknown[] = [];
    if (low === undefined) return found;
    for (let at = high; at !== undefined && at.number >= low.number; at = at.parent)
      found.unshift(...renderReceipts(at).flatMap(({ logs }) => logs));
    return found;
  }
}

function renderBlock({ executed, hash }: ForkBlock, isFull: boolean): string {
  const { body, receipts } = encodeExecutedBlock(executed);
  return [...encodeBlockJson({ header: executed.block.header, hash, body, receipts }, isFull)].join('');
}

function renderReceipts({ executed, hash }: ForkBlock): { readonly logs: readonly unknown[] }[] {
  const { header, transactions } = executed.block;
  return JSON.parse([...encodeReceipts(transactions, executed.receipts, { header, hash }, 0n)].join(''));
}
