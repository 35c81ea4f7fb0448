import type { FaultKind } from '../../pool/fault.ts';
import type { SyncClaim } from '../../pool/heads/head-feed.ts';
import type { Identity } from '../../pool/identity.ts';

/** Whether a node supports a method or request form: `unclear` if its answer is inconclusive, or if there was nothing to test on. */
export type Support = {
  readonly state: 'yes' | 'no' | 'unclear';
  /** Reason for the state, without URLs and keys of the node; absent if support is certain. */
  readonly reason?: string;
};

/** Tested methods of the service, and tested request forms. */
export type FeatureName =
  | 'eth_call'
  | 'eth_estimateGas'
  | 'eth_getBlockReceipts'
  | 'eth_getTransactionByBlockNumberAndIndex'
  | 'eth_getUncleByBlockNumberAndIndex'
  /** The pool sends `eth_estimateGas` with a block as its second parameter. */
  | 'estimateAtBlock'
  /** The pool sends `eth_getBlockReceipts` with a block hash for blocks that left the chain. */
  | 'receiptsByHash'
  /** `eth_call` with a block hash instead of a block number (EIP-1898). */
  | 'callAtHash'
  | 'estimateAtHash'
  | 'stateOverrides';

export type ProbedTag = 'earliest' | 'finalized' | 'safe' | 'pending';

/** Result of `eth_getBlockByNumber` for a tag. */
export type TagSupport = Support & { readonly number?: bigint };

/**
 * Form of the node's revert errors. `standard`: code 3 and revert data. `translated`: another known form. `dataLost`: recognizable as a revert, but
 * without revert data. `unrecognised`: not recognizable as a revert.
 */
export type RevertStyle = 'standard' | 'translated' | 'dataLost' | 'unrecognised' | 'unclear';

export type BatchLimit = {
  /** Size of the largest batch that was answered completely; 0 if none was. */
  readonly answered: number;
  /** Failure of the first batch that was not answered completely; absent if all batches were answered. */
  readonly reason?: string;
};

/** Whether the node announces new heads. `none`: no URL for announcements is configured, so the pool polls the node's head. */
export type Announcements = {
  readonly state: 'coming' | 'none' | 'failing';
  readonly reason?: string;
};

export type LatestBlock = {
  readonly number: bigint;
  readonly hash: string;
  /** Timestamp of the block, Unix time in seconds. */
  readonly timestamp: bigint;
  /** Seconds from the block's timestamp to the examination. */
  readonly ageSeconds: number;
};

/** Node that could not be examined, and the reason why. */
export type SilentNode = {
  readonly name: string;
  readonly tier: number;
  readonly answers: false;
  readonly fault: { readonly kind: FaultKind; readonly reason: string };
};

/** Results of the tests of a node that answers. */
export type ExaminedNode = {
  readonly name: string;
  readonly tier: number;
  readonly answers: true;
  readonly identity: Identity;
  /** Median time of one `eth_chainId`, ms; undefined if a request failed. */
  readonly latencyMs: number | undefined;
  /** Undefined if the node does not report its latest block in a readable form. */
  readonly latest: LatestBlock | undefined;
  /** Result of `eth_syncing`; undefined if the node reports that it is synced, or does not support the method. */
  readonly sync: SyncClaim;
  readonly tags: Readonly<Record<ProbedTag, TagSupport>>;
  /** Support of each feature; empty if there is no latest block to test on. */
  readonly features: Readonly<Partial<Record<FeatureName, Support>>>;
  /** Support of further read methods that are served by default, by name; empty if there is no latest block to test on. */
  readonly reads: Readonly<Record<string, Support>>;
  /** Support of methods that the configuration of the network adds (`methods.also`). */
  readonly also: Readonly<Record<string, Support>>;
  /** Support of the node's own forms of the rollup methods, by their wire names; empty if the network is not a rollup. */
  readonly rollup: Readonly<Record<string, Support>>;
  readonly reverts: RevertStyle;
  readonly batches: BatchLimit;
  readonly announcements: Announcements;
};

export type Examination = SilentNode | ExaminedNode;
