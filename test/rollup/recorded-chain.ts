/** A recorded node as a chain, without a network between: answers can be changed one by one. */
import { decodeBlockReference } from '../../src/chain/block-reference.ts';
import type { Chain, HeaderView } from '../../src/chain/chain.ts';
import { UNSUPPORTED } from '../../src/chain/errors.ts';
import type { BlockReference } from '../../src/chain/requests.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { makeBlock, type Params } from '../support/served-node.ts';
import { HEIGHT, type RecordedFamily } from './recorded-nodes.ts';

type Answer = (params: Params) => unknown;
export type Answers = Readonly<Record<string, Answer | undefined>>;

function tellBlock([reference]: Params): unknown {
  const text = String(reference);
  if (text === 'latest' || text === 'pending') return makeBlock(HEIGHT);
  return makeBlock(text === 'safe' || text === 'finalized' ? HEIGHT - 10 : Number(text));
}

/** Linea's contract on the chain that returns the number of messages from layer 1. */
export const MESSAGE_SERVICE: string = `0x${'11'.repeat(20)}`;
const MESSAGES = `0x${(4_111).toString(16).padStart(64, '0')}`;

function answerMessageService([call]: Params): string {
  return (call as { readonly to: string }).to === MESSAGE_SERVICE ? MESSAGES : '0x';
}

/** All answers of a node of the family, with defaults where the record has none. */
export function listAnswers({ answers }: RecordedFamily): Answers {
  return {
    eth_getBlockByNumber: tellBlock,
    eth_call: answerMessageService,
    eth_syncing: () => false,
    ...answers,
  };
}

function viewOf(block: Readonly<Record<string, unknown>>): HeaderView {
  const integer = (name: string): bigint => BigInt(String(block[name]));
  return {
    number: integer('number'),
    hash: String(block['hash']),
    timestamp: integer('timestamp'),
    gasLimit: integer('gasLimit'),
    ...(block['baseFeePerGas'] !== undefined && { baseFeePerGas: integer('baseFeePerGas') }),
    extraData: String(block['extraData']),
  };
}

function name(block: BlockReference): string {
  if (block.kind === 'tag') return block.tag;
  return block.kind === 'number'
    ? `0x${block.number.toString(16)}`
    : `0x${BigInt(block.hash).toString(16).slice(-6)}`;
}

const nameGiven = (block: unknown): unknown =>
  block === 'l1_committed' ? block : name(decodeBlockReference(block));

export function createRecordedChain(answers: Answers, chainId = 1): Chain {
  const say = (method: string, ...params: Params): unknown => {
    const answer = answers[method];
    return answer === undefined ? UNSUPPORTED : answer(params);
  };
  return createFakeChain({
    chainId: BigInt(chainId),
    execution: {
      call: async ({ call, block }) => JSON.stringify(say('eth_call', call, name(block))),
      estimateGas: async ({ call }) => JSON.stringify(say('eth_estimateGas', call)),
    },
    blocks: {
      getHeader: async (block) =>
        viewOf(say('eth_getBlockByNumber', name(block)) as Readonly<Record<string, unknown>>),
    },
    state: { getTransactionCount: async () => JSON.stringify(say('eth_getTransactionCount')) },
    fees: {
      getGasPrice: async () => orNone(say('eth_gasPrice')),
      getPriorityFee: async () => orNone(say('eth_maxPriorityFeePerGas')),
      getFeeHistory: async () => orNone(say('eth_feeHistory')),
    },
    request: async (method, params) => {
      const at = method === 'eth_getBlockByNumber' ? [nameGiven(params[0]), ...params.slice(1)] : params;
      const answer = say(method, ...at);
      return answer === UNSUPPORTED ? UNSUPPORTED : JSON.stringify(answer);
    },
  });
}

function orNone(answer: unknown): string | null {
  return answer === UNSUPPORTED ? null : JSON.stringify(answer);
}
