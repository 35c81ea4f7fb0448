/** Measures the whole service against anvil (revm), in interleaved rounds. `--json` prints the raw rounds. */
import { ANVIL_SKIP, type Anvil, startAnvil } from '../test/support/anvil.ts';
import { encodeRequest, post, type Target } from './support/ask.ts';
import {
  CALL_CONTRACTS,
  createManyOwnersWorkload,
  listReadWorkloads,
  TRANSFER_PLANS,
  WORKLOADS,
} from './support/call-workloads.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf, pinTo, SERVER_CORE } from './support/cpu.ts';
import { concludeWith } from './support/figures.ts';
import { serveDevelopment } from './support/portcullis.ts';
import { compareSides } from './support/sides.ts';

const GAS_LIMIT = 30_000_000n;

/**
 * Sends the transactions of our block 1 to anvil and mines them there, so that block 1 is the head of both.
 * @returns the transaction hashes
 */
async function copyBlock(from: Target, to: Anvil): Promise<readonly string[]> {
  const hashes: string[] = [];
  for (let index = 0; index < TRANSFER_PLANS.length; index++) {
    const place = ['0x1', `0x${index.toString(16)}`];
    const raw = await post(from, encodeRequest('eth_getRawTransactionByBlockNumberAndIndex', place));
    hashes.push(
      String(await to.request('eth_sendRawTransaction', (JSON.parse(raw) as { result: string }).result)),
    );
  }
  await to.request('evm_mine');
  return hashes;
}

async function run(): Promise<void> {
  if (ANVIL_SKIP !== false) throw new Error(ANVIL_SKIP);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, CALL_CONTRACTS, GAS_LIMIT, TRANSFER_PLANS);
  pinSelf(LOAD_CORE);
  const launcher = pinTo(SERVER_CORE);
  const anvil: Anvil = await startAnvil({
    args: ['--init', files.genesis, '--hardfork', 'prague', '--no-mining'],
    launcher,
  });
  try {
    const portcullis = await serveDevelopment(files, `${folder}/data`, { launcher });
    try {
      const hashes = await copyBlock(portcullis, anvil);
      const theirs = { label: 'anvil', port: anvil.port, path: '/', pid: anvil.pid };
      const ours = { ...portcullis, label: 'portcullis' };
      const workloads = [...WORKLOADS, createManyOwnersWorkload(), ...listReadWorkloads(hashes)];
      concludeWith(await compareSides([theirs, ours], workloads, ({ target }) => target));
    } finally {
      await portcullis.stop();
    }
  } finally {
    await anvil.kill();
  }
}

await run();
