import type { ChainIdentity } from '../../pool/chain-claims.ts';
import type { Examination } from './examination.ts';

/**
 * Standing of a node in the pool: `headless` is on the chain, but does not report its latest block; `disputed` has a genesis block while none has a majority.
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

export type ReportFinding = {
  readonly severity: Severity;
  /** Node that the finding is about; absent when it is about the network. */
  readonly upstream?: string;
  readonly problem: string;
  /** Consequence, or remedy. */
  readonly advice: string;
};

export type ExaminationReport = {
  /** Chain that the nodes agree on, or that the configuration demands. */
  readonly identity: ChainIdentity | undefined;
  /** Nodes in the order of the configuration. */
  readonly nodes: readonly NodeReport[];
  /** Whether at least one node is usable. */
  readonly isServable: boolean;
  /** Most severe first. */
  readonly findings: readonly ReportFinding[];
};
