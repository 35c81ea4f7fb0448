/** The whole service against anvil (revm), in turns. `--json` prints the raw rounds. */
import { ANVIL_SKIP, type Anvil, startAnvil } from '../test/support/anvil.ts';
import { CALL_CONTRACTS } from './support/call-workloads.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf, pinTo, SERVER_CORE } from './support/cpu.ts';
import { concludeWith } from './support/figures.ts';
import { serveDevelopment } from './support/portcullis.ts';
import { compareSides } from './support/sides.ts';

const GAS_LIMIT = 30_000_000n;

async function run(): Promise<void> {
  if (ANVIL_SKIP !== false) throw new Error(ANVIL_SKIP);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, CALL_CONTRACTS, GAS_LIMIT);
  pinSelf(LOAD_CORE);
  const launcher = pinTo(SERVER_CORE);
  const anvil: Anvil = await startAnvil({
    args: ['--init', files.genesis, '--hardfork', 'prague'],
    launcher,
  });
  try {
    // The head of both chains is block 1.
    await anvil.request('evm_mine');
    const portcullis = await serveDevelopment(files, `${folder}/data`, { launcher });
    try {
      const theirs = { label: 'anvil', port: anvil.port, path: '/', pid: anvil.pid };
      const ours = { ...portcullis, label: 'portcullis' };
      concludeWith(await compareSides([theirs, ours], ({ target }) => target));
    } finally {
      await portcullis.stop();
    }
  } finally {
    await anvil.kill();
  }
}

await run();
