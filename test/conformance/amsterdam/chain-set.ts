/** A chain as a set of test data: a genesis file and blocks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';

export type ChainSet = {
  /** A geth genesis file, parsed. */
  readonly genesis: Readonly<Record<string, unknown>>;
  /** RLP of each block after block 0. */
  readonly blocks: readonly Uint8Array[];
  /** Number of the first block of Amsterdam. */
  readonly firstAmsterdam: number;
};

/** Chain that geth made from seed 1; `run-amsterdam.ts --write` writes it. */
export const COMMITTED_SET: string = resolve(
  import.meta.dirname,
  '../../../../test/conformance/amsterdam/chain.json.gz',
);

export function readChainSet(path: string): ChainSet {
  const { genesis, blocks, firstAmsterdam } = JSON.parse(gunzipSync(readFileSync(path)).toString());
  return { genesis, blocks: (blocks as string[]).map(hexToBytes), firstAmsterdam };
}

export function writeChainSet(path: string, { genesis, blocks, firstAmsterdam }: ChainSet): void {
  const text = JSON.stringify({ firstAmsterdam, genesis, blocks: blocks.map(bytesToHex) });
  writeFileSync(path, gzipSync(text, { level: 9 }));
}
