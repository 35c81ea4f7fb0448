/**
 * An hour of mixed load on the program as a user starts it, with the built-in layer 1 and a network in front of three nodes: geth where installed,
 * else the stand-in nodes of the proxy bench (`--nodes geth|prepared` chooses). Calls, logs, receipts, blocks and batches come at fixed times, 300 a
 * second, and 3,000 a second for ten minutes from minute 15 on, beside subscriptions and polled filters. `--minutes 5` scales all of it. The 60 rows
 * show memory of the process, delay of its event loop, processor time, and time for which another program had its processor; latencies from when a
 * request was due, and failures. The bench fails where memory grows or exceeds its limit, or a call failed.
 */
import { parseArgs } from 'node:util';
import { MAIN } from '../scripts/program-files.ts';
import { makeTemporaryFolder } from '../test/support/embedded.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf } from './support/cpu.ts';
import { concludeWith } from './support/figures.ts';
import { type PacedResult, runPacedLoad } from './support/paced-load.ts';
import { EMBEDDED_NETWORK, type Program, startProgram } from './support/proxy/program.ts';
import type { Target } from './support/proxy/rows.ts';
import { readNodesKind, startChainNodes } from './support/soak/chain-nodes.ts';
import { Listeners } from './support/soak/listeners.ts';
import { mixRequests } from './support/soak/requests.ts';
import { type Sample, takeSample } from './support/soak/sample.ts';
import { judgeSoak } from './support/soak/verdict.ts';

const ROWS = 60;
const MINUTE_MS = 60_000;
const USUAL_RATE = 300;
const HIGH_RATE = 3_000;
/** Rows at the high rate: minutes 15 to 25 of an hour. */
const HIGH_ROWS = { from: 15, to: 25 } as const;
const COLUMNS = [7, 6, 8, 6, 5, 5, 7, 6, 9, 8, 8, 10, 10, 6, 8, 8, 8, 9, 7] as const;
const HEADER = [
  'minute',
  'per s',
  'RssAnon',
  'pages',
  'code',
  'wasm',
  'native',
  'heap',
  'external',
  'buffers',
  'handles',
  'loop p99',
  'loop max',
  'CPU %',
  'waited %',
  'p50 ms',
  'p99 ms',
  'longest',
  'failed',
];

function printRow(cells: readonly string[]): void {
  console.log(cells.map((cell, at) => cell.padStart(COLUMNS[at] ?? 0)).join(' '));
}

function addAll(sum: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [kind, count] of more) sum.set(kind, (sum.get(kind) ?? 0) + count);
}

type Row = {
  readonly minute: number;
  readonly rate: number;
  readonly before: Sample;
  readonly sample: Sample;
  readonly load: PacedResult;
  readonly seconds: number;
};

function describeRow({ minute, rate, before, sample, load, seconds }: Row): readonly string[] {
  const { heapPages, code, wasm, native } = sample.parts;
  const { anonymous, heap, external, arrayBuffers, handles, delayP99, delayMax } = sample;
  return [
    minute.toFixed(minute % 1 === 0 ? 0 : 2),
    String(rate),
    ...[anonymous, heapPages, code, wasm, native, heap, external, arrayBuffers].map((value) =>
      value.toFixed(0),
    ),
    String(handles),
    ...[delayP99, delayMax].map((value) => value.toFixed(1)),
    ...[sample.cpuSeconds - before.cpuSeconds, sample.waitedSeconds - before.waitedSeconds].map((spent) =>
      ((100 * spent) / seconds).toFixed(0),
    ),
    ...[load.p50, load.p99, load.longest].map((value) => value.toFixed(1)),
    String(load.failed),
  ];
}

async function soak(program: Program, minutes: number): Promise<void> {
  const requests = mixRequests(program);
  const { port } = program.targetOf({
    name: 'any',
    isWebSocket: false,
    upstreams: 3,
    connections: 1,
    body: '',
  }) as Target;
  const listeners = await Listeners.open(program, EMBEDDED_NETWORK);
  const samples: Sample[] = [];
  const failures = new Map<string, number>();
  // The first read starts the event loop's samples.
  let before = await takeSample(program);
  printRow(HEADER);
  try {
    for (let row = 0; row < ROWS; row++) {
      const isHigh = row >= HIGH_ROWS.from && row < HIGH_ROWS.to;
      const perSecond = isHigh ? HIGH_RATE : USUAL_RATE;
      const durationMs = (minutes * MINUTE_MS) / ROWS;
      const startedAt = performance.now();
      const load = await runPacedLoad({ port, path: '/', requests, perSecond, durationMs });
      const sample = await takeSample(program);
      samples.push(sample);
      addAll(failures, load.failures);
      const seconds = (performance.now() - startedAt) / 1_000;
      const minute = ((row + 1) * minutes) / ROWS;
      printRow(describeRow({ minute, rate: perSecond, before, sample, load, seconds }));
      before = sample;
    }
  } finally {
    await listeners.close();
  }
  addAll(failures, listeners.failures);
  console.log(`\n${listeners.notifications} notifications, ${listeners.polls} polls of filters`);
  for (const [kind, count] of failures) console.log(`failed ${count} times: ${kind}`);
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  concludeWith(judgeSoak(samples, failed));
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '60' }, nodes: { type: 'string', default: 'auto' } },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: a number above zero is needed`);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  pinSelf(LOAD_CORE);
  const folder = makeTemporaryFolder();
  const nodes = await startChainNodes(readNodesKind(values.nodes));
  console.log(`${minutes} minutes in front of ${nodes.description}`);
  try {
    const { urls, settings } = nodes;
    const program = await startProgram({
      name: 'portcullis',
      main: MAIN,
      folder: folder.path,
      nodes: urls,
      hasEmbedded: true,
      settings,
    });
    try {
      await soak(program, minutes);
    } finally {
      await program.stop();
    }
  } finally {
    await nodes.stop();
    folder.remove();
  }
}

await run();
