/** Imports a chain, compares everything that its headers commit to, and counts its contents. */

import { decodeBlock } from '../../../packages/ethereum/codecs/block.ts';
import { decodeStoredReceipts } from '../../../packages/ethereum/codecs/receipt.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { sha256 } from '../../../packages/ethereum/primitives/sha256.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS } from '../../../scripts/contracts/builder-contracts.ts';
import type { ChainSet } from './chain-set.ts';
import { openImporter } from './open-importer.ts';

const TRANSFER_EMITTER = '0xfffffffffffffffffffffffffffffffffffffffe';
const NO_REQUESTS: string = bytesToHex(sha256(new Uint8Array(0)));

export type SetFigures = {
  readonly blocks: number;
  readonly amsterdamBlocks: number;
  /** Transactions of each type, 0 to 4. */
  readonly types: readonly number[];
  readonly failed: number;
  readonly creations: number;
  readonly failedCreations: number;
  readonly transferLogs: number;
  /** Logs of the two request contracts of EIP-8282. */
  readonly builderDeposits: number;
  readonly builderExits: number;
  readonly blocksWithRequests: number;
  readonly headHash: string;
};

export type ImportedSet = {
  readonly figures: SetFigures;
  /** RLP by block number; blocks of Osaka have none. */
  readonly accessLists: ReadonlyMap<number, Uint8Array>;
};

/** @throws BlockError naming the first block that is refused, and why */
export async function importSet(set: ChainSet): Promise<ImportedSet> {
  const { importer, reader, close } = openImporter(set);
  const types = [0, 0, 0, 0, 0];
  const counts = { failed: 0, creations: 0, failedCreations: 0, transferLogs: 0 };
  const requests = { builderDeposits: 0, builderExits: 0, blocksWithRequests: 0 };
  const accessLists = new Map<number, Uint8Array>();
  try {
    for (const encoded of set.blocks) importer.import(encoded);
    importer.commit();
    for (const [index, encoded] of set.blocks.entries()) {
      const number = BigInt(index + 1);
      const { header, transactions } = decodeBlock(encoded);
      const list = reader.getAccessList(number);
      if (list !== undefined) accessLists.set(index + 1, list);
      if (bytesToHex(header.requestsHash as Uint8Array) !== NO_REQUESTS) requests.blocksWithRequests++;
      const receipts = decodeStoredReceipts(reader.getReceipts(number) as Uint8Array);
      for (const [place, { outcome, logs }] of receipts.entries()) {
        const tx = transactions[place] as (typeof transactions)[number];
        const hasFailed = outcome === 0n;
        types[tx.type] = (types[tx.type] as number) + 1;
        if (hasFailed) counts.failed++;
        if (tx.to === undefined) counts.creations++;
        if (tx.to === undefined && hasFailed) counts.failedCreations++;
        for (const { address } of logs) {
          const emitter = bytesToHex(address);
          if (emitter === TRANSFER_EMITTER) counts.transferLogs++;
          if (emitter === BUILDER_DEPOSITS.address) requests.builderDeposits++;
          if (emitter === BUILDER_EXITS.address) requests.builderExits++;
        }
      }
    }
    const figures = {
      blocks: set.blocks.length,
      amsterdamBlocks: accessLists.size,
      types,
      ...counts,
      ...requests,
      headHash: importer.headHash,
    };
    return { figures, accessLists };
  } finally {
    await close();
  }
}
