import { CHAIN_ID } from './chain-plan.ts';
import type { ServedChain } from './made-chain.ts';

/** Text, or text around bytes that are too many to be copied. */
export type NodeAnswer = string | readonly [before: string, bytes: Buffer, after: string];

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

/** Requests and calls received, without those that proxies send to follow the head. */
export type Counts = { requests: number; items: number };

const CALL_RESULT = `0x${'00'.repeat(31)}2a`;
/** Matches nearly every request of the bench in the form that proxies send, so that it needs no parse. */
const PLAIN_CALL = /^\{"jsonrpc":"2\.0","id":("[^"\\]*"|\d+),"method":"eth_call"/;
const HEAD_METHODS: ReadonlySet<string> = new Set(['eth_syncing', 'web3_clientVersion', 'eth_subscribe']);

/** A node of minimal cost: it counts requests and returns prepared answers. */
export class NodeAnswers {
  readonly #chain: ServedChain;
  readonly counts: Counts = { requests: 0, items: 0 };

  constructor(chain: ServedChain) {
    this.#chain = chain;
  }

  answer(body: string): NodeAnswer {
    const id = PLAIN_CALL.exec(body)?.[1];
    if (id !== undefined) {
      this.#count(1);
      return encodeResult(id, `"${CALL_RESULT}"`);
    }
    const parsed = JSON.parse(body) as Call | Call[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    this.#count(calls.filter((call) => !isOfHead(call)).length);
    if (!Array.isArray(parsed)) return this.#answerCall(parsed);
    return `[${parsed.map((call) => [this.#answerCall(call)].flat().join('')).join()}]`;
  }

  #count(items: number): void {
    this.counts.items += items;
    if (items > 0) this.counts.requests++;
  }

  #answerCall(call: Call): NodeAnswer {
    const id = JSON.stringify(call.id);
    const [first, isWhole] = call.params;
    switch (call.method) {
      case 'eth_call':
        return encodeResult(id, `"${CALL_RESULT}"`);
      case 'eth_chainId':
        return encodeResult(id, `"0x${CHAIN_ID.toString(16)}"`);
      case 'net_version':
        return encodeResult(id, `"${CHAIN_ID}"`);
      case 'web3_clientVersion':
        return encodeResult(id, '"Geth/v1.17.8-stable/linux-amd64/go1.25.1"');
      case 'eth_syncing':
        return encodeResult(id, 'false');
      case 'eth_blockNumber':
        return encodeResult(id, `"0x${this.#chain.head.toString(16)}"`);
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const block = this.#chain.find(first);
        const whole = isWhole === true ? block?.whole : undefined;
        return whole === undefined ? encodeResult(id, block?.json ?? 'null') : encodeBytes(id, whole);
      }
      case 'eth_getBlockReceipts':
        return encodeBytes(id, this.#chain.find(first)?.receipts);
      case 'eth_getBalance':
        return encodeResult(id, '"0x2a"');
      case 'eth_getLogs':
        return encodeResult(id, JSON.stringify(this.#listLogs(first as LogRange)));
      case 'eth_subscribe':
        return encodeResult(id, '"0x1"');
      default: {
        const message = `the method ${call.method} does not exist/is not available`;
        return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"${message}"}}`;
      }
    }
  }

  /** Lists all logs of a block, or of the blocks of a range, and ignores all other criteria. */
  #listLogs({ blockHash, fromBlock = 'latest', toBlock = 'latest' }: LogRange): readonly unknown[] {
    const numberOf = (block: string): number => (block.startsWith('0x') ? Number(block) : this.#chain.head);
    const references: unknown[] = blockHash === undefined ? [] : [{ blockHash }];
    if (blockHash === undefined) {
      for (let at = numberOf(fromBlock); at <= numberOf(toBlock); at++)
        references.push(`0x${at.toString(16)}`);
    }
    return references.flatMap((reference) => {
      const receipts = JSON.parse(String(this.#chain.find(reference)?.receipts ?? '[]'));
      return (receipts as { readonly logs: readonly unknown[] }[]).flatMap(({ logs }) => logs);
    });
  }
}

type LogRange = { readonly blockHash?: string; readonly fromBlock?: string; readonly toBlock?: string };

function encodeBytes(id: string, bytes: Buffer | undefined): NodeAnswer {
  return bytes === undefined
    ? encodeResult(id, 'null')
    : [`{"jsonrpc":"2.0","id":${id},"result":`, bytes, '}'];
}

function encodeResult(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** Whether a call follows the head: it reads a block by tag, or the node's own state. */
function isOfHead({ method, params }: Call): boolean {
  if (HEAD_METHODS.has(method)) return true;
  const isTag = typeof params[0] === 'string' && !params[0].startsWith('0x');
  return method === 'eth_getBlockByNumber' && isTag;
}
