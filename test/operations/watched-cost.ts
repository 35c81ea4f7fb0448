/** Requests per CPU-second with keys, limits, metrics and logs, against the same service without them. */
import { encodePost, median, runLoad } from '../../bench/load.ts';
import { LOAD_CORE, pinSelf, pinTo, readCpuSeconds, SERVER_CORE } from '../../bench/support/cpu.ts';
import type { Figure } from '../../bench/support/figures.ts';
import { DEVNET } from '../support/ask-program.ts';
import { FACTS } from '../support/development.ts';
import { createKey } from '../support/keys.ts';
import { Program } from '../support/program.ts';
import type { Scenario } from './scenario.ts';
import { medianRatio } from './support/latency.ts';

const CONNECTIONS = 16;
const MIN_RATIO = 0.85;
const RATE = 1_000_000;
const USER_AGENT = 'operations/1.0';

/** A name and requests that are sent in rotation. */
type Mix = readonly [string, readonly (readonly [string, readonly unknown[]])[]];
const CHAIN_ID: Mix[1][number] = ['eth_chainId', []];
const BALANCE: Mix[1][number] = ['eth_call', [FACTS.devnet.calls.tokenBalance, 'latest']];
const MIXES: readonly Mix[] = [
  ['eth_chainId', [CHAIN_ID]],
  ['eth_call', [BALANCE]],
  ['both', [CHAIN_ID, BALANCE]],
];

type Side = { readonly program: Program; readonly path: string; readonly isWatched: boolean };
export type CostRounds = {
  readonly mix: string;
  readonly off: readonly number[];
  readonly on: readonly number[];
};

const OFF = {
  networks: DEVNET,
  log: { level: 'error', requests: { failed: false } },
};
const ON = {
  networks: DEVNET,
  access: { failures: { perSecond: 0.5, burst: 30 } },
  log: { level: 'info', requests: { sample: 0.01, slow: '100ms', failed: true } },
};

export async function measureWatchedCost(rounds: number, roundMs: number): Promise<readonly CostRounds[]> {
  pinSelf(LOAD_CORE);
  const programs = [OFF, ON].map((config) => new Program(config, pinTo(SERVER_CORE)));
  const [off, on] = programs as [Program, Program];
  try {
    const { key } = await createKey(on, {
      networks: ['devnet'],
      methods: ['eth_chainId', 'eth_call'],
      addresses: [FACTS.devnet.erc20],
      userAgents: [USER_AGENT],
      rate: { perSecond: RATE, burst: RATE },
      dailyCredits: Number.MAX_SAFE_INTEGER,
    });
    await Promise.all(programs.map((program) => program.start()));
    const sides: readonly Side[] = [
      { program: off, path: '/v3/demo', isWatched: false },
      { program: on, path: `/v3/${key}`, isWatched: true },
    ];
    const results: CostRounds[] = [];
    for (const mix of MIXES) results.push(await measureMix(mix, sides, rounds, roundMs));
    return results;
  } finally {
    await Promise.all(programs.map((program) => program.dispose()));
  }
}

async function measureMix(
  [name, requests]: Mix,
  sides: readonly Side[],
  rounds: number,
  roundMs: number,
): Promise<CostRounds> {
  const rates: readonly [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const rate = await measureSide(side, requests, roundMs);
      // The first round includes one-time work of the program.
      if (round >= 0) rates[index]?.push(rate);
    }
  }
  return { mix: name, off: rates[0], on: rates[1] };
}

async function measureSide(
  { program, path, isWatched }: Side,
  requests: Mix[1],
  durationMs: number,
): Promise<number> {
  const bodies = requests.map(([method, params]) =>
    encodePost(path, 'devnet.localhost', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
  );
  // Both sides have the same client.
  const encoded = bodies.map((body) =>
    Buffer.from(String(body).replace('\r\nContent-Type', `\r\nUser-Agent: ${USER_AGENT}\r\nContent-Type`)),
  );
  let sent = 0;
  const request = (): Buffer => encoded[sent++ % encoded.length] as Buffer;
  const { port, pid } = program;
  const before = readCpuSeconds(pid);
  const result = await runLoad({ host: '127.0.0.1', port, request, connections: CONNECTIONS, durationMs });
  if (isWatched) await program.readMetrics();
  return result.requests / (readCpuSeconds(pid) - before);
}

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const results = await measureWatchedCost(9, 1_200);
  return results.map(({ mix, off, on }): Figure => {
    say(`${mix}: ${median(off).toFixed(0)} requests per CPU-second off, ${median(on).toFixed(0)} on`);
    return { name: mix, value: 100 * medianRatio(on, off), unit: ' %', digits: 1, atLeast: 100 * MIN_RATIO };
  });
}

export const WATCHED_COST: Scenario = {
  name: 'requests per CPU-second with everything on',
  findLack: () => undefined,
  run,
};
