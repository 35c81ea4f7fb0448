/** A node that lags: its answers are consistent for the part of the chain that it has. */
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Answer, AskNode, Call } from './fault.ts';

/** Index of the block parameter by method. */
const BLOCK_POSITIONS: ReadonlyMap<string, number> = new Map([
  ['eth_call', 1],
  ['eth_estimateGas', 1],
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_getTransactionCount', 1],
  ['eth_getBlockByHash', 0],
  ['eth_getBlockByNumber', 0],
  ['eth_getBlockReceipts', 0],
  ['eth_getBlockTransactionCountByNumber', 0],
  ['eth_getTransactionByBlockNumberAndIndex', 0],
  ['eth_getUncleByBlockNumberAndIndex', 0],
  ['eth_getUncleCountByBlockNumber', 0],
]);
const STATE_METHODS: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getCode',
  'eth_getTransactionCount',
]);
/** Distance of a tag from the head of the scene's nodes, blocks. */
const TAG_DISTANCES: Readonly<Record<string, bigint>> = { latest: 0n, pending: 0n, safe: 2n, finalized: 4n };
const HASH_LENGTH = 66;

/** Answers as the node would have answered `readLag()` blocks ago. */
export function lagBehind(readLag: () => bigint): (call: Call, ask: AskNode) => Promise<Answer> {
  return async (call, ask) => {
    const head = (await readHead(ask)) - readLag();
    if (call.method === 'eth_blockNumber') return { result: encodeQuantity(head) };
    const position = BLOCK_POSITIONS.get(call.method);
    if (position === undefined) return ask(call);
    const wanted = call.params[position] ?? 'latest';
    const block = await resolveBlock(wanted, head, ask);
    if (block === undefined || block > head) return describeUnknown(call.method);
    const isTag = typeof wanted === 'string' && wanted in TAG_DISTANCES;
    return ask(isTag ? { ...call, params: call.params.with(position, encodeQuantity(block)) } : call);
  };
}

async function readHead(ask: AskNode): Promise<bigint> {
  const answer = await ask({ method: 'eth_blockNumber', params: [] });
  if ('error' in answer) throw new Error(answer.error.message);
  return BigInt(answer.result as string);
}

async function resolveBlock(wanted: unknown, head: bigint, ask: AskNode): Promise<bigint | undefined> {
  const { blockHash, blockNumber } = (typeof wanted === 'object' ? wanted : {}) as Record<string, string>;
  const block = blockHash ?? blockNumber ?? String(wanted);
  if (block === 'earliest') return 0n;
  const distance = TAG_DISTANCES[block];
  if (distance !== undefined) return head > distance ? head - distance : 0n;
  if (block.length < HASH_LENGTH) return BigInt(block);
  const answer = await ask({ method: 'eth_getBlockByHash', params: [block, false] });
  const found = 'result' in answer ? (answer.result as { number: string } | null) : null;
  return found === null ? undefined : BigInt(found.number);
}

function describeUnknown(method: string): Answer {
  if (!STATE_METHODS.has(method)) return { result: null };
  return { error: { code: -32000, message: 'header not found' } };
}
