import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Genesis, parseGenesis } from '../chain/genesis.ts';
import { DEFAULT_DATA_DIR } from '../config/config.ts';
import { BlockError } from '../engine/import/block-error.ts';
import { BlockImporter, type Verification } from '../engine/import/block-importer.ts';
import { initializeStore } from '../engine/import/initialize-store.ts';
import { readBlocks } from '../engine/import/read-blocks.ts';
import type { SealCheck } from '../engine/import/validate-header.ts';
import { openChainWriter } from '../store/chain-writer.ts';
import { prepareLmdbFolder } from '../util/lmdb-folder.ts';
import type { ImportProgress } from './import-progress.ts';

const DEFAULT_STORE = `${DEFAULT_DATA_DIR}/chain`;

export const IMPORT_USAGE: string = `portcullis import --genesis FILE --blocks FILE[.gz] [--data DIR]
                  [--seal ethash-format|none] [--verify full|header|none]

Appends a file of RLP blocks to the chain stored in DIR (default ${DEFAULT_STORE}). Every block is validated and
executed, and every root is checked. An import that was cut off continues where it stopped.

  --genesis FILE   geth genesis file of the chain
  --blocks FILE    concatenated RLP blocks, optionally gzipped, optionally starting with block 0
  --data DIR       folder of the store
  --seal CHECK     ethash-format: proof-of-work difficulty follows the formula, seals may be anything (default)
                   none: difficulty may be anything as well
  --verify WHAT    full: headers, bodies, receipts, gas, and the state root of every block (default)
                   header: the same, but the state root only at the end of each commit (up to 512 blocks); a wrong
                   one refuses all that would have been committed
                   none: blocks are executed and nothing is compared but that each follows its parent; for files
                   that were checked before
`;

const SEAL_CHECKS: readonly SealCheck[] = ['ethash-format', 'none'];

/** The check that `--seal` names; undefined when there is none of that name. */
export function findSealCheck(name: string): SealCheck | undefined {
  return SEAL_CHECKS.find((check) => check === name);
}

const VERIFICATIONS: readonly Verification[] = ['full', 'header', 'none'];

function findVerification(name: string): Verification | undefined {
  return VERIFICATIONS.find((verification) => verification === name);
}

export type ImportOptions = {
  readonly genesis: string;
  readonly blocks: string;
  readonly data: string;
  readonly seal: SealCheck;
  /** Default `full`. */
  readonly verify?: Verification;
};

export type ImportSummary = {
  readonly headNumber: bigint;
  readonly headHash: string;
  readonly imported: number;
};

/** The `config` object as the store keeps it, with the terminal total difficulty in full digits. */
function configText(genesisText: string, { config }: Genesis): string {
  const json = JSON.parse(genesisText) as { config: Record<string, unknown> };
  const difficulty = config.terminalTotalDifficulty;
  return JSON.stringify({
    ...json.config,
    ...(difficulty !== undefined && { terminalTotalDifficulty: difficulty.toString() }),
  });
}

/** @throws Error naming the file and what is wrong with it */
function readGenesis(file: string): { readonly genesisText: string; readonly genesis: Genesis } {
  try {
    const genesisText = readFileSync(file, 'utf8');
    return { genesisText, genesis: parseGenesis(genesisText) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a folder' : message;
    throw new Error(`${file}: ${reason}`);
  }
}

/**
 * Brings a store up to the end of a block file.
 * @throws BlockError for a block that does not fit; what came before it is stored
 */
export async function importChain(options: ImportOptions, progress: ImportProgress): Promise<ImportSummary> {
  const { genesisText, genesis } = readGenesis(options.genesis);
  prepareLmdbFolder(options.data);
  const writer = openChainWriter(options.data);
  let imported = 0;
  try {
    initializeStore(writer, genesis, configText(genesisText, genesis));
    const importer = new BlockImporter(writer, options.seal, options.verify);
    progress.start(statSync(options.blocks).size);
    try {
      for await (const { encoded, bytesRead } of readBlocks(options.blocks)) {
        const { kind, block } = await importer.import(encoded);
        if (kind === 'imported') imported++;
        progress.advance(block, kind, bytesRead);
      }
    } finally {
      importer.commit();
      progress.stop();
    }
    return { headNumber: importer.headNumber, headHash: importer.headHash, imported };
  } finally {
    await writer.close();
  }
}

/** `portcullis import`. @returns the exit code */
export async function runImport(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      genesis: { type: 'string' },
      blocks: { type: 'string' },
      data: { type: 'string', default: DEFAULT_STORE },
      seal: { type: 'string', default: 'ethash-format' },
      verify: { type: 'string', default: 'full' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(IMPORT_USAGE);
    return 0;
  }
  const seal = findSealCheck(values.seal);
  const verify = findVerification(values.verify);
  const { genesis, blocks } = values;
  if (genesis === undefined || blocks === undefined || seal === undefined || verify === undefined) {
    process.stderr.write(`${IMPORT_USAGE}`);
    return 2;
  }
  for (const file of [genesis, blocks]) {
    if (!existsSync(file)) {
      process.stderr.write(`portcullis: no such file: ${file}\n`);
      return 1;
    }
  }
  const options = { genesis, blocks, data: values.data, seal, verify };
  const { createImportBar } = await import('./import-bar.ts');
  try {
    const { headNumber, headHash, imported } = await importChain(options, createImportBar(process.stderr));
    process.stdout.write(`imported ${imported} blocks; head is block ${headNumber} ${headHash}\n`);
    return 0;
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(
      error instanceof BlockError ? `portcullis: refused: ${message}\n` : `portcullis: ${message}\n`,
    );
    return 1;
  }
}
