/** First blocks of the committed chain across the Amsterdam fork, with all kinds of transactions. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import { decodeBlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { hashHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { COMMITTED_SET, readChainSet } from '../../../conformance/amsterdam/chain-set.ts';
import { importSet } from '../../../conformance/amsterdam/import-set.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

export type AmsterdamBlocks = {
  /** Paths of the genesis file, of the blocks after block 0, and of an engine API call that makes the last block geth's head. */
  readonly files: { readonly genesis: string; readonly blocks: string; readonly headCall: string };
  /** Number of the last block. */
  readonly last: number;
  readonly firstAmsterdam: number;
  /** Accounts that the genesis file has or a block accesses, with their slots. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  /** RLP by block number. */
  readonly accessLists: ReadonlyMap<number, Uint8Array>;
  close(): void;
};

/** @param count number of Amsterdam blocks */
export async function openAmsterdamBlocks(count: number): Promise<AmsterdamBlocks> {
  const { genesis, blocks: all, firstAmsterdam } = readChainSet(COMMITTED_SET);
  const blocks = all.slice(0, firstAmsterdam - 1 + count);
  const { accessLists } = await importSet({ genesis, blocks, firstAmsterdam });
  const folder = makeTemporaryFolder();
  const files = {
    genesis: join(folder.path, 'genesis.json'),
    blocks: join(folder.path, 'blocks.rlp'),
    headCall: join(folder.path, 'head.json'),
  };
  writeFileSync(files.genesis, JSON.stringify(genesis));
  writeFileSync(files.blocks, Buffer.concat(blocks));
  const head = bytesToHex(hashHeader(decodeBlock(blocks.at(-1) as Uint8Array).header));
  const state = { headBlockHash: head, safeBlockHash: head, finalizedBlockHash: head };
  const call = { jsonrpc: '2.0', id: 1, method: 'engine_forkchoiceUpdatedV3', params: [state, null] };
  writeFileSync(files.headCall, JSON.stringify(call));
  const keys = new Map<string, Set<string>>();
  const slotsOf = (address: string): Set<string> => {
    const slots = keys.get(address) ?? new Set();
    keys.set(address, slots);
    return slots;
  };
  const alloc = genesis['alloc'] as Readonly<Record<string, { storage?: object }>>;
  for (const [address, { storage = {} }] of Object.entries(alloc)) {
    const slots = slotsOf(`0x${address.replace(/^0x/, '').toLowerCase()}`);
    for (const slot of Object.keys(storage)) slots.add(`0x${slot.replace(/^0x/, '').padStart(64, '0')}`);
  }
  for (const list of accessLists.values())
    for (const { address, storageChanges, storageReads } of decodeBlockAccessList(list)) {
      const slots = slotsOf(bytesToHex(address));
      for (const slot of [...storageChanges.map((each) => each.slot), ...storageReads])
        slots.add(bytesToHex(slot));
    }
  return {
    files,
    last: blocks.length,
    firstAmsterdam,
    keys,
    accessLists,
    close: () => folder.remove(),
  };
}
