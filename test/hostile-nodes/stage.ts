/** The measured program of one batch: the shipped one, with a neighbour's network and one network for each case. */
import { join } from 'node:path';
import type { UpstreamStatus } from '../../src/observe/status.ts';
import type { FixedQuestion, Lane } from '../operations/load/plan.ts';
import { createKey } from '../operations/support/keys.ts';
import { DEVNET, postText } from '../support/ask-program.ts';
import { FACTS } from '../support/development.ts';
import { Program, waitUntil } from '../support/program.ts';
import type { Question } from '../verified/truth.ts';
import type { HostileCase } from './cases.ts';
import { probeLauncher } from './measure/main-thread.ts';
import type { Nodes } from './nodes/nodes.ts';
import { findHostileQuestion } from './questions.ts';

/** Shorter than by default, so that a case ends; all bounds of sizes and numbers are the defaults. */
const LIMITS = { requestTimeout: '4s', drainTimeout: '1s' } as const;
const POOL = {
  chainId: Number(FACTS.devnet.chainId),
  connectTimeout: '1s',
  answerTimeout: '2s',
  stallTimeout: '2s',
  pollInterval: '200ms',
  blockTime: '1s',
} as const;
const CALL_TIMEOUT = '3s';
/** What the attacked node is called in the status. */
const HOSTILE = 'hostile';
/** A client waits so much longer than the service's own limit before an answer counts as a hang. */
const HANG_MS = 10_000;
const IN_FORCE = 'the new configuration is in force';
const RELOAD_MS = 60_000;
const STOP_MS = 8_000;

const LANES: readonly (Pick<Lane, 'name' | 'transport' | 'connections' | 'perSecond'> & {
  readonly asks?: readonly Question[];
})[] = [
  { name: 'calls', transport: 'http', connections: 4, perSecond: 60 },
  {
    name: 'reads',
    transport: 'http',
    connections: 4,
    perSecond: 40,
    asks: [
      { method: 'eth_blockNumber', params: [] },
      { method: 'eth_getBlockReceipts', params: ['0x1'] },
      { method: 'eth_call', params: [FACTS.devnet.calls.tokenBalance, 'latest'] },
      { method: 'eth_estimateGas', params: [FACTS.devnet.calls.tokenTransfer] },
    ],
  },
  { name: 'WebSocket', transport: 'webSocket', connections: 1, perSecond: 40 },
];

export class Stage {
  readonly program: Program;
  readonly stallFile: string;
  readonly #key: string;
  #reloads = 0;

  private constructor(program: Program, stallFile: string, key: string) {
    this.program = program;
    this.stallFile = stallFile;
    this.#key = key;
  }

  /** Starts the program with the neighbour's network alone. */
  static async open(): Promise<Stage> {
    // A launcher is chosen before the folder of a program is known.
    const launcher: string[] = [];
    const program = new Program({ networks: DEVNET, limits: LIMITS }, launcher);
    const stallFile = join(program.folder, 'stalls');
    launcher.push(...probeLauncher(stallFile));
    const { key } = await createKey(program);
    await program.start();
    return new Stage(program, stallFile, key);
  }

  /** The neighbour's requests, with the answers that it gets while nothing else happens. */
  async planNeighbour(): Promise<readonly Lane[]> {
    const { port } = this.program;
    const learn = async ({ method, params }: Question): Promise<FixedQuestion> => {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const { body } = await postText(port, text, { key: this.#key });
      return { method, params, result: JSON.stringify((body as { readonly result: unknown }).result) };
    };
    return Promise.all(
      LANES.map(async ({ asks, ...lane }): Promise<Lane> => {
        const questions = asks && (await Promise.all(asks.map(learn)));
        return { ...lane, port, key: this.#key, ...(questions && { questions }) };
      }),
    );
  }

  /** Serves the networks of the cases instead of those of before, while the program runs. @throws Error where they do not come into force */
  async addNetworks(cases: readonly HostileCase[], urls: readonly string[], nodes: Nodes): Promise<void> {
    const networks = cases.map((row, index) => [
      nameNetwork(index),
      {
        hosts: [`${nameNetwork(index)}.localhost`],
        upstreams: listUpstreams(row, urls[index] as string, nodes),
        pool: POOL,
        callTimeout: CALL_TIMEOUT,
        methods: { also: ['debug_traceTransaction'] },
      },
    ]);
    this.program.configure({ networks: { ...DEVNET, ...Object.fromEntries(networks) }, limits: LIMITS });
    this.program.signal('SIGHUP');
    this.#reloads++;
    const count = (): number => this.program.log.filter(({ msg }) => msg === IN_FORCE).length;
    await waitUntil(() => count() >= this.#reloads, RELOAD_MS);
  }

  /** Asks the network of a case. @returns undefined where there is no answer long after the service's own limit */
  async ask(index: number, id: number, { method, params }: Question): Promise<string | undefined> {
    try {
      const response = await fetch(
        `http://127.0.0.1:${this.program.port}/${nameNetwork(index)}/v3/${this.#key}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
          signal: AbortSignal.timeout(HANG_MS),
        },
      );
      return await response.text();
    } catch {
      return undefined;
    }
  }

  /** The hostile node of each case, as the status has it; nothing where there is none in time. */
  async readNodes(): Promise<ReadonlyMap<number, UpstreamStatus>> {
    const status = await Promise.race([this.program.readStatus(), sleepQuietly()]).catch(() => undefined);
    const rows = (status?.networks ?? []).flatMap(({ name, upstreams }) => {
      const found = upstreams.find((upstream) => upstream.name === HOSTILE);
      return found === undefined ? [] : [[readIndex(name), found] as const];
    });
    return new Map(rows);
  }

  /** Stops it as an operator does. @returns whether it ended by itself in time */
  async stop(): Promise<boolean> {
    this.program.signal('SIGTERM');
    const hasEnded = await waitUntil(() => !this.program.isRunning, STOP_MS).then(
      () => true,
      () => false,
    );
    await this.program.dispose();
    return hasEnded;
  }
}

const STATUS_MS = 2_000;

function sleepQuietly(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), STATUS_MS).unref());
}

function nameNetwork(index: number): string {
  return `case${index}`;
}

function readIndex(name: string): number {
  return Number(name.slice('case'.length));
}

function listUpstreams({ question, topology, transport }: HostileCase, url: string, nodes: Nodes): object[] {
  const hostile = { url, name: HOSTILE };
  if (topology === 'one of one') return [hostile];
  const { ask, isAskedOfOne } = findHostileQuestion(question);
  const isLate = ask === undefined;
  const pair = nodes.honest[isLate ? 'late' : 'always'];
  const [first, second] = transport === 'HTTP' ? pair.http : pair.webSocket;
  // What one node is asked is asked of the hostile one first.
  const tier = isAskedOfOne === true ? 2 : 1;
  return [hostile, { url: first, name: 'honest-1', tier }, { url: second, name: 'honest-2', tier }];
}
