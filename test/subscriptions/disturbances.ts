/** Disturbances of nodes, chain, clients and service, chosen by a seed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../geth/requests/random.ts';
import { ancestorOf } from './chain/fork-chain.ts';
import type { Peer } from './nodes/peer.ts';
import type { Stage } from './stage.ts';

export const MAX_REORG = 5;
/** Most nodes disturbed individually at the same time. */
const DISTURBED_PEERS = 2;
const MAX_HOLD_MS = 2_000;
const MAX_AWAY_MS = 2_500;
const MAX_CUT_BYTES = 4_000;

export type DisturbanceKind =
  | 'reorg'
  | 'shorter branch'
  | 'node on another branch'
  | 'node lags'
  | 'node paused'
  | 'all nodes paused'
  | 'node killed'
  | 'node replaced'
  | 'client cut'
  | 'client cut in a frame'
  | 'all clients cut'
  | 'worker killed'
  | 'service restarted'
  | 'service killed'
  | 'store frozen'
  | 'store killed'
  | 'store emptied'
  | 'nodes reconfigured';

/** Relative frequency of each disturbance. */
const WEIGHTS: Readonly<Record<DisturbanceKind, number>> = {
  reorg: 26,
  'shorter branch': 4,
  'node on another branch': 8,
  'node lags': 8,
  'node paused': 9,
  'all nodes paused': 1,
  'node killed': 7,
  'node replaced': 2,
  'client cut': 14,
  'client cut in a frame': 14,
  'all clients cut': 2,
  'worker killed': 3,
  'service restarted': 1,
  'service killed': 1,
  'store frozen': 4,
  'store killed': 3,
  'store emptied': 1,
  'nodes reconfigured': 1,
};
const KINDS = Object.keys(WEIGHTS) as DisturbanceKind[];

/** A disturbance that is still in progress. */
export type Aftermath = { readonly kind: DisturbanceKind; readonly over: Promise<void> };

/** Chooses a disturbance that is possible now, and begins it. */
export async function disturb(stage: Stage, random: Random): Promise<Aftermath> {
  for (;;) {
    const kind = pick(random);
    const over = begin(kind, stage, random);
    if (over !== undefined) return { kind, over };
  }
}

function pick(random: Random): DisturbanceKind {
  let rest = random.below(Object.values(WEIGHTS).reduce((sum, weight) => sum + weight));
  for (const kind of KINDS) {
    rest -= WEIGHTS[kind];
    if (rest < 0) return kind;
  }
  throw new RangeError('the weights do not add up');
}

/** Begins a disturbance. @returns undefined when it is not possible now */
function begin(kind: DisturbanceKind, stage: Stage, random: Random): Promise<void> | undefined {
  const { chain, service } = stage;
  const { store } = service;
  const free = stage.peers.filter(({ isDisturbed }) => !isDisturbed);
  const canDisturb = stage.peers.length - free.length < DISTURBED_PEERS && free.length > 0;
  const holdMs = 100 + random.below(MAX_HOLD_MS);
  const onPeer = (action: (peer: Peer) => Promise<void>): Promise<void> | undefined =>
    canDisturb ? occupy([random.pick(free)], ([peer]) => action(peer as Peer)) : undefined;
  switch (kind) {
    case 'reorg': {
      const depth = 1 + random.below(MAX_REORG);
      stage.moveTo(chain.extend(ancestorOf(chain.head, depth), depth + random.below(2)));
      return Promise.resolve();
    }
    case 'shorter branch': {
      const depth = 2 + random.below(MAX_REORG - 1);
      stage.moveTo(chain.extend(ancestorOf(chain.head, depth), depth - 1));
      return Promise.resolve();
    }
    case 'node on another branch':
      return onPeer(async (peer) => {
        const depth = 1 + random.below(3);
        peer.pin(chain.branch(ancestorOf(chain.head, depth), depth));
        await sleep(holdMs);
        peer.unpin();
      });
    case 'node lags':
      return onPeer(async (peer) => {
        peer.pin(chain.head);
        await sleep(holdMs);
        peer.unpin();
      });
    case 'node paused':
      return onPeer(async (peer) => {
        peer.process.pause();
        await sleep(holdMs);
        peer.process.goOn();
      });
    case 'all nodes paused':
      if (free.length < stage.peers.length) return undefined;
      return occupy(free, async () => {
        for (const peer of free) peer.process.pause();
        await sleep(holdMs);
        for (const peer of free) peer.process.goOn();
      });
    case 'node killed':
    case 'node replaced':
      return onPeer(async (peer) => {
        await peer.stop();
        await sleep(holdMs / 2);
        await peer.start(kind === 'node replaced');
        // The node receives the blocks of the others before another disturbance.
        await peer.whenDelivered();
      });
    case 'client cut':
    case 'client cut in a frame': {
      const session = random.pick(stage.sessions);
      session.awayMs = random.below(MAX_AWAY_MS);
      session.proxy.cut(kind === 'client cut' ? 0 : 1 + random.below(MAX_CUT_BYTES));
      return Promise.resolve();
    }
    case 'all clients cut':
      for (const session of stage.sessions) {
        session.awayMs = random.below(MAX_AWAY_MS);
        session.proxy.cut(0);
      }
      return Promise.resolve();
    case 'worker killed':
      return service.whenCalm(() => service.killWorker(random));
    case 'service restarted':
      return service.whenCalm(() => stage.restartProgram('SIGTERM'));
    case 'service killed':
      return service.whenCalm(() => stage.restartProgram('SIGKILL'));
    case 'store frozen':
      return store && service.whenCalm(() => store.freeze(holdMs));
    case 'store killed':
      return store && service.whenCalm(() => store.kill(holdMs));
    case 'store emptied':
      return store && service.whenCalm(() => store.empty());
    case 'nodes reconfigured':
      return service.whenCalm(() => service.reconfigure());
  }
}

async function occupy(
  peers: readonly Peer[],
  action: (peers: readonly Peer[]) => Promise<void>,
): Promise<void> {
  for (const peer of peers) peer.isDisturbed = true;
  try {
    await action(peers);
  } finally {
    for (const peer of peers) peer.isDisturbed = false;
  }
}
