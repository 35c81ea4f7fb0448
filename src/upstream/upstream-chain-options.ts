/** What a chain of nodes is made of. */
import type { Cache } from '../cache/cache.ts';
import type { LogLimits } from '../chain/log-range.ts';
import type { Logger } from '../observe/logger.ts';
import type { ProvenOptions } from '../proven/state-requests.ts';
import type { HeightTable } from '../records/height-table.ts';
import type { RecordTable } from '../records/record-table.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import type { AgreementOptions } from './agreement/options.ts';
import type { LocalExecutions, StateSource } from './local-executions.ts';
import type { Checkpoint, PoolOptions, UpstreamOptions, VerifyMode } from './options.ts';
import type { SendOptions } from './sending/options.ts';
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
  /** Blocks up to which a range of logs is verified. */
  readonly verifyLogBlocks?: number;
  /** Where state that nodes have proven is kept; by default in memory only. */
  readonly provenState?: Pick<ProvenOptions, 'bytes' | 'codes'>;
  /** Opens what executes calls here; absent where nodes execute. */
  readonly openExecutions?: ((source: StateSource) => LocalExecutions) | undefined;
  /** A block of the chain by the configuration's word. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Whether layer 1 says of blocks that they are on the chain. */
  readonly isAnchored?: boolean;
  /** Memory for what nodes have sent, shared by the networks of a process. */
  readonly nodeMemory?: SharedBudget | undefined;
  /** Where processes that serve the chain share the heights of their heads; absent where there is one. */
  readonly heights?: HeightTable | undefined;
  /** How many of the configured operators must say the same; absent where that is not counted. */
  readonly agreement?: AgreementOptions | undefined;
};

/** What sending takes beside the nodes. */
type SendingOptions = {
  readonly options: SendOptions;
  readonly tools: SendingTools;
  /** Where processes share what was sent. */
  readonly records?: RecordTable | undefined;
};
