/**
 * Nanoseconds of every instruction of the opcode table, with the pushes of its arguments and the pops of its results, by eth_call over HTTP against
 * anvil (revm): one connection, one processor each, interleaved rounds, medians. It has no target; it shows where optimisation pays. `--json` prints
 * the raw rounds, names as arguments choose instructions.
 */

import { bytesToHex } from '../packages/ethereum/primitives/hex.ts';
import { labelAddress } from '../scripts/chains/accounts.ts';
import { ANVIL_SKIP, startAnvil } from '../test/support/anvil.ts';
import { encodePost, median, runLoad } from './load.ts';
import { encodeRequest, post, type Target } from './support/ask.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf, pinTo, SERVER_CORE } from './support/cpu.ts';
import { concludeWith, formatColumns, WANTS_JSON } from './support/figures.ts';
import { createOpcodePrograms, OPCODE_COUNT, type OpcodeProgram } from './support/opcode-programs.ts';
import { servePatiently } from './support/portcullis.ts';
import { PROGRAM_GAS } from './support/program-workloads.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const ROUND_MS = 40;
const MAX_CALL_SECONDS = 60;
const SUBJECT: string = bytesToHex(labelAddress('bench opcode'));

const SIDES = ['anvil', 'portcullis'] as const;
type Side = (typeof SIDES)[number];
type Subjects = Readonly<Record<Side, Target>>;
type Measured = {
  readonly name: string;
  readonly body: string;
  readonly ns: Readonly<Record<Side, number[]>>;
};

/** Encodes a call that runs a program by a state override, without the program being on the chain. */
function encodeRun({ code }: OpcodeProgram): string {
  const call = { to: SUBJECT, gas: `0x${PROGRAM_GAS.toString(16)}` };
  return encodeRequest('eth_call', [call, 'latest', { [SUBJECT]: { code: bytesToHex(code) } }]);
}

/** Returns the nanoseconds of one instruction with its pushes and pops. */
async function time({ port, path }: Target, body: string): Promise<number> {
  const request = encodePost(path, '127.0.0.1', body);
  const load = await runLoad({ host: '127.0.0.1', port, request, connections: 1, durationMs: ROUND_MS });
  return (median([...load.latencies]) * 1e6) / OPCODE_COUNT;
}

async function measure(subjects: Subjects, programs: readonly OpcodeProgram[]): Promise<Measured[]> {
  const measured = programs.map((program) => ({
    name: program.name,
    body: encodeRun(program),
    ns: { anvil: [], portcullis: [] } as Record<Side, number[]>,
  }));
  for (const { name, body } of measured) {
    const [theirs, ours] = [await post(subjects.anvil, body), await post(subjects.portcullis, body)];
    if (theirs !== ours || !theirs.includes('"result":"0x"')) {
      throw new Error(`${name}: ${theirs.slice(0, 200)}\n${ours.slice(0, 200)}`);
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { body, ns } of measured) {
      for (const side of SIDES) ns[side].push(await time(subjects[side], body));
    }
  }
  return measured;
}

function report(measured: readonly Measured[]): void {
  const rows = measured
    .map(({ name, ns }) => ({ name, theirs: median(ns.anvil), ours: median(ns.portcullis) }))
    .map((row) => ({ ...row, ratio: row.theirs / row.ours }))
    .sort((one, other) => one.ratio - other.ratio);
  if (WANTS_JSON) console.log(JSON.stringify(Object.fromEntries(measured.map(({ name, ns }) => [name, ns]))));
  else {
    const cells = rows.map(({ name, theirs, ours, ratio }) => [
      name,
      theirs.toFixed(1),
      ours.toFixed(1),
      ratio.toFixed(2),
    ]);
    console.log(formatColumns([['instruction', 'anvil ns', 'portcullis ns', 'ratio'], ...cells]));
  }
  const logarithms = rows.map(({ ratio }) => Math.log(ratio));
  const [lowest] = rows;
  concludeWith([
    { name: 'geomean', value: Math.exp(logarithms.reduce((sum, one) => sum + one, 0) / rows.length) },
    { name: 'lowest', value: lowest?.ratio ?? Number.NaN, of: lowest?.name ?? '' },
  ]);
}

function choosePrograms(): readonly OpcodeProgram[] {
  const programs = createOpcodePrograms('prague');
  const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  return names.length === 0 ? programs : programs.filter(({ name }) => names.includes(name));
}

async function run(): Promise<void> {
  if (ANVIL_SKIP !== false) throw new Error(ANVIL_SKIP);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  const programs = choosePrograms();
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, [], PROGRAM_GAS);
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
