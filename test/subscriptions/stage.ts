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
import { type NodeKind, Service } from './service.ts';

/** Two nodes announce their heads, and one is polled. */
const TRANSPORTS = ['ws', 'ws', 'http'] as const;
/** Blocks made before subscribers start, so that no reorg reaches START_BLOCK, after which they begin. */
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
  readonly service: Service;
  readonly sessions: readonly Session[];
  readonly pollers: readonly FilterPoller[];
  readonly #random: Random;

  constructor(
    chain: ForkChain,
    peers: readonly Peer[],
    service: Service,
    sessions: readonly Session[],
    random: Random,
  ) {
    this.chain = chain;
    this.peers = peers;
    this.service = service;
    this.sessions = sessions;
    this.pollers = [undefined, ...CRITERIA].map(
      (criteria, at) =>
        new FilterPoller(`filter ${at}, ${JSON.stringify(criteria)}`, criteria, service, (hash) =>
          chain.find(hash),
        ),
    );
    this.#random = random;
  }

  /** @param subscribers number of subscribers on each connection */
  static async open(kind: NodeKind, seed: number, subscribers: number, replicas: number): Promise<Stage> {
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
    const first = chain.extend(chain.genesis, FIRST_BLOCKS);
    for (const peer of peers) peer.follow(first);
    const service = await Service.start(
      processes.map(({ url }) => url),
      chain.genesis.hash,
      { replicas },
    );
    await waitUntil(
      async () => (await service.readHeads()).every((head) => head === first.number),
      SERVED_MS,
    );
    const sessions: Session[] = [];
    for (const [at, [name, connect]] of CLIENTS.entries()) {
      const proxy = await CutProxy.open(pickProgram(service, at).port);
      const followers = createFollowers(name, subscribers, chain.since(START_BLOCK - 1)[0] as ForkBlock);
      sessions.push(
        new Session(name, connect, proxy, `/ws${service.path}`, followers, (refusal) =>
          explainRefusal(refusal, peers),
        ),
      );
    }
    return new Stage(chain, peers, service, sessions, random);
  }

  get followers(): readonly Follower[] {
    return this.sessions.flatMap(({ followers }) => followers);
  }

  /** Makes every node follow the head, each after its own random delay. */
  moveTo(head: ForkBlock): void {
    for (const peer of this.peers) {
      const timer = setTimeout(() => peer.follow(this.chain.head), this.#random.below(FORWARD_MS));
      timer.unref();
    }
    if (head !== this.chain.head) throw new Error('only the head of the chain is followed');
  }

  /** Ends one program and starts it again on another port. */
  async restartProgram(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.service.restart(this.#random, signal);
    for (const [at, { proxy }] of this.sessions.entries())
      proxy.targetPort = pickProgram(this.service, at).port;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.sessions, ...this.pollers].map((client) => client.stop()));
    await this.service.dispose();
    await Promise.all(this.peers.map((peer) => peer.dispose()));
  }
}

/** Assigns connections to the replicas in rotation. */
function pickProgram({ programs }: Service, at: number): Program {
  return programs[at % programs.length] as Program;
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

/** Lists the nodes that have the block named in a refusal. */
async function explainRefusal(refusal: string, peers: readonly Peer[]): Promise<string> {
  const [hash] = /0x[0-9a-f]{64}/.exec(refusal) ?? [];
  if (hash === undefined) return refusal;
  const known = await Promise.all(
    peers.map(async ({ name, process, isDisturbed }) => {
      const late = sleep(ASK_MS, undefined, { ref: false });
      const requested = askerOf(process.httpUrl)('eth_getBlockByHash', hash, false).catch(() => undefined);
      const found = await Promise.race([requested, late]);
      const state = found === undefined ? 'does not answer' : found === null ? 'does not have it' : 'has it';
      return `${name} ${state}${isDisturbed ? ' (disturbed)' : ''}`;
    }),
  );
  return `${refusal}: ${known.join(', ')}`;
}
