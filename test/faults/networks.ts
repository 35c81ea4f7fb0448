/** Faults of a network's nodes as a whole: number of faulty nodes, time, and the correct outcome. */
import { answerFrom, claimHead, forgeBlocks, saySyncing } from '../support/faults/answers.ts';
import type { Fault } from '../support/faults/fault.ts';
import { lagBehind } from '../support/faults/lagging.ts';
import { HEAD_NUMBER } from '../support/scene.ts';
import type { Stage } from './stage.ts';

/** Outcome that callers must see while the fault lasts. */
export type Outcome =
  /** True answers about the chain, from the first answer on. */
  | { readonly kind: 'truth' }
  /** No wrong answer; soon an error with this reason and the network not ready; afterwards true answers again. */
  | { readonly kind: 'refusal'; readonly reason: RegExp }
  /** The nodes' new chain, which has only a block 0. */
  | { readonly kind: 'restarted' };

export type NetworkRow = {
  readonly name: string;
  /** @param position position of the node in the configuration, from 0 */
  create(stage: Stage, position: number): Fault;
  readonly time: 'before the start' | 'later';
  /** Allowed numbers of nodes. */
  readonly sizes: readonly number[];
  /** Number of faulty nodes among `size`; they come first in the configuration. */
  countFaulty(size: number): number;
  readonly outcome: Outcome;
  /** Tier of the faulty nodes; 1 by default. */
  readonly tier?: number;
  readonly pool?: Readonly<Record<string, unknown>>;
};

export type NetworkSetting = { readonly row: NetworkRow; readonly size: number };

const ANY = [1, 2, 3, 4, 5];
const SEVERAL = [2, 3, 4, 5];
const TRUTH: Outcome = { kind: 'truth' };
const ALL = (size: number): number => size;
const ALL_BUT_ONE = (size: number): number => size - 1;
const ONE = (): number => 1;

/** Exceeds the limits of a pool, in blocks and in time: blocks of the scene are 12 s apart. */
const FAR = 12n;
/** Within these limits. */
const NEAR = 3n;
const FAR_AHEAD = 1_000n;
const FORGED = 15n;
const NOW = (): bigint => BigInt(Math.floor(Date.now() / 1_000));

const lagging = (blocks: bigint): (() => Fault) => {
  return () => ({ answer: lagBehind(() => blocks) });
};
const syncing = (): Fault => ({ answer: saySyncing(lagBehind(() => BigInt(HEAD_NUMBER))) });
const gone = (): Fault => ({ delivery: { kind: 'refuse' } });
const restarted = (stage: Stage): Fault => ({ answer: answerFrom(stage.restarted.httpUrl) });

const refusal = (reason: RegExp): Outcome => ({ kind: 'refusal', reason });
const EXPIRED = `no node has confirmed block ${HEAD_NUMBER} for \\d+ s: `;

/** Lists a row for both times: before the start and later. */
function atBothTimes(name: string, row: Omit<NetworkRow, 'name' | 'time'>): NetworkRow[] {
  return [
    { ...row, name: `${name}, from the start`, time: 'before the start' },
    { ...row, name: `${name}, later`, time: 'later' },
  ];
}

export const NETWORKS: readonly NetworkRow[] = [
  ...atBothTimes('all but one sync', {
    create: syncing,
    sizes: SEVERAL,
    countFaulty: ALL_BUT_ONE,
    outcome: TRUTH,
  }),
  ...atBothTimes('all but one are at block 0 and say they are synced', {
    create: lagging(BigInt(HEAD_NUMBER)),
    sizes: SEVERAL,
    countFaulty: ALL_BUT_ONE,
    outcome: TRUTH,
  }),
  {
    name: 'all but one lag, later',
    create: lagging(FAR),
    time: 'later',
    sizes: SEVERAL,
    countFaulty: ALL_BUT_ONE,
    outcome: TRUTH,
  },
  {
    // If most nodes were at one old block, the chain could be idle.
    name: 'all but one lag, at different blocks, from the start',
    create: (_, position) => ({ answer: lagBehind(() => FAR + BigInt(position)) }),
    time: 'before the start',
    sizes: SEVERAL,
    countFaulty: ALL_BUT_ONE,
    outcome: TRUTH,
  },
  ...atBothTimes('one forges recent blocks on an idle chain', {
    create: () => ({ answer: forgeBlocks(FORGED, NOW()) }),
    sizes: [3, 4, 5],
    countFaulty: ONE,
    outcome: TRUTH,
  }),
  ...atBothTimes('two forge recent blocks on an idle chain', {
    create: () => ({ answer: forgeBlocks(FORGED, NOW()) }),
    sizes: [5],
    countFaulty: () => 2,
    outcome: TRUTH,
  }),
  ...atBothTimes('one lags', { create: lagging(FAR), sizes: SEVERAL, countFaulty: ONE, outcome: TRUTH }),
  ...atBothTimes('all but one are of a lower tier, and a little behind', {
    create: lagging(NEAR),
    sizes: SEVERAL,
    countFaulty: ALL_BUT_ONE,
    tier: 2,
    outcome: TRUTH,
  }),
  ...atBothTimes('one claims to be far ahead', {
    create: () => ({ answer: claimHead(FAR_AHEAD, NOW) }),
    sizes: SEVERAL,
    countFaulty: ONE,
    outcome: TRUTH,
  }),
  {
    name: 'all sync, from the start',
    create: syncing,
    time: 'before the start',
    sizes: ANY,
    countFaulty: ALL,
    outcome: refusal(/(the only node is|\d nodes are) syncing: block 0 of 16/),
  },
  {
    name: 'all sync, later',
    create: syncing,
    time: 'later',
    sizes: ANY,
    countFaulty: ALL,
    outcome: refusal(new RegExp(`${EXPIRED}(the only node is|\\d nodes are) syncing: block 0 of 16`)),
  },
  {
    name: 'all lag, later',
    create: lagging(FAR),
    time: 'later',
    sizes: ANY,
    countFaulty: ALL,
    outcome: refusal(new RegExp(`${EXPIRED}(the only node is|\\d nodes are) far behind: block 4`)),
  },
  {
    name: 'all gone',
    create: gone,
    time: 'later',
    sizes: ANY,
    countFaulty: ALL,
    outcome: refusal(new RegExp(`${EXPIRED}(the only node does|\\d nodes do) not answer`)),
  },
  {
    name: 'all but one gone, later',
    create: gone,
    time: 'later',
    sizes: SEVERAL,
    countFaulty: ALL_BUT_ONE,
    outcome: TRUTH,
  },
  {
    name: 'a cold start',
    create: gone,
    time: 'before the start',
    sizes: ANY,
    countFaulty: ALL,
    outcome: refusal(/(the only node does|\d nodes do) not answer/),
  },
  {
    name: 'a cold start with nodes that hang',
    create: () => ({ delivery: { kind: 'hang' } }),
    time: 'before the start',
    sizes: ANY,
    countFaulty: ALL,
    outcome: refusal(/(the only node|\d nodes)/),
  },
  {
    name: 'all restarted with another genesis block',
    create: restarted,
    time: 'later',
    sizes: ANY,
    countFaulty: ALL,
    outcome: refusal(
      /(the only node is|\d nodes are) of another chain: genesis 0x[0-9a-f]{64}, expected 0x[0-9a-f]{64}/,
    ),
  },
  ...atBothTimes('one restarted with another genesis block', {
    create: restarted,
    sizes: [3, 4, 5],
    countFaulty: ONE,
    outcome: TRUTH,
  }),
  {
    name: 'a development node restarted with another genesis block',
    create: restarted,
    time: 'later',
    sizes: [1],
    countFaulty: ONE,
    pool: { development: true },
    outcome: { kind: 'restarted' },
  },
];

export function listSettings(rows: readonly NetworkRow[]): NetworkSetting[] {
  return rows.flatMap((row) => row.sizes.map((size) => ({ row, size })));
}

export function nameSetting({ row, size }: NetworkSetting): string {
  return `${row.name} | ${size === 1 ? '1 node' : `${size} nodes`}`;
}
