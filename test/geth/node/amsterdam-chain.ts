/** A chain that crosses the Amsterdam fork, executed by geth's state transition. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBlock } from '../../../packages/ethereum/codecs/block.ts';
import { hashHeader } from '../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { makeChain } from '../../conformance/amsterdam/make-chain.ts';
import { KEY_ADDRESSES, KEYS } from '../../fuzz/blocks/block-case.ts';
import { SENDERS } from '../../fuzz/blocks/block-state.ts';
import type { ComparedChain } from '../sides.ts';

const CHAIN = { seed: 11, blocks: 40, firstAmsterdam: 6 };

/** Writes the chain's files into a folder. */
export async function buildAmsterdamChain(
  folder: string,
): Promise<ComparedChain & { readonly accounts: string }> {
  const { genesis, blocks } = await makeChain(CHAIN);
  const files = {
    genesis: join(folder, 'genesis.json'),
    blocks: join(folder, 'blocks.rlp'),
    headCall: join(folder, 'head.json'),
    accounts: join(folder, 'accounts.json'),
  };
  writeFileSync(files.genesis, JSON.stringify(genesis));
  writeFileSync(files.blocks, Buffer.concat(blocks));
  const head = bytesToHex(hashHeader(decodeBlock(blocks.at(-1) as Uint8Array).header));
  const state = { headBlockHash: head, safeBlockHash: head, finalizedBlockHash: head };
  const call = { jsonrpc: '2.0', id: 1, method: 'engine_forkchoiceUpdatedV3', params: [state, null] };
  writeFileSync(files.headCall, JSON.stringify(call));
  const keys = KEY_ADDRESSES.slice(0, SENDERS).map((address, key) => [
    address,
    { key: bytesToHex(KEYS[key] as Uint8Array) },
  ]);
  writeFileSync(files.accounts, JSON.stringify(Object.fromEntries(keys)));
  return files;
}
