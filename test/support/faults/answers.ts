/** False answers of a node. */
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { sendToNode } from './ask-node.ts';
import type { Answer, AskNode, Call } from './fault.ts';

type AnswerFault = (call: Call, ask: AskNode) => Promise<Answer>;

/** Methods that a gateway calls to learn about the node, not for a caller. */
const HEALTH_METHODS: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_chainId',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_subscribe',
  'eth_syncing',
  'eth_unsubscribe',
  'net_version',
  'web3_clientVersion',
]);

const HASH_LENGTH = 66;

/** Whether a call is made for a caller; heads, chain id and blocks stay unchanged. */
export function isCallersCall({ method }: Call): boolean {
  return !HEALTH_METHODS.has(method);
}

/** Takes every answer from another node. */
export function answerFrom(url: string): AnswerFault {
  return (call) => sendToNode(url, call);
}

/** Answers `null` wherever a block has to be looked up by its number. */
export const sayNullForBlocks: AnswerFault = async (call, ask) => {
  const answer = await ask(call);
  const [block] = call.params;
  const isLookUp = /^eth_get(Block|Transaction|Uncle)/.test(call.method) && /^0x/.test(String(block));
  return isLookUp ? { result: null } : answer;
};

export const sayNull: AnswerFault = async () => ({ result: null });

/** Answers no receipts for blocks that have some. */
export const sayNoReceipts: AnswerFault = async (call, ask) => {
  const answer = await ask(call);
  const hasReceipts = call.method === 'eth_getBlockReceipts' && 'result' in answer && answer.result !== null;
  return hasReceipts ? { result: [] } : answer;
};

/** Reports a head that is too high, of blocks that no node has. @param timestamp of that block, Unix seconds; the true one's by default */
export function claimHead(blocks: bigint, timestamp?: () => bigint): AnswerFault {
  return async (call, ask) => {
    const answer = await ask(call);
    if (!('result' in answer)) return answer;
    if (call.method === 'eth_blockNumber') {
      return { result: encodeQuantity(BigInt(answer.result as string) + blocks) };
    }
    if (call.method !== 'eth_getBlockByNumber' || call.params[0] !== 'latest') return answer;
    const block = answer.result as { number: string; hash: string };
    const number = encodeQuantity(BigInt(block.number) + blocks);
    const claim = { ...block, number, hash: `0x${'ab'.repeat(32)}`, parentHash: `0x${'cd'.repeat(32)}` };
    return {
      result: timestamp === undefined ? claim : { ...claim, timestamp: encodeQuantity(timestamp()) },
    };
  };
}

/**
 * Serves consistent blocks on top of the node's head that only this node has, all with the timestamp of this call, Unix seconds. Requests
 * about the node's own blocks are answered truly.
 */
export function forgeBlocks(blocks: bigint, timestamp: bigint): AnswerFault {
  const hashOf = (number: bigint): string => `0x09${number.toString(16).padStart(62, '0')}`;
  return async (call, ask) => {
    const { method, params } = call;
    const answer = await ask({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    if (!('result' in answer)) return answer;
    const top = answer.result as { number: string; hash: string };
    const height = BigInt(top.number);
    const last = height + blocks;
    if (method === 'eth_blockNumber') return { result: encodeQuantity(last) };
    const wanted = readForgedNumber(params, height, last);
    if (wanted === undefined) return ask(call);
    if (!method.startsWith('eth_getBlockBy')) return { result: `0x${'ff'.repeat(32)}` };
    const hash = hashOf(wanted);
    const parentHash = wanted === height + 1n ? top.hash : hashOf(wanted - 1n);
    const numbers = { number: encodeQuantity(wanted), timestamp: encodeQuantity(timestamp) };
    return { result: { ...top, ...numbers, hash, parentHash } };
  };
}

/** Finds the forged block that a call names anywhere in its parameters; undefined for any other block. */
function readForgedNumber(params: readonly unknown[], height: bigint, last: bigint): bigint | undefined {
  const names = params.flatMap((param) =>
    typeof param === 'object' && param !== null ? Object.values(param as object) : [param],
  );
  for (const name of names) {
    if (name === 'latest' || name === 'pending') return last;
    const isNumber = typeof name === 'string' && /^0x([\da-f]{1,8}|09[\da-f]{62})$/.test(name);
    const number = isNumber ? BigInt(name.length < HASH_LENGTH ? name : `0x${name.slice(4)}`) : 0n;
    if (number > height && number <= last) return number;
  }
  return undefined;
}

/** Answers every call with the same error. */
export function sayError(code: number, message: string): AnswerFault {
  return async () => ({ error: { code, message } });
}

/** Reports that it syncs to the node's head; `behind` answers all other calls. */
export function saySyncing(behind: AnswerFault): AnswerFault {
  return async (call, ask) => {
    if (call.method !== 'eth_syncing') return behind(call, ask);
    const [latest, current] = await Promise.all(
      [ask, (call: Parameters<AskNode>[0]) => behind({ id: 0, ...call }, ask)].map((say) =>
        say({ method: 'eth_blockNumber', params: [] }),
      ),
    );
    const read = (answer: Answer | undefined): unknown =>
      answer !== undefined && 'result' in answer ? answer.result : undefined;
    return { result: { startingBlock: '0x0', currentBlock: read(current), highestBlock: read(latest) } };
  };
}
