/** The shipped program in front of the nodes: one, or replicas that share a server of records. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../geth/requests/random.ts';
import { createKey } from '../support/keys.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import { SharedStore } from './shared-store.ts';

export type NodeKind = 'geth' | 'scripted';

const WORKERS = 2;
const CHAIN_ID = 1337;
const SERVED_MS = 60_000;

export type ServiceSize = { readonly replicas: number; readonly workers?: number };

export class Service {
  readonly programs: readonly Program[];
  /** Path of requests. */
  readonly path: string;
  /** Server that the replicas share. */
  readonly store: SharedStore | undefined;
  /** Time of the last kill of a process, on the clock of `performance.now()`: a response that it has sent may be sent again. */
  killedAt: number = -Infinity;
  readonly #config: (order: number) => Record<string, unknown>;
  #order = 0;
  #isBusy = false;

  constructor(
    programs: readonly Program[],
    path: string,
    store: SharedStore | undefined,
    config: (order: number) => Record<string, unknown>,
  ) {
    this.programs = programs;
    this.path = path;
    this.store = store;
    this.#config = config;
  }

  /** Creates the programs with a key, and starts them. */
  static async start(
    urls: readonly string[],
    genesisHash: string,
    { replicas, workers = WORKERS }: ServiceSize,
  ): Promise<Service> {
    const store = replicas > 1 ? await SharedStore.start() : undefined;
    const config = (order: number): Record<string, unknown> => ({
      ...networkOf(urls, genesisHash, order),
      workers,
      ...(store && { access: { valkey: { url: store.url } } }),
    });
    const programs = Array.from({ length: replicas }, () => new Program(config(0)));
    const { key } = await createKey(programs[0] as Program);
    await Promise.all(programs.map((program) => program.start()));
    return new Service(programs, `/v3/${key}`, store, config);
  }

  /** @returns the served height of each replica */
  readHeads(): Promise<number[]> {
    return Promise.all(this.programs.map(({ port }) => readHead(port, this.path)));
  }

  /** Runs an action exclusively. @returns undefined while another action on the service runs */
  whenCalm(action: () => Promise<void>): Promise<void> | undefined {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    return action().finally(() => {
      this.#isBusy = false;
    });
  }

  async killWorker(random: Random): Promise<void> {
    const program = random.pick(this.programs);
    const workers = await listWorkers(program);
    if (workers.length === 0) return;
    const pid = random.pick(workers);
    this.killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    await waitUntil(async () => {
      const now = await listWorkers(program);
      return now.length >= WORKERS && !now.includes(pid);
    }, SERVED_MS);
  }

  /** Ends one program and starts it again. @param signal SIGKILL ends its workers too, as a machine failure does */
  async restart(random: Random, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const program = random.pick(this.programs);
    if (signal === 'SIGTERM') await program.stop();
    else {
      const workers = await listWorkers(program);
      this.killedAt = performance.now();
      program.signal('SIGKILL');
      for (const pid of workers) killIfThere(pid);
      await program.waitForExit();
    }
    await program.start();
  }

  /** Configures the same nodes in another order, which is another network to the service. */
  async reconfigure(): Promise<void> {
    this.#order++;
    for (const program of this.programs) {
      program.configure(this.#config(this.#order));
      program.signal('SIGHUP');
    }
    await sleep(1_000);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.dispose()));
    await this.store?.close();
  }
}

/** @param order number of places by which the nodes are rotated */
export function networkOf(
  urls: readonly string[],
  genesisHash: string,
  order: number,
): Record<string, unknown> {
  const by = order % urls.length;
  return {
    log: { level: 'warn' },
    defaultNetwork: 'chaos',
    networks: {
      chaos: {
        hosts: ['chaos.localhost'],
        upstreams: [...urls.slice(by), ...urls.slice(0, by)],
        pool: { chainId: CHAIN_ID, genesisHash },
      },
    },
  };
}

/** Process ids of the workers; empty when the workers do not answer now. */
async function listWorkers(program: Program): Promise<number[]> {
  try {
    return (await program.readStatus()).processes.map(({ pid }) => pid);
  } catch {
    return [];
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

async function readHead(port: number, path: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  const { result } = (await response.json()) as { readonly result?: string };
  return Number(result ?? -1);
}
