import type { FaultKind } from '../fault.ts';
import type { SyncClaim } from '../heads/head-feed.ts';
import type { Identity } from '../identity.ts';

/** Whether a node has something: `unclear` when what it said allows no judgement, or there was nothing to try it on. */
export type Support = {
  readonly state: 'yes' | 'no' | 'unclear';
  /** In words, without addresses and keys; absent for a plain yes. */
  readonly reason?: string;
};

/** What is tried of the service's methods, and of how they are asked. */
export type FeatureName =
  | 'eth_call'
  | 'eth_estimateGas'
  | 'eth_getBlockReceipts'
  | 'eth_getTransactionByBlockNumberAndIndex'
  | 'eth_getUncleByBlockNumberAndIndex'
  /** `eth_estimateGas` with a block as its second parameter, as the pool asks it. */
  | 'estimateAtBlock'
  /** `eth_getBlockReceipts` by hash, as the pool asks it for blocks that left the chain. */
  | 'receiptsByHash'
  /** A block hash in the place of the block (EIP-1898). */
  | 'callAtHash'
  | 'estimateAtHash'
  | 'stateOverrides';

export type ProbedTag = 'earliest' | 'finalized' | 'safe' | 'pending';

/** What `eth_getBlockByNumber` says to a tag. */
export type TagSupport = Support & { readonly number?: bigint };

/**
 * How reverts come: `standard` with code 3 and data; `translated` in another shape that is understood; `dataLost`
 * recognisable, but without their data; `unrecognised` as something else.
 */
export type RevertStyle = 'standard' | 'translated' | 'dataLost' | 'unrecognised' | 'unclear';

export type BatchLimit = {
  /** The largest batch that was answered whole; 0 when none was. */
  readonly answered: number;
  /** What came instead of the next larger one; absent when all were answered. */
  readonly reason?: string;
};

/** How new heads become known: `none` is polling. */
export type Announcements = {
  readonly state: 'coming' | 'none' | 'failing';
  readonly reason?: string;
};

export type LatestBlock = {
  readonly number: bigint;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  /** Seconds from the block's timestamp to the examination. */
  readonly ageSeconds: number;
};

/** A node that could not be examined, and why. */
export type SilentNode = {
  readonly name: string;
  readonly tier: number;
  readonly answers: false;
  readonly fault: { readonly kind: FaultKind; readonly reason: string };
};

/** What one node supports. */
export type ExaminedNode = {
  readonly name: string;
  readonly tier: number;
  readonly answers: true;
  readonly identity: Identity;
  /** Median time of one `eth_chainId`; undefined when one of them failed. */
  readonly latencyMs: number | undefined;
  /** Undefined when the node does not report it in a form that can be read. */
  readonly latest: LatestBlock | undefined;
  /** What `eth_syncing` says; undefined for a node that is synced, or does not know the method. */
  readonly sync: SyncClaim;
  readonly tags: Readonly<Record<ProbedTag, TagSupport>>;
  /** Empty when there is no latest block to try them on. */
  readonly features: Readonly<Partial<Record<FeatureName, Support>>>;
  /** Further read methods that are served by default, by name; empty when there is no latest block to try them on. */
  readonly reads: Readonly<Record<string, Support>>;
  /** Methods that the network names beside (`methods.also`). */
  readonly also: Readonly<Record<string, Support>>;
  /** The node's own forms of the rollup methods, by their wire names; empty when the network is no rollup. */
  readonly rollup: Readonly<Record<string, Support>>;
  readonly reverts: RevertStyle;
  readonly batches: BatchLimit;
  readonly announcements: Announcements;
};

export type Examination = SilentNode | ExaminedNode;
