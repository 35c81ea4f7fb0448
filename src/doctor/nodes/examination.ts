import type { FaultKind } from '../../pool/fault.ts';
import type { SyncClaim } from '../../pool/heads/head-feed.ts';
import type { Identity } from '../../pool/identity.ts';

/** Whether a node supports something: `unclear` when its answer is inconclusive, or there was nothing to test on. */
export type Support = {
  readonly state: 'yes' | 'no' | 'unclear';
  /** Reason without addresses and keys; absent for an unqualified yes. */
  readonly reason?: string;
};

/** Tested methods of the service, and request forms. */
export type FeatureName =
  | 'eth_call'
  | 'eth_estimateGas'
  | 'eth_getBlockReceipts'
  | 'eth_getTransactionByBlockNumberAndIndex'
  | 'eth_getUncleByBlockNumberAndIndex'
  /** `eth_estimateGas` with a block as its second parameter, as the pool sends it. */
  | 'estimateAtBlock'
  /** `eth_getBlockReceipts` by hash, as the pool sends it for blocks that left the chain. */
  | 'receiptsByHash'
  /** Block hash instead of the block number (EIP-1898). */
  | 'callAtHash'
  | 'estimateAtHash'
  | 'stateOverrides';

export type ProbedTag = 'earliest' | 'finalized' | 'safe' | 'pending';

/** Result of `eth_getBlockByNumber` for a tag. */
export type TagSupport = Support & { readonly number?: bigint };

/**
 * Form of reverts: `standard` with code 3 and data; `translated` in another known form; `dataLost` recognizable, but without their data; `unrecognised` as
 * anything else.
 */
export type RevertStyle = 'standard' | 'translated' | 'dataLost' | 'unrecognised' | 'unclear';

export type BatchLimit = {
  /** Largest batch that was answered completely; 0 when none was. */
  readonly answered: number;
  /** Failure of the next larger batch; absent when all were answered. */
  readonly reason?: string;
};

/** Source of new heads: `none` is polling. */
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

/** Node that could not be examined, and why. */
export type SilentNode = {
  readonly name: string;
  readonly tier: number;
  readonly answers: false;
  readonly fault: { readonly kind: FaultKind; readonly reason: string };
};

/** Findings about one node. */
export type ExaminedNode = {
  readonly name: string;
  readonly tier: number;
  readonly answers: true;
  readonly identity: Identity;
  /** Median time of one `eth_chainId`; undefined when a request failed. */
  readonly latencyMs: number | undefined;
  /** Undefined when the node does not report it in a readable form. */
  readonly latest: LatestBlock | undefined;
  /** Claim of `eth_syncing`; undefined for a node that is synced, or does not know the method. */
  readonly sync: SyncClaim;
  readonly tags: Readonly<Record<ProbedTag, TagSupport>>;
  /** Empty when there is no latest block to test them on. */
  readonly features: Readonly<Partial<Record<FeatureName, Support>>>;
  /** Further read methods that are served by default, by name; empty when there is no latest block to test them on. */
  readonly reads: Readonly<Record<string, Support>>;
  /** Methods that the network names in addition (`methods.also`). */
  readonly also: Readonly<Record<string, Support>>;
  /** The node's own forms of the rollup methods, by their wire names; empty when the network is no rollup. */
  readonly rollup: Readonly<Record<string, Support>>;
  readonly reverts: RevertStyle;
  readonly batches: BatchLimit;
  readonly announcements: Announcements;
};

export type Examination = SilentNode | ExaminedNode;
