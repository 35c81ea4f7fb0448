import type { ChainIdentity } from '../chain-claims.ts';
import type { Examination } from './examination.ts';

/**
 * What the pool would make of a node: `headless` is of the chain, but does not report its latest block; `disputed` has a
 * genesis block while none has a majority.
 */
export type NodeStanding = 'usable' | 'headless' | 'otherChain' | 'disputed' | 'silent';

export type NodeReport = {
  readonly examination: Examination;
  readonly standing: NodeStanding;
  /** Blocks behind the highest head of the usable nodes; undefined for a node that is not usable. */
  readonly lag: number | undefined;
};

/** `error` costs answers, `warning` costs freshness, speed or safety, `note` is good to know. */
export type Severity = 'error' | 'warning' | 'note';

export type Finding = {
  readonly severity: Severity;
  /** The node it is about; absent when it is about the network. */
  readonly upstream?: string;
  readonly problem: string;
  /** What it means, or what to do. */
  readonly advice: string;
};

export type NetworkReport = {
  /** Which chain the nodes agree on, or the configuration demands. */
  readonly identity: ChainIdentity | undefined;
  /** In the order of the configuration. */
  readonly nodes: readonly NodeReport[];
  /** Whether at least one node can be asked. */
  readonly isServable: boolean;
  /** The most serious first. */
  readonly findings: readonly Finding[];
};
