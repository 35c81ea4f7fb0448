/**
 * Latency of small calls beside heavy ones in one process: 1,000 balanceOf per second at fixed times, first alone, then with ten calls of 30 million
 * gas always in flight, in interleaved rounds. Latencies count from when a request was due. The figure is the median of the rounds' 99th percentiles.
 * `--json` prints the rounds.
 */

import { bytesToHex } from '../packages/ethereum/primitives/hex.ts';
import { labelAddress } from '../scripts/chains/accounts.ts';
import { encodeCall } from '../scripts/chains/encode-call.ts';
import { loopSignature } from './contracts/loops.ts';
import { encodePost, median } from './load.ts';
import { encodeRequest, post } from './support/ask.ts';
import { BALANCE_BODIES, CALL_CONTRACTS } from './support/call-workloads.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import { concludeWith, formatColumns, WANTS_JSON } from './support/figures.ts';
import { HttpConnection } from './support/http-connection.ts';
import { type PacedResult, runPacedLoad } from './support/paced-load.ts';
import { type Server, servePatiently } from './support/portcullis.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 5_000);
const WARM_UP_MS = ROUND_MS / 2;
const PER_SECOND = 1_000;
const HEAVY_CALLS = 10;
const HEAVY_GAS = 30_000_000n;
/** Iterations of the arithmetic loop, 149 gas each, that use most of `HEAVY_GAS`. */
const HEAVY_COUNT = 200_000n;
const MAX_CALL_SECONDS = 120;
const TARGET_P99_MS = 10;

const SMALL: readonly string[] = BALANCE_BODIES;
const HEAVY: string = encodeRequest('eth_call', [
  {
    to: bytesToHex(labelAddress('bench loops')),
    data: bytesToHex(encodeCall(loopSignature('arithmetic'), HEAVY_COUNT)),
    gas: `0x${HEAVY_GAS.toString(16)}`,
  },
  'latest',
]);

type HeavyCalls = {
  readonly answered: () => number;
  stop(): void;
};

/** Keeps ten heavy calls in flight; a connection whose call fails sends no more. */
function startHeavyCalls({ port, path }: Server): HeavyCalls {
  const request = encodePost(path, '127.0.0.1', HEAVY);
  let answered = 0;
  const connections = Array.from({ length: HEAVY_CALLS }, () => {
    const connection: HttpConnection = new HttpConnection(
      { host: '127.0.0.1', port },
      {
        onConnect: () => connection.send(request),
        onAnswer() {
          answered++;
          connection.send(request);
        },
        onFailure: ({ message }) => console.error(`heavy call: ${message}`),
      },
    );
    return connection;
  });
  return {
    answered: () => answered,
    stop: () => {
      for (const connection of connections) connection.close();
    },
  };
}

type Rounds = { readonly alone: PacedResult[]; readonly beside: PacedResult[]; readonly heavy: number[] };

async function measure(server: Server): Promise<Rounds> {
  const requests = SMALL.map((body) => encodePost(server.path, '127.0.0.1', body));
  const run = (durationMs: number): Promise<PacedResult> =>
    runPacedLoad({ ...server, requests, perSecond: PER_SECOND, durationMs });
  await run(WARM_UP_MS);
  const rounds: Rounds = { alone: [], beside: [], heavy: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.alone.push(await run(ROUND_MS));
    const heavy = startHeavyCalls(server);
    try {
      rounds.beside.push(await run(ROUND_MS));
    } finally {
      heavy.stop();
    }
    rounds.heavy.push(heavy.answered());
  }
  return rounds;
}

function report({ alone, beside, heavy }: Rounds): void {
  const describe = (name: string, results: readonly PacedResult[]): string[] => [
    name,
    median(results.map(({ p50 }) => p50)).toFixed(2),
    median(results.map(({ p99 }) => p99)).toFixed(2),
    String(results.reduce((sum, { failed }) => sum + failed, 0)),
  ];
  if (WANTS_JSON) console.log(JSON.stringify({ alone, beside, heavy }));
  else {
    const rows = [
      ['small calls', 'p50 ms', 'p99 ms', 'failed'],
      describe('alone', alone),
      describe('beside heavy calls', beside),
    ];
    console.log(formatColumns(rows));
    console.log(`heavy calls answered in ${ROUND_MS / 1_000} s: ${heavy.join(', ')}`);
  }
  const failed = [...alone, ...beside].find(({ failure }) => failure !== undefined);
  if (failed !== undefined) console.error(`a small call failed: ${failed.failure}`);
  concludeWith([
    { name: 'p99 alone', value: median(alone.map(({ p99 }) => p99)), unit: ' ms' },
    {
      name: 'p99 beside heavy calls',
      value: median(beside.map(({ p99 }) => p99)),
      unit: ' ms',
      below: TARGET_P99_MS,
    },
    { name: 'failed', value: beside.reduce((sum, one) => sum + one.failed, 0), digits: 0, below: 1 },
  ]);
}

/** @throws Error when a heavy call returns no result */
async function checkHeavyCall(server: Server): Promise<void> {
  const answer = await post(server, HEAVY);
  if (!answer.includes('"result":"0x')) throw new Error(`heavy call: ${answer}`);
}

async function run(): Promise<void> {
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, CALL_CONTRACTS, HEAVY_GAS);
  const server = await servePatiently(files, folder, MAX_CALL_SECONDS);
  try {
    await checkHeavyCall(server);
    report(await measure(server));
  } finally {
    await server.stop();
  }
}

await run();
