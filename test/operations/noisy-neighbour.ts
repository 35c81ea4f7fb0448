/** One key requests ten times its limit, beside nine that stay below theirs. */
import type { Figure } from '../../bench/support/figures.ts';
import { DEVNET } from '../support/ask-program.ts';
import { createKey } from '../support/keys.ts';
import { Program } from '../support/program.ts';
import { findRedisProgram, NO_REDIS_REASON, startRedis } from '../support/redis.ts';
import { Load, type Span } from './load/load.ts';
import { countFailures, describeFailures, type Lane, type LaneReport } from './load/plan.ts';
import type { Scenario } from './scenario.ts';
import { medianRatio, readPercentile } from './support/latency.ts';

const POLITE = 9;
/** Limit of each key where it is measured, calls per second; also the burst. */
const RATE = 100;
/** Share of the limit, so low that no client exceeds it after a short stall of the machine. */
const POLITE_SHARE = 0.5;
const NOISE = 10;
const LANE_CONNECTIONS = 4;
const NOISY_CONNECTIONS = 16;
const MAX_RATIO = 1.5;
/** Timeout for the server: on a busy machine a process may stall longer than the default timeout. */
const PATIENCE = '500ms';
const FULL = { rounds: 12, round: { ms: 2_000 }, perSecond: RATE, politeShare: POLITE_SHARE };
const MAX_ADMITTED = 1.15;

export type NoisyOptions = {
  readonly rounds: number;
  readonly round: Span;
  readonly workers: number;
  /** Location of limits: the data folder, or a server. */
  readonly limits: 'folder' | 'server';
  /** Limit of each key, calls per second; also the burst. */
  readonly perSecond: number;
  /** Rate of each other client as a share of its limit. */
  readonly politeShare: number;
};

export type NoisyOutcome = {
  readonly alone: readonly (readonly LaneReport[])[];
  readonly beside: readonly (readonly LaneReport[])[];
  readonly noisy: readonly LaneReport[];
};

export async function runNoisyNeighbour(options: NoisyOptions): Promise<NoisyOutcome> {
  const server = options.limits === 'server' ? await startRedis() : undefined;
  const valkey = server && { url: `redis://127.0.0.1:${server.port}`, timeLimit: PATIENCE };
  const access = valkey === undefined ? {} : { valkey };
  const program = new Program({ networks: DEVNET, workers: options.workers, access, log: { level: 'warn' } });
  try {
    const rate = { perSecond: options.perSecond, burst: options.perSecond };
    const keys: string[] = [];
    for (let count = 0; count <= POLITE; count++) keys.push((await createKey(program, { rate })).key);
    await program.start();
    return await measure(program.port, keys, options);
  } finally {
    await program.dispose();
    await server?.close();
  }
}

async function measure(
  port: number,
  [noisyKey = '', ...keys]: readonly string[],
  { rounds, round, perSecond, politeShare }: NoisyOptions,
): Promise<NoisyOutcome> {
  const lanes = keys.map((key, index): Lane => {
    return {
      name: `polite ${index}`,
      transport: 'http',
      port,
      key,
      connections: LANE_CONNECTIONS,
      perSecond: perSecond * politeShare,
    };
  });
  const noise: Lane = {
    name: 'noisy',
    transport: 'http',
    port,
    key: noisyKey,
    connections: NOISY_CONNECTIONS,
    perSecond: perSecond * NOISE,
    mayBeLimited: true,
  };
  const [alone, beside, noisy]: [(readonly LaneReport[])[], (readonly LaneReport[])[], LaneReport[]] = [
    [],
    [],
    [],
  ];
  const polite = await Load.begin(lanes);
  const neighbour = await Load.open(true);
  // A newly started service is slower.
  await polite.goOn(round);
  for (let count = 0; count < rounds; count++) {
    await polite.cut();
    await polite.goOn(round);
    alone.push(await polite.cut());
    await neighbour.begin([noise]);
    await polite.cut();
    await Promise.all([polite.goOn(round), neighbour.goOn(round)]);
    beside.push(await polite.cut());
    noisy.push(...(await neighbour.end()));
  }
  await polite.end();
  neighbour.close();
  polite.close();
  return { alone, beside, noisy };
}

function check(outcome: NoisyOutcome, say: (line: string) => void): readonly Figure[] {
  const { alone, beside, noisy } = outcome;
  const p99 = (rounds: readonly (readonly LaneReport[])[]): number[] =>
    // The first round includes warm-up.
    rounds.slice(1).map((reports) => readPercentile(reports, 0.99));
  const polite = [...alone, ...beside].flat();
  // The bucket's initial content does not count.
  const admitted = noisy.map(({ right, seconds }) => (right - RATE) / seconds / RATE);
  const requested = noisy.map(({ due, seconds }) => due / seconds / RATE);
  const show = (values: readonly number[]): string => values.map((value) => value.toFixed(2)).join(' ');
  say(`p99 alone ${show(p99(alone))} ms, beside ${show(p99(beside))} ms`);
  say(
    `the noisy key asked ${show(requested)} times its rate, and got its burst and ${show(admitted)} times its rate`,
  );
  const failures = countFailures(polite) + countFailures(noisy);
  if (failures > 0) say(`failed: ${describeFailures([...polite, ...noisy])}`);
  return [
    { name: 'p99 ratio', value: medianRatio(p99(beside), p99(alone)), below: MAX_RATIO },
    { name: 'failed', value: failures, digits: 0, below: 1 },
    {
      name: 'noisy key got its burst and at most',
      value: Math.max(...admitted),
      unit: ' times its rate',
      below: MAX_ADMITTED,
    },
  ];
}

export const NOISY_NEIGHBOUR: Scenario = {
  name: 'noisy neighbour',
  findLack: () => undefined,
  run: async (say) => check(await runNoisyNeighbour({ ...FULL, workers: 1, limits: 'folder' }), say),
};

export const NOISY_NEIGHBOUR_SHARED: Scenario = {
  name: 'noisy neighbour, two processes and shared limits',
  findLack: () => (findRedisProgram() === undefined ? NO_REDIS_REASON : undefined),
  run: async (say) => check(await runNoisyNeighbour({ ...FULL, workers: 2, limits: 'server' }), say),
};
