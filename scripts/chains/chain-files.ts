import { gzipSync } from 'node:zlib';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import type { DevelopmentChain } from './development-chain.ts';
import { buildDevnet } from './devnet.ts';
import { describeChains } from './facts.ts';
import { buildOpRollup } from './op-rollup.ts';
import { renderReadme } from './readme.ts';
import { buildRollup } from './rollup.ts';

/** RFC 1952: the byte that names the operating system, and its value for "unknown". */
const GZIP_SYSTEM_OFFSET = 9;
const GZIP_UNKNOWN_SYSTEM = 255;

/** Packs all blocks but genesis, in order. Node leaves the modification time of a gzip header at 0. */
function packBlocks({ blocks }: DevelopmentChain): Uint8Array {
  const packed = gzipSync(concatBytes(...blocks.slice(1).map(({ block }) => encodeBlock(block))), {
    level: 9,
  });
  packed[GZIP_SYSTEM_OFFSET] = GZIP_UNKNOWN_SYSTEM;
  return packed;
}

/** Returns the contents of every file of the folder `chains`, by path in it. They are the same on every run. */
export async function generateChainFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const devnet = await buildDevnet();
  const chains = { devnet, rollup: await buildRollup(), 'op-rollup': await buildOpRollup(devnet) };
  const facts = describeChains(chains);
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  const chainFiles = Object.entries(chains).flatMap(([name, chain]): [string, Uint8Array][] => [
    [`${name}/genesis.json`, text(chain.genesis)],
    [`${name}/blocks.rlp.gz`, packBlocks(chain)],
  ]);
  return new Map([
    ['README.md', text(renderReadme(facts, chains))],
    ['facts.json', text(`${JSON.stringify(facts, null, 2)}\n`)],
    ...chainFiles,
  ]);
}
