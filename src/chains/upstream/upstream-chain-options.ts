import type { Cache } from '../../cache/cache.ts';
import type { LogLimits } from '../../chain/log-range.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Checkpoint, PoolOptions, UpstreamOptions, VerifyMode } from '../../pool/options.ts';
import type { SpendLedger } from '../../pool/spend/spend-ledger.ts';
import type { HeightTable } from '../../shared-store/records/height-table.ts';
import type { RecordTable } from '../../shared-store/records/record-table.ts';
import type { SharedBudget } from '../../util/shared-budget.ts';
import type { StateCacheOptions } from '../local-execution/proven/state-requests.ts';
import type { AgreementOptions } from './agreement/options.ts';
import type { LocalExecutions, UpstreamStateSource } from './local-executions.ts';
import type { SendSectionOptions } from './sending/options.ts';
import type { SendingTools } from './sending/sending-parts.ts';

export type UpstreamChainOptions = {
  readonly network: string;
  readonly upstreams: readonly UpstreamOptions[];
  readonly pool: PoolOptions;
  readonly logs: LogLimits;
  readonly cache: Cache;
  readonly log: Logger;
  readonly sending: SendingOptions;
  readonly verify: VerifyMode;
  /** Maximum number of blocks in a range whose logs are verified. */
  readonly verifyLogBlocks?: number;
  /** Memory limit of verified state, and persistent store of codes; by default, there is no persistent store. */
  readonly provenState?: Pick<StateCacheOptions, 'bytes' | 'codes'>;
  /** Creates the executor of local calls; absent if nodes execute all calls. */
  readonly openExecutions?: ((source: UpstreamStateSource) => LocalExecutions) | undefined;
  /** Configured block that is known to be canonical. */
  readonly checkpoint?: Checkpoint | undefined;
  /** True if blocks are verified by output roots on layer 1. */
  readonly isAnchored?: boolean;
  /** Memory budget for data from nodes, which all networks of a process share. */
  readonly nodeMemory?: SharedBudget | undefined;
  /** Table in which the processes that serve the chain share the heights of their heads; absent if there is only one process. */
  readonly heights?: HeightTable | undefined;
  /** Counts the credits of calls to nodes that have prices; if absent, calls to all nodes are free. */
  readonly spending?: SpendLedger | undefined;
  /** Number of configured operators that must return the same answer; absent if agreement is off. */
  readonly agreement?: AgreementOptions | undefined;
};

/** Options for sending transactions that do not depend on the nodes. */
type SendingOptions = {
  readonly options: SendSectionOptions;
  readonly tools: SendingTools;
  /** Table of sent transactions that the processes of the service share. */
  readonly records?: RecordTable | undefined;
};
