/** The measured program of a batch: the shipped one, with a neighbour's network and one network per case. */
import { join } from 'node:path';
import type { UpstreamStatus } from '../../src/observe/status.ts';
import type { FixedQuestion, Lane } from '../operations/load/plan.ts';
import { DEVNET, postText } from '../support/ask-program.ts';
import { FACTS } from '../support/development.ts';
import { createKey } from '../support/keys.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Request } from '../verified/truth.ts';
import type { HostileCase } from './cases.ts';
import { type Examination, examine } from './examination.ts';
import { probeLauncher } from './measure/main-thread.ts';
import { type CaseConfig, configureCase, HOSTILE } from './networks.ts';
import type { Nodes } from './nodes/nodes.ts';

/** Shorter time limits than by default, so that a case ends; all limits of sizes and numbers are the defaults. */
const LIMITS = { requestTimeout: '4s', drainTimeout: '1s' } as const;
/** A token whose form makes the service fetch the key set; no key verifies it. */
const TOKEN = [{ alg: 'RS256', kid: 'a' }, { exp: 4_000_000_000 }, 'signature']
  .map((part) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'))
  .join('.');
/** Text in place of an answer that the service cut off: data already sent turned out to be wrong, or too long. */
export const CUT = 'the answer was broken off';
/** Time beyond the service's own limit after which a client counts an answer as a hang. */
const HANG_MS = 10_000;
const IN_FORCE = 'the new configuration is in force';
const RELOAD_MS = 60_000;
const STOP_MS = 8_000;

const LANES: readonly (Pick<Lane, 'name' | 'transport' | 'connections' | 'perSecond'> & {
  readonly asks?: readonly Request[];
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
  readonly #isTimed: boolean;
  #reloads = 0;
  #cases: readonly CaseConfig[] = [];

  private constructor(program: Program, stallFile: string, key: string, isTimed: boolean) {
    this.program = program;
    this.stallFile = stallFile;
    this.#key = key;
    this.#isTimed = isTimed;
  }

  /**
   * Starts the program with the neighbour's network alone.
   * @param isTimed whether processes beside it must not take processor time from it
   */
  static async open(isTimed: boolean): Promise<Stage> {
    // The launcher is chosen before the program's folder is known.
    const launcher: string[] = [];
    const program = new Program({ networks: DEVNET, limits: LIMITS }, launcher);
    const stallFile = join(program.folder, 'stalls');
    launcher.push(...probeLauncher(stallFile));
    const { key } = await createKey(program);
    await program.start();
    return new Stage(program, stallFile, key, isTimed);
  }

  /** Plans the neighbour's requests, with the answers that it gets without load. */
  async planNeighbour(): Promise<readonly Lane[]> {
    const { port } = this.program;
    const learn = async ({ method, params }: Request): Promise<FixedQuestion> => {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const { body } = await postText(port, text, { key: this.#key });
      return { method, params, result: JSON.stringify((body as { readonly result: unknown }).result) };
    };
    return Promise.all(
      LANES.map(async ({ asks, ...lane }): Promise<Lane> => {
        const requests = asks && (await Promise.all(asks.map(learn)));
        return { ...lane, port, key: this.#key, ...(requests && { requests }) };
      }),
    );
  }

  /** Replaces the networks of the previous cases while the program runs. @throws Error where they do not come into force */
  async addNetworks(cases: readonly HostileCase[], urls: readonly string[], nodes: Nodes): Promise<void> {
    this.#cases = cases.map((row, index) =>
      configureCase(row, nameNetwork(index), urls[index] as string, nodes),
    );
    const networks = this.#cases.map(({ network }, index) => [nameNetwork(index), network]);
    const issuers = this.#cases.flatMap(({ issuer }, index) =>
      issuer === undefined ? [] : [[nameNetwork(index), issuer] as const],
    );
    this.program.configure({
      networks: { ...DEVNET, ...Object.fromEntries(networks) },
      limits: LIMITS,
      access: { jwt: Object.fromEntries(issuers) },
    });
    this.program.signal('SIGHUP');
    this.#reloads++;
    const count = (): number => this.program.log.filter(({ msg }) => msg === IN_FORCE).length;
    await waitUntil(() => count() >= this.#reloads, RELOAD_MS);
  }

  /** Sends a request to the network of a case. @returns undefined where no answer arrives long after the service's own limit */
  async ask(index: number, id: number, { method, params }: Request): Promise<string | undefined> {
    return this.#post(index, this.#key, {}, id, { method, params });
  }

  /** Sends a request with a token that is verified by the key set of the case. */
  async askWithToken(index: number, id: number, request: Request): Promise<string | undefined> {
    const { key } = await createKey(this.program, { jwt: nameNetwork(index) });
    return this.#post(index, key, { authorization: `Bearer ${TOKEN}` }, id, request);
  }

  /** Runs `doctor` on the network of a case. */
  examine(index: number): Promise<Examination> {
    return examine(nameNetwork(index), this.#cases[index]?.network as object, this.#isTimed);
  }

  async #post(
    index: number,
    key: string,
    headers: Readonly<Record<string, string>>,
    id: number,
    { method, params }: Request,
  ): Promise<string | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.program.port}/${nameNetwork(index)}/v3/${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        signal: AbortSignal.timeout(HANG_MS),
      });
      return await response.text();
    } catch (error) {
      return (error as Error).name === 'TimeoutError' ? undefined : CUT;
    }
  }

  /** Reads the hostile node of each case from the status; empty where none is there in time. */
  async readNodes(): Promise<ReadonlyMap<number, UpstreamStatus>> {
    const status = await Promise.race([this.program.readStatus(), sleepQuietly()]).catch(() => undefined);
    const rows = (status?.networks ?? []).flatMap(({ name, upstreams }) => {
      const found = upstreams.find((upstream) => upstream.name === HOSTILE);
      return found === undefined ? [] : [[readIndex(name), found] as const];
    });
    return new Map(rows);
  }

  /** Stops the program by SIGTERM, like an operator. @returns whether it ended by itself in time */
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
