/** Nodes, the shipped program in front of them, and clients. */
import { setTimeout as sleep } from 'node:timers/promises';
import { askerOf } from '../clients/operations.ts';
import { Random } from '../geth/requests/random.ts';
import type { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import { CONTRACTS, type ForkBlock, ForkChain, TOPICS } from './chain/fork-chain.ts';
import type { Connect } from './clients/connection.ts';
import { CutProxy } from './clients/cut-proxy.ts';
import { FilterPoller } from './clients/filter-poller.ts';
import type { Follower } from './clients/follower.ts';
import { HeadsFollower, type HeadsStart } from './clients/heads-follower.ts';
import { connectEthers, connectRaw, connectViem } from './clients/libraries.ts';
import { type Criteria, LogsFollower } from './clients/logs-follower.ts';
import { Session } from './clients/session.ts';
import { GethProcess } from './nodes/geth-process.ts';
import { type NodeProcess, Peer } from './nodes/peer.ts';
import { ScriptedProcess } from './nodes/scripted-process.ts';
import { createService, type NodeKind, networkOf } from './service.ts';

/** Two that announce their heads, and one that is polled. */
const TRANSPORTS = ['ws', 'ws', 'http'] as const;
/** In no reorg: what subscribers begin behind. */
const FIRST_BLOCKS = 12;
const START_BLOCK = 2;
const SERVED_MS = 60_000;
const FORWARD_MS = 150;
const ASK_MS = 2_000;

const CLIENTS: readonly (readonly [name: string, connect: Connect])[] = [
  ['ethers', connectEthers],
  ['viem', connectViem],
  ['raw 1', connectRaw],
  ['raw 2', connectRaw],
];
const HEADS_STARTS: readonly HeadsStart[] = ['afterHash', 'fromBlock', 'none'];
const [A, B, C] = CONTRACTS as [string, string, string];
const [ONE, TWO, THREE] = TOPICS as [string, string, string];
const CRITERIA: readonly Criteria[] = [
  {},
  { address: A },
  { address: [A, B] },
  { topics: [ONE] },
  { topics: [null, TWO] },
  { topics: [[ONE, TWO], null] },
  { address: C, topics: [[THREE, ONE]] },
  { address: B, topics: [null, null, null, THREE] },
];

export class Stage {
  readonly chain: ForkChain;
  readonly peers: readonly Peer[];
  readonly program: Program;
  /** Where requests go to. */
  readonly path: string;
  readonly sessions: readonly Session[];
  readonly pollers: readonly FilterPoller[];
  readonly #network: (order: number) => object;
  #order = 0;
  #isServiceBusy = false;
  readonly #random: Random;

  constructor(
    chain: ForkChain,
    peers: readonly Peer[],
    service: { readonly program: Program; readonly path: string },
    sessions: readonly Session[],
    network: (order: number) => object,
    random: Random,
  ) {
    this.chain = chain;
    this.peers = peers;
    this.program = service.program;
    this.path = service.path;
    this.sessions = sessions;
    this.#network = network;
    this.pollers = [undefined, ...CRITERIA].map(
      (criteria, at) =>
        new FilterPoller(
          `filter ${at}, ${JSON.stringify(criteria)}`,
          criteria,
          () => `http://127.0.0.1:${service.program.port}${service.path}`,
          (hash) => chain.find(hash),
        ),
    );
    this.#random = random;
  }

  /** @param subscribers on each connection */
  static async open(kind: NodeKind, seed: number, subscribers: number): Promise<Stage> {
    const random = new Random(seed, 1);
    const chain = new ForkChain(new Random(seed, 2));
    const processes: NodeProcess[] = await Promise.all(
      TRANSPORTS.map((transport) =>
        kind === 'geth'
          ? GethProcess.start(chain.genesisText, transport)
          : ScriptedProcess.start(chain.genesis, transport),
      ),
    );
    const peers = processes.map((process, at) => new Peer(`node ${at + 1}`, process, chain.genesis));
    const network = (order: number): object =>
      networkOf(
        processes.map(({ url }) => url),
        chain.genesis.hash,
        order,
      );
    const first = chain.extend(chain.genesis, FIRST_BLOCKS);
    for (const peer of peers) peer.follow(first);
    const { program, path } = await createService(network(0));
    await program.start();
    await waitUntil(async () => (await readHead(program.port, path)) === first.number, SERVED_MS);
    const sessions: Session[] = [];
    for (const [name, connect] of CLIENTS) {
      const proxy = await CutProxy.open(program.port);
      const followers = createFollowers(name, subscribers, chain.since(START_BLOCK - 1)[0] as ForkBlock);
      sessions.push(
        new Session(name, connect, proxy, `/ws${path}`, followers, (refusal) =>
          explainRefusal(refusal, peers),
        ),
      );
    }
    return new Stage(chain, peers, { program, path }, sessions, network, random);
  }

  get followers(): readonly Follower[] {
    return this.sessions.flatMap(({ followers }) => followers);
  }

  /** Gives every node this head, each when it comes to it. */
  moveTo(head: ForkBlock): void {
    for (const peer of this.peers) {
      const timer = setTimeout(() => peer.follow(this.chain.head), this.#random.below(FORWARD_MS));
      timer.unref();
    }
    if (head !== this.chain.head) throw new Error('only the head of the chain is followed');
  }

  /** Undefined while something else happens to the service. */
  whenServiceIsCalm(action: () => Promise<void>): Promise<void> | undefined {
    if (this.#isServiceBusy) return undefined;
    this.#isServiceBusy = true;
    return action().finally(() => {
      this.#isServiceBusy = false;
    });
  }

  async killWorker(random: Random): Promise<void> {
    const workers = await this.#listWorkers();
    if (workers.length === 0) return;
    const pid = random.pick(workers);
    process.kill(pid, 'SIGKILL');
    await waitUntil(async () => {
      const now = await this.#listWorkers();
      return now.length >= 2 && !now.includes(pid);
    }, SERVED_MS);
  }

  /** None where the workers do not answer now. */
  async #listWorkers(): Promise<number[]> {
    try {
      return (await this.program.readStatus()).processes.map(({ pid }) => pid);
    } catch {
      return [];
    }
  }

  async restartService(): Promise<void> {
    await this.program.stop();
    await this.program.start();
    for (const { proxy } of this.sessions) proxy.targetPort = this.program.port;
  }

  /** The same nodes in another order: to the service another network. */
  async reconfigure(): Promise<void> {
    this.#order++;
    this.program.configure({ ...(this.#network(this.#order) as Record<string, unknown>) });
    this.program.signal('SIGHUP');
    await sleep(1_000);
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.sessions, ...this.pollers].map((client) => client.stop()));
    await this.program.dispose();
    await Promise.all(this.peers.map((peer) => peer.dispose()));
  }
}

function createFollowers(client: string, count: number, start: ForkBlock): Follower[] {
  return Array.from({ length: count }, (_, at): Follower => {
    if (at % 5 < 2) {
      const how = HEADS_STARTS[at % HEADS_STARTS.length] as HeadsStart;
      return new HeadsFollower(`${client}: newHeads ${at}, ${how}`, how, start);
    }
    const criteria = CRITERIA[at % CRITERIA.length] as Criteria;
    return new LogsFollower(`${client}: logs ${at}, ${JSON.stringify(criteria)}`, criteria, start);
  });
}

/** Which nodes have the block that a refusal names. */
async function explainRefusal(refusal: string, peers: readonly Peer[]): Promise<string> {
  const [hash] = /0x[0-9a-f]{64}/.exec(refusal) ?? [];
  if (hash === undefined) return refusal;
  const known = await Promise.all(
    peers.map(async ({ name, process, isDisturbed }) => {
      const late = sleep(ASK_MS, undefined, { ref: false });
      const asked = askerOf(process.httpUrl)('eth_getBlockByHash', hash, false).catch(() => undefined);
      const found = await Promise.race([asked, late]);
      const state = found === undefined ? 'does not answer' : found === null ? 'does not have it' : 'has it';
      return `${name} ${state}${isDisturbed ? ' (disturbed)' : ''}`;
    }),
  );
  return `${refusal}: ${known.join(', ')}`;
}

async function readHead(port: number, path: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  const { result } = (await response.json()) as { readonly result?: string };
  return Number(result ?? -1);
}
