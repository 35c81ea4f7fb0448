import type { Cache } from '../../cache/cache.ts';
import type { LogLimits } from '../../chain/log-range.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Checkpoint, PoolOptions, UpstreamOptions, VerifyMode } from '../../pool/options.ts';
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
  /** Storage of verified state; by default in memory only. */
  readonly provenState?: Pick<StateCacheOptions, 'bytes' | 'codes'>;
  /** Opens the executor of local calls; absent if nodes execute. */
  readonly openExecutions?: ((source: UpstreamStateSource) => LocalExecutions) | undefined;
  /** A block that is canonical according to the configuration. */
  readonly checkpoint?: Checkpoint | undefined;
  /** True if layer 1 commits to blocks of the chain. */
  readonly isAnchored?: boolean;
  /** Memory for data that nodes have sent, shared by the networks of a process. */
  readonly nodeMemory?: SharedBudget | undefined;
  /** Table in which processes that serve the chain share the heights of their heads; absent if there is one process. */
  readonly heights?: HeightTable | undefined;
  /** Number of configured operators that must agree; absent if agreement is not counted. */
  readonly agreement?: AgreementOptions | undefined;
};

/** Options for sending transactions, without the nodes. */
type SendingOptions = {
  readonly options: SendSectionOptions;
  readonly tools: SendingTools;
  /** Records of sent transactions that processes share. */
  readonly records?: RecordTable | undefined;
};
