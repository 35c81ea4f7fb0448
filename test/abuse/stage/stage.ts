/** The service under attack: the program as a user starts it, its keys, and nodes behind its networks. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MAIN } from '../../../scripts/program-files.ts';
import { createCertificate } from '../../support/certificate.ts';
import { Program } from '../../support/program.ts';
import type { AbuserKey, Target } from '../abuse.ts';
import { HOSTILE_NETWORKS, NODE_CHAIN_ID } from './hostile-networks.ts';
import type { NodeUrls } from './node-child.ts';
import { StateNode } from './state-node.ts';

const NODE_CHILD = join(import.meta.dirname, 'node-child.js');
/** Slow polling, since requests of the service itself are no part of an abuse. */
const RARELY_POLLED = { blockTime: '12s', pollInterval: '2s' } as const;
/** A real node is on another machine: with too few processors the service has priority over it, and it over the attackers. */
const NODE_PRIORITY = 8;
const ABUSER_ADDRESS = '127.0.0.66';
/** Source address for wrong keys: it is refused for a while, also with a key that the service has not seen yet. */
const GUESSER_ADDRESS = '127.0.0.67';
/** Key that does not exist. */
const WRONG_KEY = 'ffffffffffffffffffffffffffffffff';

export type KeyName = 'neighbour' | 'rated' | 'unlimited' | 'probe';

/** Limits of the keys, as options of `keys create`. `probe` pays for two bodies, and then for one a second. */
const KEYS: Readonly<Record<KeyName, readonly string[]>> = {
  neighbour: [],
  rated: ['--rate', '50/50'],
  unlimited: [],
  probe: ['--rate', '1/2'],
};

const NETWORKS = {
  devnet: { builtin: 'devnet', hosts: ['devnet.localhost', '127.0.0.1'] },
  rollup: {
    builtin: 'rollup',
    hosts: ['rollup.localhost'],
    rollup: { family: 'linea', prefix: 'linea', mode: 'sequencer', l1: 'devnet' },
  },
  prague: { builtin: 'op-rollup', hosts: ['prague.localhost'] },
} as const;
/** Shorter than the defaults, so that they expire within an attack; all limits of sizes and numbers are the defaults. */
const TIME_LIMITS = {
  headersTimeout: '2s',
  bodyTimeout: '3s',
  sendTimeout: '3s',
  handshakeTimeout: '2s',
} as const;

const run = promisify(execFile);

export type StageOptions = {
  /** Whether the service speaks TLS. */
  readonly isSecure: boolean;
  /** Whether its time limits expire within an attack; a busy machine would exceed them without one. */
  readonly hasShortTimes: boolean;
};

export class Stage {
  readonly program: Program;
  readonly isSecure: boolean;
  readonly #keys: Readonly<Record<KeyName, string>>;
  readonly #node: ChildProcess;
  readonly #stateNode: StateNode;

  private constructor(
    program: Program,
    keys: Readonly<Record<KeyName, string>>,
    nodes: { readonly node: ChildProcess; readonly stateNode: StateNode },
    isSecure: boolean,
  ) {
    this.program = program;
    this.#keys = keys;
    this.#node = nodes.node;
    this.#stateNode = nodes.stateNode;
    this.isSecure = isSecure;
  }

  static async open({ isSecure, hasShortTimes }: StageOptions): Promise<Stage> {
    const node = fork(NODE_CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    setPriority(node.pid as number, NODE_PRIORITY);
    const [{ url, hostile }] = (await once(node, 'message')) as [NodeUrls];
    const pool = { chainId: NODE_CHAIN_ID };
    const upstreams = Object.fromEntries(
      HOSTILE_NETWORKS.map(({ name }, index) => [
        name,
        { hosts: [`${name}.localhost`], upstreams: [hostile[index]], pool: { ...pool, ...RARELY_POLLED } },
      ]),
    );
    const nodes = { hosts: ['nodes.localhost'], upstreams: [url], pool };
    const stateNode = await StateNode.start(NODE_PRIORITY);
    const program = new Program({});
    const config = {
      networks: { ...NETWORKS, nodes, state: stateNode.network, ...upstreams },
      limits: hasShortTimes ? TIME_LIMITS : {},
    };
    program.configure(isSecure ? { ...config, listen: { port: 0, tls: writeCertificate(program) } } : config);
    const entries: [string, string][] = [];
    for (const [name, options] of Object.entries(KEYS)) {
      entries.push([name, await createKey(program, name, options)]);
    }
    await program.start();
    return new Stage(
      program,
      Object.fromEntries(entries) as Record<KeyName, string>,
      { node, stateNode },
      isSecure,
    );
  }

  /** Processes of the nodes. */
  get nodePids(): readonly number[] {
    return [this.#node.pid as number, this.#stateNode.pid];
  }

  keyOf(name: KeyName): string {
    return this.#keys[name];
  }

  targetFor(key: AbuserKey | 'probe'): Target {
    return {
      port: this.program.port,
      key: key === 'none' ? WRONG_KEY : this.#keys[key],
      address: key === 'none' ? GUESSER_ADDRESS : ABUSER_ADDRESS,
      isSecure: this.isSecure,
    };
  }

  /** Restarts the program with the same data. */
  async restart(): Promise<void> {
    this.program.signal('SIGKILL');
    await this.program.waitForExit();
    await this.program.start();
  }

  async close(): Promise<void> {
    await this.program.dispose();
    await this.#stateNode.close();
    if (this.#node.connected) this.#node.disconnect();
  }
}

/** Runs `portcullis keys create`, like an operator. */
async function createKey(program: Program, name: string, options: readonly string[]): Promise<string> {
  const args = [MAIN, 'keys', 'create', '--config', program.configFile, '--name', name, ...options];
  const { stdout } = await run(process.execPath, args);
  return stdout.trim();
}

function writeCertificate(program: Program): { readonly cert: string; readonly key: string } {
  const { cert, key } = createCertificate();
  const files = { cert: join(program.folder, 'cert.pem'), key: join(program.folder, 'key.pem') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return files;
}
