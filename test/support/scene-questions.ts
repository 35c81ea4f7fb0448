/** Requests about the scene, and their true answers. */

import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { encodeCall } from '../../scripts/chains/encode-call.ts';
import { encodeErrorString, encodePanic, encodeWords } from '../../scripts/contracts/abi.ts';
import { REFUSED_CODE, REVERT_REASON } from '../../scripts/contracts/reverter.ts';
import { type Anvil, NodeAnswerError } from './anvil.ts';
import {
  EMPTY_BLOCK,
  encodeTransfer,
  FAILED_TRANSACTION_BLOCK,
  FULL_BLOCK,
  HEAD_NUMBER,
  type Scene,
} from './scene.ts';

/** Required content of a response; an error's message is free where it is not given. */
export type Expected =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message?: string; readonly data?: string } };

export type Request = {
  /** Method and distinguishing detail of the case. */
  readonly label: string;
  readonly method: string;
  readonly params: readonly unknown[];
};

export type AnsweredQuestion = Request & { readonly expected: Expected };

/** Number of a block that neither the scene nor any chain built on it here has. */
const UNKNOWN_BLOCK = '0xffff';
const SOME_BLOCK = 9;

/** Cases where the answers of nodes differ or are wrong; `expected` is geth's answer. */
type Rule = Request & { readonly expected?: Expected };

function listRules(scene: Scene): Rule[] {
  const { accounts, token, reverter, blockHashes } = scene;
  const [alice = '', bob = ''] = accounts;
  const number = (value: number): string => encodeQuantity(BigInt(value));
  const balance = {
    from: alice,
    to: token,
    data: bytesToHex(encodeCall('balanceOf(address)', hexToBytes(bob))),
  };
  const transfer = { from: alice, to: token, data: encodeTransfer(bob, 5n) };
  const run = (signature: string): object => ({
    from: alice,
    to: reverter,
    data: bytesToHex(encodeCall(signature)),
  });
  const reverted = (data: Uint8Array, reason?: string): Expected => {
    const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
    return { error: { code: 3, message, data: bytesToHex(data) } };
  };
  const nothing: Expected = { result: null };
  const refusedData = encodeWords('Refused(address,uint256)', BigInt(alice), REFUSED_CODE);
  const reason = reverted(encodeErrorString(REVERT_REASON), REVERT_REASON);
  const hash = blockHashes[SOME_BLOCK];
  return [
    { label: 'latest', method: 'eth_call', params: [balance, 'latest'] },
    { label: 'old block', method: 'eth_call', params: [balance, number(FULL_BLOCK)] },
    { label: 'head by number', method: 'eth_call', params: [balance, number(HEAD_NUMBER)] },
    { label: 'finalized', method: 'eth_call', params: [balance, 'finalized'] },
    { label: 'by hash', method: 'eth_call', params: [balance, { blockHash: hash }] },
    { label: 'reason', method: 'eth_call', params: [run('revertString()'), 'latest'], expected: reason },
    {
      label: 'panic',
      method: 'eth_call',
      params: [run('panicOverflow()'), 'latest'],
      expected: reverted(encodePanic(0x11n), 'arithmetic underflow or overflow'),
    },
    {
      label: 'custom error',
      method: 'eth_call',
      params: [run('revertCustom()'), number(SOME_BLOCK)],
      expected: reverted(refusedData),
    },
    {
      label: 'empty revert',
      method: 'eth_call',
      params: [run('revertEmpty()'), 'latest'],
      expected: reverted(new Uint8Array()),
    },
    {
      label: 'unknown block',
      method: 'eth_call',
      params: [balance, UNKNOWN_BLOCK],
      expected: { error: { code: -32000 } },
    },
    { label: 'no block', method: 'eth_estimateGas', params: [transfer] },
    { label: 'latest', method: 'eth_estimateGas', params: [transfer, 'latest'] },
    { label: 'old block', method: 'eth_estimateGas', params: [transfer, number(SOME_BLOCK)] },
    {
      label: 'reason',
      method: 'eth_estimateGas',
      params: [run('revertString()'), 'latest'],
      expected: reason,
    },
    { label: 'full', method: 'eth_getBlockReceipts', params: [number(FULL_BLOCK)] },
    { label: 'a failed one', method: 'eth_getBlockReceipts', params: [number(FAILED_TRANSACTION_BLOCK)] },
    { label: 'empty', method: 'eth_getBlockReceipts', params: [number(EMPTY_BLOCK)] },
    { label: 'latest', method: 'eth_getBlockReceipts', params: ['latest'] },
    { label: 'finalized', method: 'eth_getBlockReceipts', params: ['finalized'] },
    { label: 'by hash', method: 'eth_getBlockReceipts', params: [hash] },
    { label: 'unknown block', method: 'eth_getBlockReceipts', params: [UNKNOWN_BLOCK], expected: nothing },
    ...[
      { label: 'found', params: [number(2), '0x1'] },
      { label: 'one of many', params: [number(FULL_BLOCK), '0x11'] },
      { label: 'latest', params: ['latest', '0x0'] },
      { label: 'past the end', params: [number(2), '0x9'], expected: nothing },
      { label: 'empty block', params: [number(EMPTY_BLOCK), '0x0'], expected: nothing },
      { label: 'unknown block', params: [UNKNOWN_BLOCK, '0x0'], expected: nothing },
    ].map((rule) => ({ ...rule, method: 'eth_getTransactionByBlockNumberAndIndex' })),
    ...[
      { label: 'after the merge', params: [number(2), '0x0'], expected: nothing },
      { label: 'latest', params: ['latest', '0x0'], expected: nothing },
      { label: 'unknown block', params: [UNKNOWN_BLOCK, '0x0'], expected: nothing },
    ].map((rule) => ({ ...rule, method: 'eth_getUncleByBlockNumberAndIndex' })),
    {
      label: 'head',
      method: 'eth_blockNumber',
      params: [],
      expected: { result: number(HEAD_NUMBER) },
    },
    { label: 'id', method: 'eth_chainId', params: [] },
    { label: 'latest', method: 'eth_getTransactionCount', params: [alice, 'latest'] },
  ];
}

/** All requests with their answers: the node's own results, and errors in geth's words. */
export async function askScene(scene: Scene, node: Anvil): Promise<AnsweredQuestion[]> {
  const answered: AnsweredQuestion[] = [];
  for (const { label, method, params, expected } of listRules(scene)) {
    answered.push({
      label: `${method} ${label}`,
      method,
      params,
      expected: expected ?? (await ask(node, method, params)),
    });
  }
  return answered;
}

async function ask(node: Anvil, method: string, params: readonly unknown[]): Promise<Expected> {
  try {
    return { result: await node.request(method, ...params) };
  } catch (error) {
    if (!(error instanceof NodeAnswerError)) throw error;
    return { error: { code: error.code } };
  }
}

/**
 * Varies the calldata of a request without changing its answer, where the method allows it: contracts ignore bytes after their arguments,
 * caches and in-flight requests do not.
 */
export function rephrase<Q extends Request>(question: Q, nonce: number): Q {
  const [call, ...rest] = question.params;
  if (nonce === 0 || question.method !== 'eth_call') return question;
  const { data, ...fields } = call as { data: string };
  const suffix = nonce.toString(16).padStart(64, '0');
  return { ...question, params: [{ ...fields, data: data + suffix }, ...rest] };
}
