import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Params = readonly unknown[];
/** Answers of a node by method; an error is thrown as `RpcError`. */
export type Answers = Readonly<Record<string, (params: Params) => unknown>>;

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type NodeScript = {
  readonly chainId?: number;
  /** Number of blocks after the genesis block. */
  readonly height?: number;
  /** Overrides a healthy node's answers; `undefined` is a method that the node lacks. */
  readonly answers?: Readonly<Record<string, ((params: Params) => unknown) | undefined>>;
  /** Overrides the blocks that `eth_getBlockByNumber` returns for tags. */
  readonly tags?: Readonly<Record<string, () => unknown>>;
  readonly batchItems?: number;
  /** Answers come in rounds (`AnswerRounds`): milliseconds without another request that end a round. */
  readonly roundMs?: number;
  /** Replaces the response to a body that was read; false lets the node answer. */
  readonly respond?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

export type ScriptedNode = {
  readonly url: string;
  readonly calls: string[];
  /** Present with `roundMs`. */
  readonly rounds: AnswerRounds;
};

/** Minimum turns of the event loop per round: input that arrived while the process was stopped is read first. */
const ROUND_TURNS = 200;

/**
 * Buffers answers until no request has come for a while, then releases all of them together. Requests that do not depend on another answer
 * therefore share a round, however slowly they arrive, and background requests of a service add no rounds to those of a caller.
 */
class AnswerRounds {
  /** Number of answered rounds. */
  count = 0;
  readonly #ms: number;
  #round: Promise<void> | undefined;
  #lastAt = 0;
  #slots = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Joins the round of a request, which it prolongs. Resolves at its end. */
  join(): Promise<void> {
    this.#restart();
    this.#round ??= this.#pass().then(() => {
      this.#round = undefined;
      this.count++;
    });
    return this.#round;
  }

  /** Resolves when no more requests come. */
  async whenQuiet(): Promise<void> {
    let before = -1;
    while (this.#round !== undefined || before !== this.count) {
      before = this.count;
      await this.#round;
      this.#restart();
      await this.#pass();
    }
  }

  #restart(): void {
    this.#lastAt = performance.now();
    this.#slots = 0;
  }

  async #pass(): Promise<void> {
    while (this.#slots < ROUND_TURNS || performance.now() - this.#lastAt < this.#ms) {
      this.#slots++;
      await nextTurn();
    }
  }
}

const BLOCK_SECONDS = 12;
/** Height at which the newest block of the highest node is recent. */
export const FULL_HEIGHT = 40;
const START: number = Math.floor(Date.now() / 1_000) - FULL_HEIGHT * BLOCK_SECONDS;

const makeHash = (kind: number, number: number): string =>
  `0x${kind.toString(16).padStart(2, '0')}${number.toString(16).padStart(62, '0')}`;
export const GENESIS_HASH: string = makeHash(1, 0);

export function makeBlock(number: number): Record<string, unknown> {
  return {
    number: `0x${number.toString(16)}`,
    hash: makeHash(1, number),
    parentHash: number === 0 ? makeHash(0, 0) : makeHash(1, number - 1),
    timestamp: `0x${(START + number * BLOCK_SECONDS).toString(16)}`,
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x7',
    extraData: '0x',
    difficulty: '0x0',
    transactionsRoot: makeHash(2, number),
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    transactions: [makeHash(3, number), makeHash(4, number)],
    uncles: [],
  };
}

/** Answers of geth on a chain of blocks with two transactions each. */
function createHealthyAnswers(chainId: number, height: number, tags: NodeScript['tags']): Answers {
  const find = (reference: unknown): Record<string, unknown> | null => {
    const text = typeof reference === 'string' ? reference : String(Object(reference).blockHash);
    if (text === 'latest' || text === 'pending') return makeBlock(height);
    if (text === 'safe' || text === 'finalized') return makeBlock(Math.max(0, height - 10));
    const number = Number(text === 'earliest' ? 0 : text.length === 66 ? `0x${text.slice(-6)}` : text);
    return number <= height ? makeBlock(number) : null;
  };
  const listTransactions = (reference: unknown): readonly string[] =>
    (find(reference)?.['transactions'] ?? []) as readonly string[];
  return {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    web3_clientVersion: () => 'Geth/v1.16.7-stable-b9f3a3d9/linux-amd64/go1.24.9',
    eth_getBlockByNumber: ([reference]) => {
      const say = tags?.[String(reference)];
      return say === undefined ? find(reference) : say();
    },
    eth_call: ([call, , overrides]) => {
      const { data } = call as { readonly data: string };
      if (data === '0x60006000fd') throw new RpcError(3, 'execution reverted', '0x');
      if (data === '0x63deadbeef6000526004601cfd') throw new RpcError(3, 'execution reverted', '0xdeadbeef');
      return overrides === undefined ? '0x' : `0x${'2a'.padStart(64, '0')}`;
    },
    eth_estimateGas: () => '0x5208',
    eth_getBlockReceipts: ([reference]) =>
      listTransactions(reference).map((transactionHash) => ({
        transactionHash,
      })),
    eth_getTransactionByBlockNumberAndIndex: ([reference, index]) => {
      return { hash: listTransactions(reference)[Number(index)] };
    },
    eth_getUncleByBlockNumberAndIndex: () => null,
    eth_getBalance: () => '0x0',
    eth_getCode: () => '0x',
    eth_getStorageAt: () => `0x${'0'.repeat(64)}`,
    eth_getTransactionCount: () => '0x0',
    eth_getProof: ([address]) => ({ address, accountProof: [], storageProof: [] }),
    eth_getBlockByHash: ([hash]) => find({ blockHash: hash }),
    eth_getTransactionByHash: ([hash]) => ({ hash }),
    eth_getTransactionReceipt: ([transactionHash]) => ({ transactionHash }),
    eth_getLogs: () => [],
    eth_gasPrice: () => '0x7',
    eth_maxPriorityFeePerGas: () => '0x0',
    eth_feeHistory: () => ({ oldestBlock: '0x0', baseFeePerGas: ['0x7', '0x7'], gasUsedRatio: [0] }),
    eth_createAccessList: () => ({ accessList: [], gasUsed: '0x5208' }),
    eth_simulateV1: () => [],
  };
}

/** Starts a node that answers by its script; without one it is healthy. It ends with the test. */
export async function startNode(t: TestContext, script: NodeScript = {}): Promise<ScriptedNode> {
  const { chainId = 1, height = FULL_HEIGHT, batchItems = 1_000, roundMs, respond = () => false } = script;
  const answers = { ...createHealthyAnswers(chainId, height, script.tags), ...script.answers };
  const calls: string[] = [];
  const rounds = new AnswerRounds(roundMs ?? 0);

  const answer = (call: { id: number; method: string; params: Params }): object => {
    calls.push(call.method);
    const envelope = { jsonrpc: '2.0', id: call.id };
    const say = answers[call.method];
    try {
      if (say === undefined) throw new RpcError(-32601, `the method ${call.method} does not exist`);
      return { ...envelope, result: say(call.params) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return { ...envelope, error: { code, message, ...(data !== undefined && { data }) } };
    }
  };
  const answerBody = (body: string): object => {
    const parsed = JSON.parse(body);
    if (!Array.isArray(parsed)) return answer(parsed);
    if (parsed.length <= batchItems) return parsed.map(answer);
    return { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } };
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (respond(request, response)) return;
    if (roundMs !== undefined) await rounds.join();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answerBody(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, rounds };
}
