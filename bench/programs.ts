/**
 * Long-running programs by eth_call over HTTP against anvil (revm), one connection, one processor each: milliseconds of the whole call, nothing
 * subtracted. Rounds of the sides are interleaved and answers are compared; figures are medians. `--json` prints the raw rounds.
 */
import { ANVIL_SKIP, startAnvil } from '../test/support/anvil.ts';
import { findVectors, SKIP_REASON } from '../test/support/vectors.ts';
import { encodePost, median, runLoad } from './load.ts';
import { post, type Target } from './support/ask.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf, pinTo, SERVER_CORE } from './support/cpu.ts';
import { concludeWith, formatColumns, WANTS_JSON } from './support/figures.ts';
import { servePatiently } from './support/portcullis.ts';
import { PROGRAM_GAS, type Program, readPrograms } from './support/program-workloads.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
/** Duration for which each round repeats a program, at least once. */
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 250);
const WARM_UP_MS = 150;
const MAX_CALL_SECONDS = 60;
const TARGETS = { geomean: 1.7, lowest: 0.9 } as const;

const SIDES = ['anvil', 'portcullis'] as const;
type Side = (typeof SIDES)[number];
type Subjects = Readonly<Record<Side, Target>>;
type Measured = { readonly program: Program; readonly ms: Readonly<Record<Side, number[]>> };

/** Returns the median time of one run, milliseconds. */
async function time({ port, path }: Target, { body }: Program, durationMs: number): Promise<number> {
  const request = encodePost(path, '127.0.0.1', body);
  const load = await runLoad({ host: '127.0.0.1', port, request, connections: 1, durationMs });
  return median([...load.latencies]);
}

/** @throws Error when the two sides answer differently */
async function compareAnswers({ anvil, portcullis }: Subjects, { name, body }: Program): Promise<void> {
  const [theirs, ours] = [await post(anvil, body), await post(portcullis, body)];
  if (theirs === ours && theirs.includes('"result":"0x')) return;
  throw new Error(`${name}: answers differ\n${theirs.slice(0, 400)}\n${ours.slice(0, 400)}`);
}

async function measure(subjects: Subjects, programs: readonly Program[]): Promise<Measured[]> {
  const measured = programs.map((program) => ({
    program,
    ms: { anvil: [], portcullis: [] } as Record<Side, number[]>,
  }));
  for (const { program } of measured) {
    await compareAnswers(subjects, program);
    for (const side of SIDES) await time(subjects[side], program, WARM_UP_MS);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { program, ms } of measured) {
      for (const side of SIDES) ms[side].push(await time(subjects[side], program, ROUND_MS));
    }
  }
  return measured;
}

function report(measured: readonly Measured[]): void {
  const rows = [['program', 'anvil ms', 'portcullis ms', 'ratio']];
  const ratios = measured.map(({ program, ms }) => {
    const [theirs, ours] = [median(ms.anvil), median(ms.portcullis)];
    const ratio = theirs / ours;
    rows.push([program.name, theirs.toFixed(3), ours.toFixed(3), ratio.toFixed(3)]);
    return ratio;
  });
  if (WANTS_JSON) {
    console.log(JSON.stringify(Object.fromEntries(measured.map(({ program, ms }) => [program.name, ms]))));
  } else console.log(formatColumns(rows));
  const lowest = Math.min(...ratios);
  const name = measured[ratios.indexOf(lowest)]?.program.name ?? '';
  concludeWith([
    {
      name: 'geomean',
      value: Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length),
      atLeast: TARGETS.geomean,
      digits: 3,
    },
    { name: 'lowest', value: lowest, atLeast: TARGETS.lowest, of: name, digits: 3 },
  ]);
}

async function run(): Promise<void> {
  if (ANVIL_SKIP !== false) throw new Error(ANVIL_SKIP);
  const vectors = findVectors('evm-benchmarks');
  if (vectors === undefined) throw new Error(SKIP_REASON);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  const { contracts, programs } = readPrograms(vectors);
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, contracts, PROGRAM_GAS);
  pinSelf(LOAD_CORE);
  const launcher = pinTo(SERVER_CORE);
  const args = ['--init', files.genesis, '--hardfork', 'prague', '--gas-limit', String(PROGRAM_GAS)];
  const anvil = await startAnvil({ args, launcher });
  try {
    const portcullis = await servePatiently(files, folder, MAX_CALL_SECONDS, { launcher });
    try {
      report(await measure({ anvil: { port: anvil.port, path: '/' }, portcullis }, programs));
    } finally {
      await portcullis.stop();
    }
  } finally {
    await anvil.kill();
  }
}

await run();
