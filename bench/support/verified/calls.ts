/**
 * Calls that this program executes on state with Merkle proofs (`execution: local`, `verify: auto`) against calls that it passes on (`execution:
 * node`, `verify: off`), in front of one node that makes a block every 2 s, at different round trips to it. CALL_ROUNDS (3), CALL_ROUND_MS (4000),
 * DELAYS (`0;1;20`, milliseconds), KINDS of calls by parts of their names (`quote;multicall`), FIRST_CALLS (10) of each kind at each delay.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN } from '../../../scripts/program-files.ts';
import { ANVIL_SKIP, type Anvil } from '../../../test/support/anvil.ts';
import { makeTemporaryFolder } from '../../../test/support/embedded.ts';
import { median, percentile, runLoad } from '../../load.ts';
import { encodeRequest, post, type Target } from '../ask.ts';
import { CPU_RESOLUTION, readCpuSeconds } from '../cpu.ts';
import { type Figure, formatColumns } from '../figures.ts';
import { startProgram } from '../proxy/program.ts';
import type { Row } from '../proxy/rows.ts';
import { type FirstCall, keepTransferring, listFirstCalls, startCallNode } from './call-chain.ts';
import { createRequests, LOADS, type Load, listCompared } from './call-requests.ts';
import { DelayedNode } from './delayed-node.ts';

const ROUNDS = Number(process.env['CALL_ROUNDS'] ?? 3);
const ROUND_MS = Number(process.env['CALL_ROUND_MS'] ?? 4_000);
const WARM_UP_MS = ROUND_MS / 2;
const DELAYS = (process.env['DELAYS'] ?? '0;1;20').split(';').map(Number);
const FIRST_CALLS = Number(process.env['FIRST_CALLS'] ?? 10);
const CONNECTIONS = 16;

/** Least factor by which requests to nodes decrease. */
const LEAST_SAVED = 50;
/** Least factor by which p50 decreases, by round trip to the node, milliseconds. */
const LEAST_FASTER: Readonly<Record<number, number>> = { 0: 1, 20: 5 };
/** Least factor by which requests per CPU-second of the program increase. */
const LEAST_CHEAPER = 3;

/** A figure is stable while its interquartile range is at most this share of its median. */
const STABLE_SPREAD = 0.2;
const UNSTABLE = '~';
const ROW: Row = { name: 'calls', isWebSocket: false, upstreams: 1, connections: CONNECTIONS, body: '' };

type Side = {
  readonly name: string;
  readonly target: Target;
  readonly pid: number;
  /** Port of its node. */
  readonly nodePort: number;
  /** Returns the next request, by load. */
  readonly next: ReadonlyMap<Load, () => Uint8Array>;
  readonly readMetrics: () => Promise<string>;
  readonly stop: () => Promise<void> | void;
};

type Sample = {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  /** Requests and calls at the node per client request. */
  readonly nodeRequests: number;
  readonly nodeCalls: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

/** A first call: milliseconds until its answer, and round trips of state requests. */
type FirstSample = {
  readonly kind: FirstCall['kind'];
  readonly latency: number;
  readonly roundTrips: number;
};

/**
 * Measures calls at each delay.
 * @returns figures with their goals
 * @throws Error where the sides answer differently, or calls are not executed here
 */
export async function measureCalls(): Promise<readonly Figure[]> {
  if (ANVIL_SKIP !== false) throw new Error(ANVIL_SKIP);
  const folder = makeTemporaryFolder();
  const firstCalls = listFirstCalls(FIRST_CALLS * DELAYS.length);
  const anvil = await startCallNode(folder.path, firstCalls);
  const node = await DelayedNode.start(anvil.httpUrl, 2);
  const sides: Side[] = [];
  const end = new AbortController();
  try {
    sides.push(
      await startSide(folder.path, 'passed on', node.ports[0] as number, {
        execution: 'node',
        verify: 'off',
      }),
    );
    sides.push(
      await startSide(folder.path, 'executed here', node.ports[1] as number, {
        execution: 'local',
        verify: 'auto',
      }),
    );
    const transferring = keepTransferring(anvil, end.signal);
    const figures: Figure[] = [];
    await compareAnswers(anvil, sides);
    for (const [index, delay] of DELAYS.entries()) {
      await node.setDelay(delay);
      for (const load of LOADS) figures.push(...(await measureLoad(sides, node, delay, load)));
      const of = firstCalls.slice(2 * index * FIRST_CALLS, 2 * (index + 1) * FIRST_CALLS);
      await measureFirstCalls(sides, of);
    }
    await node.setDelay(0);
    await compareAnswers(anvil, sides);
    console.log(await describeExecutions(sides[1] as Side));
    end.abort();
    await transferring;
    return figures;
  } finally {
    end.abort();
    for (const { stop } of sides) await stop();
    node.stop();
    await anvil.kill();
    folder.remove();
  }
}

async function startSide(
  folder: string,
  name: string,
  nodePort: number,
  settings: Readonly<Record<string, string>>,
): Promise<Side> {
  const program = await startProgram({
    name,
    main: MAIN,
    folder: join(folder, settings['execution'] as string),
    nodes: [`http://127.0.0.1:${nodePort}`],
    settings,
  });
  const target = program.targetOf(ROW) as Target;
  return {
    ...program,
    target,
    nodePort,
    next: new Map(LOADS.map((load) => [load, createRequests(target, load)])),
  };
}

/**
 * Compares answers at the parent of a block that both sides have, because anvil makes further blocks meanwhile.
 * @throws Error where they differ or have no result
 */
async function compareAnswers(anvil: Anvil, sides: readonly Side[]): Promise<void> {
  const block = String(await anvil.request('eth_blockNumber'));
  for (const { target } of sides) {
    while (await isBehind(target, block)) await sleep(50);
  }
  const parent = `0x${(BigInt(block) - 1n).toString(16)}`;
  for (const body of listCompared(parent)) {
    const answers = await Promise.all(sides.map(({ target }) => post(target, body)));
    const isSame = answers.every((answer) => answer === answers[0] && answer.includes('"result":"0x'));
    if (!isSame) throw new Error(`answers differ: ${body.slice(0, 300)}\n${answers.join('\n')}`);
  }
}

async function isBehind(target: Target, block: string): Promise<boolean> {
  const { result } = JSON.parse(await post(target, encodeRequest('eth_blockNumber', []))) as {
    result: string;
  };
  return BigInt(result) < BigInt(block);
}

/** Measures all rounds of a load at a delay, sides interleaved, after a warm-up round. */
async function measureLoad(
  sides: readonly Side[],
  node: DelayedNode,
  delay: number,
  load: Load,
): Promise<readonly Figure[]> {
  const samples = new Map(sides.map((side) => [side, [] as Sample[]]));
  for (let round = 0; round <= ROUNDS; round++) {
    // The order is fixed, so that no side is idle for longer than a round: slots last read some heads ago are not requested again at new ones.
    for (const side of sides) {
      const sample = await measureRound(side, node, load, round === 0 ? WARM_UP_MS : ROUND_MS);
      if (round > 0) samples.get(side)?.push(sample);
    }
  }
  const where = `${load.name} at ${delay} ms`;
  const header = [where, 'req/s', 'req/CPU-s', 'node requests', 'node calls', 'p50 ms', 'p99 ms'];
  const rows = [...samples].map(([{ name }, rounds]) => [
    name,
    show(rounds, 'perSecond', 0),
    show(rounds, 'perCpuSecond', 0),
    show(rounds, 'nodeRequests', 4),
    show(rounds, 'nodeCalls', 4),
    show(rounds, 'p50', 2),
    show(rounds, 'p99', 2),
  ]);
  console.log(`\n${formatColumns([header, ...rows])}`);
  const [passed, executed] = [...samples.values()] as [Sample[], Sample[]];
  const times = (more: readonly Sample[], less: readonly Sample[], figure: keyof Sample): number =>
    median(more.map((sample, round) => sample[figure] / (less[round] as Sample)[figure]));
  const atLeast = LEAST_FASTER[delay];
  return [
    {
      name: `${where}: requests saved`,
      value: times(passed, executed, 'nodeRequests'),
      atLeast: LEAST_SAVED,
    },
    {
      name: `${where}: p50`,
      value: times(passed, executed, 'p50'),
      ...(atLeast !== undefined && { atLeast }),
    },
    { name: `${where}: CPU`, value: times(executed, passed, 'perCpuSecond'), atLeast: LEAST_CHEAPER },
  ];
}

async function measureRound(
  { target, pid, nodePort, next }: Side,
  node: DelayedNode,
  load: Load,
  durationMs: number,
): Promise<Sample> {
  const [before, cpuBefore] = [await node.readCounts(nodePort), readCpuSeconds(pid)];
  const { requests, seconds, latencies } = await runLoad({
    host: '127.0.0.1',
    port: target.port,
    request: next.get(load) as () => Uint8Array,
    connections: CONNECTIONS,
    durationMs,
  });
  const [after, cpu] = [await node.readCounts(nodePort), readCpuSeconds(pid)];
  return {
    perSecond: requests / seconds,
    perCpuSecond: requests / Math.max(cpu - cpuBefore, CPU_RESOLUTION),
    nodeRequests: (after.requests - before.requests) / requests,
    nodeCalls: (after.calls - before.calls) / requests,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** Returns the median of a figure, marked where it is not stable. */
function show(rounds: readonly Sample[], figure: keyof Sample, digits: number): string {
  return showMedian(
    rounds.map((sample) => sample[figure]),
    digits,
  );
}

function showMedian(values: readonly number[], digits: number): string {
  const ascending = Float64Array.from(values).sort();
  const middle = median(values);
  const isStable = percentile(ascending, 0.75) - percentile(ascending, 0.25) <= STABLE_SPREAD * middle;
  return `${isStable ? '' : UNSTABLE}${middle.toFixed(digits)}`;
}

/** Sends each call once to each side, one at a time. */
async function measureFirstCalls(sides: readonly Side[], calls: readonly FirstCall[]): Promise<void> {
  if (calls.length === 0) return;
  const samples = new Map(sides.map((side) => [side, [] as FirstSample[]]));
  for (const [index, { kind, body }] of calls.entries()) {
    const answers: string[] = [];
    for (const side of index % 4 < 2 ? sides : [...sides].reverse()) {
      const tripsBefore = await readTrips(side);
      const startedAt = performance.now();
      answers.push(await post(side.target, body));
      const latency = performance.now() - startedAt;
      samples.get(side)?.push({ kind, latency, roundTrips: (await readTrips(side)) - tripsBefore });
    }
    if (answers[0] !== answers[1]) throw new Error(`answers differ: ${body}\n${answers.join('\n')}`);
  }
  const rows = [...samples].flatMap(([{ name }, all]) =>
    [...new Set(all.map(({ kind }) => kind))].map((kind) => {
      const own = all.filter((sample) => sample.kind === kind);
      const latencies = own.map(({ latency }) => latency);
      const roundTrips = own.map((sample) => sample.roundTrips);
      return [
        `${kind}, ${name}`,
        showMedian(latencies, 1),
        Math.max(...latencies).toFixed(1),
        // A side that passes calls on has no such figure.
        ...(roundTrips.some((count) => count > 0)
          ? [`${median(roundTrips)}`, `${Math.max(...roundTrips)}`]
          : []),
      ];
    }),
  );
  console.log(formatColumns([['first calls', 'median ms', 'most ms', 'trips', 'most trips'], ...rows]));
}

const TRIPS = /^portcullis_network_state_trips_total\{[^}]*\} (\d+)/m;
const EXECUTIONS = /^portcullis_network_(?:executions|warmed_heads)_total\{[^}]*\} \d+/gm;

async function readTrips({ readMetrics }: Side): Promise<number> {
  return Number(TRIPS.exec(await readMetrics())?.[1] ?? 0);
}

async function describeExecutions({ readMetrics }: Side): Promise<string> {
  return `\n${((await readMetrics()).match(EXECUTIONS) ?? []).join('\n')}\n`;
}
