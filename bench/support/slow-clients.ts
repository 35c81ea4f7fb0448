import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodePost } from '../load.ts';
import { encodeRequest } from './ask.ts';
import { makeBenchFolder } from './chain.ts';
import { LOAD_CORE, pinSelf, pinTo, SERVER_CORE } from './cpu.ts';
import { type PacedResult, runPacedLoad } from './paced-load.ts';
import { type Server, startPortcullis } from './portcullis.ts';
import { SIEGE_HOST, Siege } from './siege.ts';

export type SlowClientsOptions = {
  readonly rounds: number;
  readonly roundMs: number;
  readonly idle: number;
  readonly lorises: number;
  /** Chain id requests per second beside the slow clients. */
  readonly perSecond: number;
  /** Whether latencies are measured; true by default. */
  readonly isMeasured?: boolean;
};

export type SlowClientsRounds = {
  readonly alone: PacedResult[];
  readonly beside: PacedResult[];
  /** Growth of the program's memory per slow client at the first siege, bytes. */
  readonly bytesPerIdle: number;
  readonly bytesPerLoris: number;
};

const COMPLETE_MS = 1_000;

/** Measures small calls at fixed times, alone and beside clients that only occupy connections, interleaved. */
export async function measureSlowClients(options: SlowClientsOptions): Promise<SlowClientsRounds> {
  const { idle, isMeasured = true } = options;
  const folder = makeBenchFolder();
  const config = join(folder, 'portcullis.yaml');
  const text = JSON.stringify({
    listen: { port: 0 },
    dataDir: folder,
    networks: { devnet: { builtin: 'devnet', hosts: [SIEGE_HOST] } },
    limits: { connections: 2 * idle + 1_000, webSockets: 2 * idle },
  });
  writeFileSync(config, text);
  pinSelf(LOAD_CORE);
  const siege = await Siege.open(isMeasured);
  const started = await startPortcullis(['serve', '--config', config], { launcher: pinTo(SERVER_CORE) });
  try {
    return await measure({ ...started, path: '/v3/demo' }, siege, options);
  } finally {
    siege.close();
    await started.stop();
  }
}

async function measure(
  server: Server,
  siege: Siege,
  { rounds, roundMs, idle, lorises, perSecond }: SlowClientsOptions,
): Promise<SlowClientsRounds> {
  const requests = [encodePost(server.path, SIEGE_HOST, encodeRequest('eth_chainId', []))];
  const run = (): Promise<PacedResult> =>
    runPacedLoad({ ...server, requests, perSecond, durationMs: roundMs });
  const set = async (idleNow: number, lorisesNow: number): Promise<number> => {
    await siege.set({ port: server.port, idle: idleNow, lorises: lorisesNow });
    await sleep(COMPLETE_MS);
    return readResidentBytes(server.pid);
  };
  await run();
  const [alone, beside]: [PacedResult[], PacedResult[]] = [[], []];
  const resident = [readResidentBytes(server.pid), await set(idle, 0), await set(idle, lorises)] as const;
  await set(0, 0);
  for (let round = 0; round < rounds; round++) {
    alone.push(await run());
    await set(idle, lorises);
    beside.push(await run());
    await set(0, 0);
  }
  return {
    alone,
    beside,
    bytesPerIdle: (resident[1] - resident[0]) / idle,
    bytesPerLoris: (resident[2] - resident[1]) / lorises,
  };
}

/** Returns the resident memory of a process, bytes. */
function readResidentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}
