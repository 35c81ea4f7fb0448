import type { ChainIdentity } from '../../pool/chain-claims.ts';
import type { Examination } from './examination.ts';

/**
 * State of a node in the pool. A `headless` node is on the chain, but does not report its latest block. A node is `disputed` if no genesis block has
 * a majority.
 */
export type NodeStanding = 'usable' | 'headless' | 'otherChain' | 'disputed' | 'silent';

export type NodeReport = {
  readonly examination: Examination;
  readonly standing: NodeStanding;
  /** Number of blocks behind the highest head of the usable nodes; undefined if the node is not usable. */
  readonly lag: number | undefined;
};

/** An `error` makes answers fail; a `warning` makes them older, slower or less safe; a `note` is information. */
export type Severity = 'error' | 'warning' | 'note';

export type ReportFinding = {
  readonly severity: Severity;
  /** Node that the finding is about; absent if the finding is about the network. */
  readonly upstream?: string;
  readonly problem: string;
  /** Consequence of the problem, or its remedy. */
  readonly advice: string;
};

export type ExaminationReport = {
  /** Chain that the nodes agree on, or that the configuration requires. */
  readonly identity: ChainIdentity | undefined;
  /** Nodes in the order of the configuration. */
  readonly nodes: readonly NodeReport[];
  /** Whether at least one node is usable. */
  readonly isServable: boolean;
  /** Findings, most severe first. */
  readonly findings: readonly ReportFinding[];
};
