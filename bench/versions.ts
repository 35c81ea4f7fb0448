/**
 * The whole service against another version of itself, interleaved: `npm run bench -- versions FOLDER`, the built checkout of the other version. The
 * bench fails where this version is more than 3 % slower. `--json` prints the raw rounds.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CALL_CONTRACTS, TRANSFER_PLANS, WORKLOADS } from './support/call-workloads.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf, pinTo, SERVER_CORE } from './support/cpu.ts';
import { concludeWith } from './support/figures.ts';
import { serveDevelopment } from './support/portcullis.ts';
import { compareSides } from './support/sides.ts';

const GAS_LIMIT = 30_000_000n;
const LEAST_RATIO = 0.97;

async function run(): Promise<void> {
  const other = join(
    process.argv.slice(2).find((text) => !text.startsWith('-')) ?? '',
    'build/program/cli/main.js',
  );
  if (!existsSync(other)) throw new Error(`${other}: no built checkout; give the folder of one`);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, CALL_CONTRACTS, GAS_LIMIT, TRANSFER_PLANS);
  pinSelf(LOAD_CORE);
  const launcher = pinTo(SERVER_CORE);
  const before = await serveDevelopment(files, `${folder}/before`, { launcher, program: other });
  try {
    const now = await serveDevelopment(files, `${folder}/now`, { launcher });
    try {
      const sides = [
        { ...before, label: 'before' },
        { ...now, label: 'now' },
      ] as const;
      concludeWith(await compareSides(sides, WORKLOADS, () => LEAST_RATIO));
    } finally {
      await now.stop();
    }
  } finally {
    await before.stop();
  }
}

await run();
