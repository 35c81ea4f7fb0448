/**
 * Longest pauses of the program's main thread at half of its capacity, and their causes: the mixed load of the soak bench for ten minutes
 * (`--minutes`), at half of the capacity measured in a closed loop before, or at `--rate` requests a second, in front of the same nodes (`--nodes
 * geth|prepared`). The program starts with a probe and a profiler (`--cpu-prof`), which take a few per cent of its time. Time in which the thread had
 * the processor is reported apart from time in which another program had it. The bench fails where a pause took 8 ms of the thread's own time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MAIN } from '../scripts/program-files.ts';
import { makeTemporaryFolder } from '../test/support/embedded.ts';
import { runLoad } from './load.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf } from './support/cpu.ts';
import { concludeWith, formatColumns } from './support/figures.ts';
import { runPacedLoad, USUAL_CONNECTIONS } from './support/paced-load.ts';
import { describeHot, type ExplainedPause, explainPause } from './support/pauses/causes.ts';
import type { ProbeNotes } from './support/pauses/probe.ts';
import { Profile } from './support/pauses/profile.ts';
import { EMBEDDED_NETWORK, type Program, startProgram } from './support/proxy/program.ts';
import type { Target } from './support/proxy/rows.ts';
import { type ChainNodes, readNodesKind, startChainNodes } from './support/soak/chain-nodes.ts';
import { Listeners } from './support/soak/listeners.ts';
import { mixRequests } from './support/soak/requests.ts';

const MINUTE_MS = 60_000;
const SHARE_OF_CAPACITY = 0.5;
const WARM_MS = 5_000;
const CAPACITY_MS = 5_000;
/** Milliseconds; shorter pauses are not recorded. */
const LEAST_MS = 4;
const SHOWN = 20;
const MAX_OWN_MS = 8;
const PROFILE_MICROSECONDS = 500;
const PROBE = new URL('support/pauses/probe.js', import.meta.url).href;

type Settings = { readonly minutes: number; readonly rate: number | undefined };

const toMs = (microseconds: number): string => (microseconds / 1_000).toFixed(1);

/** Returns half of the program's capacity in a closed loop, requests a second. */
async function chooseRate(target: Target, request: (connection: number) => Uint8Array): Promise<number> {
  const plan = { host: '127.0.0.1', port: target.port, request, connections: USUAL_CONNECTIONS };
  const { requests, seconds } = await runLoad({ ...plan, durationMs: CAPACITY_MS });
  console.log(`capacity: ${(requests / seconds).toFixed(0)} requests a second`);
  return Math.floor((SHARE_OF_CAPACITY * requests) / seconds);
}

/**
 * Puts the program under load.
 * @returns when the measured part began, on the monotonic clock, microseconds
 */
async function load(program: Program, { minutes, rate }: Settings): Promise<number> {
  const request = mixRequests(program);
  const row = { name: 'any', isWebSocket: false, upstreams: 3, connections: 1, body: '' } as const;
  const target = program.targetOf(row) as Target;
  const warm = { host: '127.0.0.1', port: target.port, request, connections: USUAL_CONNECTIONS };
  await runLoad({ ...warm, durationMs: WARM_MS });
  const perSecond = rate ?? (await chooseRate(target, request));
  const listeners = await Listeners.open(program, EMBEDDED_NETWORK);
  try {
    const begunAt = Number(process.hrtime.bigint() / 1_000n);
    const durationMs = minutes * MINUTE_MS;
    const result = await runPacedLoad({ ...target, requests: request, perSecond, durationMs });
    console.log(
      `${minutes} minutes of ${perSecond} requests a second: p50 ${result.p50.toFixed(2)} ms, p99 ${result.p99.toFixed(2)} ms, ` +
        `p999 ${result.p999.toFixed(1)} ms, longest ${result.longest.toFixed(1)} ms, ${result.failed} failed`,
    );
    for (const [kind, count] of result.failures) console.log(`failed ${count} times: ${kind}`);
    return begunAt;
  } finally {
    await listeners.close();
  }
}

function readPauses(folder: string, notes: string, pid: number, begunAt: number): readonly ExplainedPause[] {
  const { pauses, collections } = JSON.parse(readFileSync(notes, 'utf8')) as ProbeNotes;
  // Profile names have the form CPU.<date>.<time>.<process>.<thread>.<sequence>.cpuprofile.
  const file = readdirSync(folder).find((name) => name.includes(`.${pid}.0.`));
  if (file === undefined) throw new Error('the program has left no profile of its main thread');
  const profile = new Profile(readFileSync(join(folder, file), 'utf8'));
  return pauses
    .filter(({ from }) => from >= begunAt)
    .map((pause) => explainPause(pause, collections, profile));
}

function report(pauses: readonly ExplainedPause[]): void {
  const byOwn = pauses.toSorted((a, b) => b.ran - a.ran);
  const lines = byOwn
    .slice(0, SHOWN)
    .map((pause) => [
      toMs(pause.to - pause.from),
      ...[pause.ran, pause.waited, pause.young, pause.old].map(toMs),
      pause.cause,
      describeHot(pause.hot),
    ]);
  const header = ['pause ms', 'own CPU', 'waited', 'young', 'old', 'cause', 'where'];
  console.log(`\n${formatColumns([header, ...lines])}\n`);
  const isLong = ({ ran }: ExplainedPause): boolean => ran > 1_000 * MAX_OWN_MS;
  const counts = new Map<string, { pauses: number; long: number; longest: number }>();
  for (const pause of pauses) {
    const count = counts.get(pause.cause) ?? { pauses: 0, long: 0, longest: 0 };
    count.pauses++;
    if (isLong(pause)) count.long++;
    count.longest = Math.max(count.longest, pause.ran);
    counts.set(pause.cause, count);
  }
  const rows = [...counts].map(([cause, count]) => [
    cause,
    String(count.pauses),
    String(count.long),
    toMs(count.longest),
  ]);
  console.log(
    formatColumns([
      ['cause', `pauses > ${LEAST_MS} ms`, `own CPU > ${MAX_OWN_MS} ms`, 'longest, own CPU'],
      ...rows,
    ]),
  );
  const longestWall = Math.max(0, ...pauses.map(({ from, to }) => to - from));
  concludeWith([
    { name: 'longest pause', value: longestWall / 1_000, unit: ' ms', digits: 1 },
    {
      name: 'longest by own CPU time',
      value: (byOwn[0]?.ran ?? 0) / 1_000,
      below: MAX_OWN_MS,
      unit: ' ms',
      digits: 1,
    },
    { name: 'pauses of so much', value: pauses.filter(isLong).length, digits: 0 },
  ]);
}

async function measure(nodes: ChainNodes, settings: Settings, folder: string): Promise<void> {
  const notes = join(folder, 'pauses.json');
  const profiles = join(folder, 'profiles');
  const program = await startProgram({
    name: 'portcullis',
    main: MAIN,
    folder: join(folder, 'program'),
    nodes: nodes.urls,
    hasEmbedded: true,
    settings: nodes.settings,
    environment: { PAUSE_FILE: notes, PAUSE_LEAST_MS: String(LEAST_MS) },
    nodeArguments: [
      `--import=${PROBE}`,
      '--cpu-prof',
      `--cpu-prof-dir=${profiles}`,
      `--cpu-prof-interval=${PROFILE_MICROSECONDS}`,
    ],
  });
  let begunAt: number;
  try {
    begunAt = await load(program, settings);
  } finally {
    await program.stop();
  }
  report(readPauses(profiles, notes, program.pid, begunAt));
}

function readPositive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} ${text}: a number above zero is needed`);
  return value;
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string' },
      nodes: { type: 'string', default: 'auto' },
    },
  });
  const minutes = readPositive('minutes', values.minutes);
  const rate = values.rate === undefined ? undefined : readPositive('rate', values.rate);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  pinSelf(LOAD_CORE);
  const folder = makeTemporaryFolder();
  const nodes = await startChainNodes(readNodesKind(values.nodes));
  console.log(`in front of ${nodes.description}`);
  try {
    await measure(nodes, { minutes, rate }, folder.path);
  } finally {
    await nodes.stop();
    folder.remove();
  }
}

await run();
