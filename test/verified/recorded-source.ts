import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import type { Members } from '../../packages/proofs/findings.ts';
import { isMembers } from '../../packages/proofs/members.ts';
import type { Sample } from '../packages/proofs/samples.ts';
import type { Answer } from '../support/faults/fault.ts';
import type { Request, Truth } from './truth.ts';

const MISSING: Answer = { error: { code: -32601, message: 'the method does not exist' } };

/** A node that has only one recorded block, which is its head. */
export function replaySample({ family, name, block, receipts }: Sample): Truth {
  const transactions = (block['transactions'] ?? []) as readonly Members[];
  const own = new Set([block['number'], 'latest', 'safe', 'finalized']);
  const giveBlock = (isWhole: unknown): unknown =>
    isWhole === true
      ? block
      : { ...block, transactions: transactions.map((each) => (isMembers(each) ? each['hash'] : each)) };
  const isOwn = ([reference]: Request['params']): boolean =>
    own.has(reference) || String(reference).toLowerCase() === String(block['hash']).toLowerCase();
  const answers: Readonly<Record<string, (params: Request['params']) => unknown>> = {
    // Chain id of no known chain, distinct for each sample.
    eth_chainId: () => `0x1${bytesToHex(keccak256(Buffer.from(name)).subarray(0, 4)).slice(2)}`,
    web3_clientVersion: () => 'recorded/1',
    eth_syncing: () => false,
    eth_blockNumber: () => block['number'],
    eth_getBlockByNumber: ([reference, isWhole]) => (isOwn([reference]) ? giveBlock(isWhole) : null),
    eth_getBlockByHash: ([reference, isWhole]) => (isOwn([reference]) ? giveBlock(isWhole) : null),
    eth_getTransactionByHash: ([hash]) =>
      transactions.find((each) => isMembers(each) && each['hash'] === hash) ?? null,
    eth_getTransactionByBlockNumberAndIndex: ([reference, index]) =>
      isOwn([reference]) ? (transactions[Number(index)] ?? null) : null,
    eth_getTransactionByBlockHashAndIndex: ([reference, index]) =>
      isOwn([reference]) ? (transactions[Number(index)] ?? null) : null,
    ...(receipts !== undefined && {
      eth_getBlockReceipts: ([reference]) => (isOwn([reference]) ? receipts : null),
      eth_getTransactionReceipt: ([hash]) =>
        receipts.find((each) => each['transactionHash'] === hash) ?? null,
    }),
  };
  return {
    name: `${family} ${name}`,
    isRecorded: true,
    hasUncoveredFees: family === 'substrate-frontier',
    ask: ({ method, params }) => {
      const answer = answers[method];
      return Promise.resolve(answer === undefined ? MISSING : { result: answer(params) });
    },
    close: () => Promise.resolve(),
  };
}
