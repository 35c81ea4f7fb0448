/** Lies: one changed answer, or a block forged in all answers about it. */

import { RlpWriter } from '../../packages/ethereum/primitives/rlp-writer.ts';
import type { Members } from '../../packages/proofs/findings.ts';
import { hashEthereumHeader } from '../../packages/proofs/hash-header.ts';
import { isMembers } from '../../packages/proofs/members.ts';
import type { Answer } from '../support/faults/fault.ts';
import type { Change } from './json-changes.ts';
import type { Lie } from './lied-network.ts';
import { keyOf, type Request } from './truth.ts';

const FORGED_ROOT = `0x${'0f'.repeat(32)}`;

/** A lie that changes the answer to one request. */
export function changeAnswer(about: Request, change: Change): Lie {
  const key = keyOf(about);
  return async (request, ask) => {
    const answer = await ask(request);
    return keyOf(request) === key && 'result' in answer ? { result: change.apply(answer.result) } : answer;
  };
}

/**
 * Forges the state root of one block, and the hash that follows, in all answers: nothing about that block is inconsistent.
 * @param changes header members that are changed instead of the state root
 * @returns undefined where the block's hash is not that of Ethereum's form
 */
export function forgeBlock(
  block: Members,
  changes: Members = { stateRoot: FORGED_ROOT },
): { readonly lie: Lie; readonly hash: string } | undefined {
  const writer = new RlpWriter();
  const hash = String(block['hash']);
  if (hashEthereumHeader(block, writer) !== hash) return undefined;
  const forged = String(hashEthereumHeader({ ...block, ...changes }, writer));
  const rewrite = (value: unknown): unknown => {
    if (value === hash) return forged;
    if (Array.isArray(value)) return value.map(rewrite);
    if (!isMembers(value)) return value;
    const isBlock = value['hash'] === hash && 'parentHash' in value;
    const changed = Object.entries(value).map(([name, item]) => [name, rewrite(item)]);
    return { ...Object.fromEntries(changed), ...(isBlock && changes) };
  };
  const lie: Lie = async ({ method, params }, ask) => {
    const text = JSON.stringify(params).replaceAll(forged, hash);
    const answer: Answer = await ask({ method, params: JSON.parse(text) as unknown[] });
    return 'result' in answer ? { result: rewrite(answer.result) } : answer;
  };
  return { lie, hash: forged };
}
