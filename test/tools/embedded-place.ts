/** Imports the blocks of a geth into a store, which the program can serve as an embedded network. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';

/** Block producer of `geth --dev`, which geth adds to its dumped genesis. */
const DEVELOPER = {
  '71562b71999873db5b286df957af199ec94617f7': { balance: `0x${((1n << 256n) - 9n).toString(16)}` },
};

/**
 * @param geth path of the program that runs with `--dev`
 * @param getBlock reads a block as RLP, in hex
 * @returns the folder of the store, in `folder`
 */
export async function importFromGethDev(
  folder: string,
  geth: string,
  head: number,
  getBlock: (number: number) => Promise<string>,
): Promise<string> {
  const genesis = join(folder, 'genesis.json');
  const blocks = join(folder, 'blocks.rlp');
  const data = join(folder, 'store');
  mkdirSync(data);
  const dumped = execFileSync(geth, ['--dev', 'dumpgenesis'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const { alloc, ...rest } = JSON.parse(String(dumped)) as { readonly alloc: object };
  writeFileSync(genesis, JSON.stringify({ ...rest, alloc: { ...alloc, ...DEVELOPER } }));
  const texts: string[] = [];
  for (let number = 1; number <= head; number++) texts.push(await getBlock(number));
  writeFileSync(blocks, Buffer.concat(texts.map(hexToBytes)));
  await importChain({ genesis, blocks, data, seal: 'none' }, SILENT_PROGRESS);
  return data;
}
