import type { CallRequest } from '../../../chain/requests.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { CallJob } from '../../embedded/execution/job.ts';
import type { SimulationKind } from '../../embedded/simulation/call-environment.ts';
import type { StateNeed } from '../../embedded/state/missing-state.ts';
import { StateKeys } from '../proven/state-keys.ts';
import type { GrowingExcerpt } from './excerpt.ts';
import type { RemoteBlock } from './remote-block.ts';
import type { FirstCall } from './remote-blocks.ts';

/**
 * Number of accounts and slots, and of round trips, that are included in the rate limit weight of a call. A call to a known contract at a new head
 * needs no more.
 */
const COVERED_KEYS = 32;
const COVERED_ROUND_TRIPS = 2;

/** State of a call in execution. */
export type CallRun = {
  readonly job: CallJob<undefined>;
  readonly block: RemoteBlock;
  readonly request: CallRequest;
  /** Known reads of the call from hints, earlier calls and threads, in addition to `read`. */
  readonly further: StateKeys;
  roundTrips: number;
  attempts: number;
  /** Number of accounts and slots that were requested for the call so far. */
  requested: number;
  /**
   * Number of accounts and slots, and of round trips, for which the owner was charged. The numbers include `COVERED_KEYS` and `COVERED_ROUND_TRIPS`.
   */
  paidKeys: number;
  paidRoundTrips: number;
  /** True if a node was requested to report which state the call accesses. */
  isHinted: boolean;
  /** Reads that the discoveries of this call have found. */
  readonly read: StateKeys;
  /** True if the last discovery used guessed state, or if there was no discovery yet. */
  isGuessed: boolean;
  /** Time of the main thread that slices and discoveries of the call have used, milliseconds. */
  hereMs: number;
  /** Verified values of all known reads, for worker threads. Undefined while the call runs on the main thread. */
  excerpt: GrowingExcerpt | undefined;
};

/** Creates a run that has not started. @param gasLimit gas cap of the call */
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
    roundTrips: 0,
    attempts: 0,
    requested: 0,
    paidKeys: COVERED_KEYS,
    paidRoundTrips: COVERED_ROUND_TRIPS,
    isHinted,
    read: new StateKeys(),
    isGuessed: true,
    hereMs: 0,
    excerpt: undefined,
  };
}

/** Charges the owner for requests that the call is about to send. @throws (by rejection) the rate limit's error */
export async function payForRun(run: CallRun, { meter }: RequestScope): Promise<void> {
  const keys = Math.max(0, run.requested - run.paidKeys);
  const roundTrips = Math.max(0, run.roundTrips - run.paidRoundTrips);
  if (keys + roundTrips === 0) return;
  run.paidKeys += keys;
  run.paidRoundTrips += roundTrips;
  await meter?.pay(keys, roundTrips);
}

/** Adds a missing part of a state to a set of keys. */
export function addNeed(keys: StateKeys, need: StateNeed): void {
  if (need.kind === 'code') keys.codes.add(need.hash);
  else if (need.kind === 'blockHash') keys.addBlockHash(need.number);
  else {
    const slots = keys.addAccount(need.address);
    if (need.kind === 'slot') slots.add(need.slot);
  }
}
