/** A run: disturbances one after another while the chain grows, then a quiet period, then the checks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { askerOf } from '../clients/operations.ts';
import { Random } from '../geth/requests/random.ts';
import type { ForkBlock, ForkChain } from './chain/fork-chain.ts';
import { type Faults, NO_FAULTS } from './clients/follower.ts';
import { type Aftermath, disturb } from './disturbances.ts';
import type { Peer } from './nodes/peer.ts';
import type { NodeKind } from './service.ts';
import { Stage } from './stage.ts';

export type RunOptions = {
  readonly nodes: NodeKind;
  readonly disturbances: number;
  readonly seed: number;
  /** Subscribers on each of the four connections. */
  readonly subscribers: number;
  /** Number of programs; more than one share a server of records. */
  readonly replicas: number;
  /** Average milliseconds between two disturbances. */
  readonly pauseMs: number;
  /** Receives progress lines. */
  readonly say: (line: string) => void;
};

export type RunReport = {
  readonly faults: Faults;
  readonly complaints: readonly string[];
  /** Disturbances by kind. */
  readonly happened: ReadonlyMap<string, number>;
  readonly blocks: number;
  /** Blocks made that are not on the final chain. */
  readonly orphans: number;
  readonly notifications: number;
  readonly connections: number;
  /** Changes returned by filters, number of filters, and responses sent again after the end of a process. */
  readonly polled: { readonly changes: number; readonly filters: number; readonly repeated: number };
  /** Failed connection attempts by error text. */
  readonly failedConnections: ReadonlyMap<string, number>;
  /** Refused subscriptions by error text. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly refusedPolls: ReadonlyMap<string, number>;
  readonly errors: readonly string[];
  readonly seconds: number;
};

const BLOCK_MS = 250;
const LAST_BLOCKS = 8;
const COMPLETE_MS = 90_000;
const SAY_EVERY = 50;
/** pino's level of errors. */
const ERROR_LEVEL = 50;

export async function runDisturbances(options: RunOptions): Promise<RunReport> {
  const { nodes, seed, subscribers, replicas } = options;
  const startedAt = performance.now();
  const stage = await Stage.open(nodes, seed, subscribers, replicas);
  let isGrowing = true;
  try {
    for (const client of [...stage.sessions, ...stage.pollers]) client.start();
    const growth = grow(stage, () => isGrowing);
    const happened = await disturbAll(stage, options);
    options.say('quiet');
    await sleep(BLOCK_MS * LAST_BLOCKS);
    isGrowing = false;
    await growth;
    await complete(stage);
    options.say('settled');
    await Promise.all(stage.peers.map((peer) => verify(peer, stage.chain)));
    return check(stage, happened, performance.now() - startedAt);
  } finally {
    isGrowing = false;
    await stage.dispose();
  }
}

async function grow(stage: Stage, isGrowing: () => boolean): Promise<void> {
  while (isGrowing()) {
    stage.moveTo(stage.chain.extend(stage.chain.head, 1));
    await sleep(BLOCK_MS);
  }
}

async function disturbAll(
  stage: Stage,
  { disturbances, seed, pauseMs, say }: RunOptions,
): Promise<Map<string, number>> {
  const random = new Random(seed, 3);
  const happened = new Map<string, number>();
  const open = new Set<Promise<void>>();
  const failures: Error[] = [];
  for (let count = 1; count <= disturbances; count++) {
    const { kind, over }: Aftermath = await disturb(stage, random);
    happened.set(kind, (happened.get(kind) ?? 0) + 1);
    const watched = over
      .catch((error: Error) => void failures.push(new Error(`${kind}: ${error.message}`)))
      .finally(() => open.delete(watched));
    open.add(watched);
    if (failures[0] !== undefined) throw failures[0];
    if (count % SAY_EVERY === 0) say(`${count} disturbances, block ${stage.chain.head.number}`);
    await sleep(random.below(2 * pauseMs));
  }
  await Promise.all(open);
  if (failures[0] !== undefined) throw failures[0];
  return happened;
}

/** Waits until every subscriber is complete, or until the time limit. */
async function complete({ chain, followers, pollers }: Stage): Promise<void> {
  const until = performance.now() + COMPLETE_MS;
  while (performance.now() < until && ![...followers, ...pollers].every((one) => one.isAt(chain.head)))
    await sleep(250);
  // Notifications that arrive from now on are excess ones.
  await sleep(500);
}

/** @throws Error unless the node has the expected chain and all its logs, with which subscribers are compared */
async function verify(peer: Peer, { head }: ForkChain): Promise<void> {
  const { name, process } = peer;
  await peer.whenThere();
  const ask = askerOf(process.httpUrl);
  const latest = (await ask('eth_getBlockByNumber', 'latest', false)) as { readonly hash: string };
  if (latest.hash !== head.hash) throw new Error(`${name} is at ${latest.hash}, the chain at ${head.hash}`);
  const logs = (await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })) as readonly NodeLog[];
  const expected: string[] = [];
  for (let at: ForkBlock | undefined = head; at !== undefined; at = at.parent)
    expected.push(...at.logs.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`));
  const found = logs.map(({ blockHash, logIndex }) => `${blockHash} ${Number(logIndex)}`);
  if (found.sort().join() !== expected.sort().join())
    throw new Error(`${name} has ${found.length} logs, the chain ${expected.length}, or others`);
}

type NodeLog = { readonly blockHash: string; readonly logIndex: string };

function check(stage: Stage, happened: ReadonlyMap<string, number>, ms: number): RunReport {
  const { chain, followers, sessions, pollers } = stage;
  const faults: Faults = { ...NO_FAULTS };
  const complaints: string[] = [];
  for (const { name, state, followers: own } of sessions)
    if (!own.every((one) => one.isAt(chain.head))) complaints.push(`${name}: ${state}`);
  for (const follower of followers) {
    follower.check(chain.head);
    for (const kind of Object.keys(faults) as (keyof Faults)[]) faults[kind] += follower.faults[kind];
    complaints.push(...follower.complaints.map((complaint) => `${follower.name}: ${complaint}`));
  }
  for (const poller of pollers) {
    const { faults: own, complaints: words } = poller.check(chain.head);
    for (const kind of Object.keys(faults) as (keyof Faults)[]) faults[kind] += own[kind];
    complaints.push(...words);
  }
  return {
    faults,
    complaints,
    happened,
    blocks: chain.head.number,
    orphans: chain.made - chain.head.number,
    notifications: followers.reduce((sum, { received }) => sum + received, 0),
    connections: sessions.reduce((sum, { opened }) => sum + opened, 0),
    polled: {
      changes: pollers.reduce((sum, { received }) => sum + received, 0),
      filters: pollers.reduce((sum, { made }) => sum + made, 0),
      repeated: pollers.reduce((sum, { repeated }) => sum + repeated, 0),
    },
    failedConnections: sumUp(sessions.map(({ failures }) => failures)),
    refusals: sumUp(sessions.map((session) => session.refusals)),
    refusedPolls: sumUp(pollers.map((poller) => poller.refusals)),
    errors: stage.service.programs.flatMap(({ log }) =>
      log
        .filter(({ level }) => level >= ERROR_LEVEL)
        .map(({ msg, stack }) => (stack === undefined ? msg : `${msg} ${stack}`)),
    ),
    seconds: ms / 1_000,
  };
}

function sumUp(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [text, count] of counts.flatMap((some) => [...some]))
    sums.set(text, (sums.get(text) ?? 0) + count);
  return sums;
}
