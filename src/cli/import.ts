import { join } from 'node:path';
import type { SealCheck } from '../chains/embedded/import/validate-header.ts';
import { MAX_CALL_MEMORY } from '../chains/embedded/options.ts';
import { DEFAULT_DATA_DIR } from '../config/config.ts';
import { type Command, createCommand } from '../service/command.ts';
import type { TextOption } from '../service/command-usage.ts';
import { describeChanges, IMPORT_CHECKS, importChain, reportStop, SEAL_CHECKS } from '../service/import.ts';
import { createImportBar } from '../service/import-bar.ts';
import { StopSignals } from '../service/stop-signals.ts';
import { countOf } from '../util/count-of.ts';

/** Option that selects the checks of seals. */
export const SEAL_OPTION: TextOption & {
  readonly choices: readonly SealCheck[];
  readonly default: SealCheck;
} = {
  value: 'CHECK',
  choices: SEAL_CHECKS,
  default: 'ethash-format',
  about:
    'ethash-format: proof-of-work difficulty must follow the formula, and seals are not checked; none: difficulty is not checked either',
};

const MiB = 1_024 * 1_024;

/** `portcullis import` */
export const importCommand: Command = createCommand({
  name: 'import',
  about: `Imports a chain into a store, which \`portcullis serve\` can serve.

    The command appends a file of RLP blocks to the chain stored in a folder. Every block is validated and executed, and every
    root is checked. An import that was interrupted, for example with Ctrl-C, continues where it stopped. A genesis file with
    further forks above the stored head replaces the configuration in the store.`,
  options: {
    genesis: { value: 'FILE', isRequired: true, about: 'geth genesis file of the chain' },
    blocks: {
      value: 'FILE',
      isRequired: true,
      about: 'concatenated RLP blocks, optionally gzipped, optionally starting with block 0',
    },
    data: {
      value: 'DIR',
      about: `folder of the store (default: chain below PORTCULLIS_DATA_DIR or ${DEFAULT_DATA_DIR})`,
    },
    seal: SEAL_OPTION,
    verify: {
      value: 'WHAT',
      choices: IMPORT_CHECKS,
      default: 'full',
      about:
        'full: headers, bodies, receipts, gas, and the state root of every block; header: the same, but the state root only ' +
        'at the end of each commit (up to 512 blocks), and a wrong root discards the whole commit; none: blocks are ' +
        'executed, and only their parent is checked, for files that were checked before',
    },
    'call-memory': {
      value: 'MIB',
      min: 1,
      max: MAX_CALL_MEMORY / MiB,
      about: 'maximum memory of the frames of one transaction, in MiB (default 256, at most 1024)',
    },
  },
  environment: { PORTCULLIS_DATA_DIR: 'folder of the default of --data' },
  examples: ['portcullis import --genesis genesis.json --blocks chain.rlp.gz --data ./data/mine'],
  exitCodes: {
    1: 'a file or a block was refused, with the reason on stderr; the blocks before it are stored',
    130: 'stopped by SIGINT (143 by SIGTERM, 129 by SIGHUP); the same command continues',
  },
  async run({ genesis, blocks, data: folder, seal, verify, 'call-memory': memory }) {
    const data = folder ?? join(process.env['PORTCULLIS_DATA_DIR'] || DEFAULT_DATA_DIR, 'chain');
    const signals = new StopSignals();
    try {
      const callMemory = memory === undefined ? {} : { callMemory: memory * MiB };
      const options = { genesis, blocks, data, seal, verify, ...callMemory };
      const summary = await importChain(options, createImportBar(process.stderr), signals.stop);
      process.stderr.write(describeChanges(summary));
      if (summary.isStopped === true) return reportStop(summary, signals);
      const { headNumber, headHash, imported } = summary;
      process.stdout.write(
        `imported ${countOf(imported, 'block')}; head is block ${headNumber} ${headHash}\n`,
      );
      return 0;
    } finally {
      signals.close();
    }
  },
});
