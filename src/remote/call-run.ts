import type { CallRequest } from '../chain/requests.ts';
import type { CallJob } from '../engine/execution/job.ts';
import type { SimulationKind } from '../engine/simulation/call-environment.ts';
import type { StateNeed } from '../engine/state/missing-state.ts';
import { StateKeys } from '../proven/state-keys.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { GrowingExcerpt } from './excerpt.ts';
import type { RemoteBlock } from './remote-block.ts';
import type { FirstCall } from './remote-blocks.ts';

/** Accounts and slots, and trips, that the weight of a call covers: what a call of a known contract needs at a new head. */
const COVERED_KEYS = 32;
const COVERED_TRIPS = 2;

/** A call on its way. */
export type CallRun = {
  readonly job: CallJob<undefined>;
  readonly block: RemoteBlock;
  readonly request: CallRequest;
  /** What is needed beside what a discovery finds. */
  readonly further: StateKeys;
  trips: number;
  attempts: number;
  /** Accounts and slots that were asked for. */
  asked: number;
  /** Of these and of the trips, as many as have been paid for, those that the call covers among them. */
  paidKeys: number;
  paidTrips: number;
  /** Whether a node was asked what it would access. */
  isHinted: boolean;
  /** What discoveries have found that it reads. */
  readonly read: StateKeys;
  /** Whether the last discovery guessed a part of the state, or there was none. */
  isGuessed: boolean;
  /** What its slices and discoveries have taken of the thread of the requests, milliseconds. */
  hereMs: number;
  /** The proven part of all that it is known to read, from where on it runs on threads. */
  excerpt: GrowingExcerpt | undefined;
};

/** A run that has not begun. @param gasLimit the cap on its gas */
export function createRun(
  kind: SimulationKind,
  { request, hinted, isHinted }: FirstCall,
  block: RemoteBlock,
  gasLimit: bigint,
): CallRun {
  const { number } = block.stored.header;
  const { call, stateOverrides, blockOverrides } = request;
  const job: CallJob<undefined> = {
    kind,
    store: undefined,
    gasLimit,
    request: {
      blockNumber: number,
      isPending: false,
      call,
      ...(stateOverrides !== undefined && { stateOverrides }),
      ...(blockOverrides !== undefined && { blockOverrides }),
    },
  };
  return {
    job,
    block,
    request,
    further: hinted,
    trips: 0,
    attempts: 0,
    asked: 0,
    paidKeys: COVERED_KEYS,
    paidTrips: COVERED_TRIPS,
    isHinted,
    read: new StateKeys(),
    isGuessed: true,
    hereMs: 0,
    excerpt: undefined,
  };
}

/** Has the owner of the call pay for what is about to be asked. @throws (rejects with) the error for the caller where it cannot */
export async function payForRun(run: CallRun, { meter }: RequestScope): Promise<void> {
  const keys = Math.max(0, run.asked - run.paidKeys);
  const trips = Math.max(0, run.trips - run.paidTrips);
  if (keys + trips === 0) return;
  run.paidKeys += keys;
  run.paidTrips += trips;
  await meter?.pay(keys, trips);
}

/** Adds a part of a state that a run lacks. */
export function addNeed(keys: StateKeys, need: StateNeed): void {
  if (need.kind === 'code') keys.codes.add(need.hash);
  else if (need.kind === 'blockHash') keys.addBlockHash(need.number);
  else {
    const slots = keys.addAccount(need.address);
    if (need.kind === 'slot') slots.add(need.slot);
  }
}
