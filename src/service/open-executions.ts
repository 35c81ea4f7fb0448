/** Loads the engine, so this file may only be imported if calls on chains of nodes are executed locally. */
import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import type { ExecutionPool } from '../chains/embedded/execution/execution-pool.ts';
import { LmdbCodes } from '../chains/local-execution/proven/lmdb-codes.ts';
import { ComparedExecutions } from '../chains/local-execution/remote/compared-executions.ts';
import { RemoteExecutions } from '../chains/local-execution/remote/remote-executions.ts';
import { SampledCalls } from '../chains/local-execution/remote/sampled-calls.ts';
import type { LocalExecutions, UpstreamStateSource } from '../chains/upstream/local-executions.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import { DEFAULT_VERIFY_CALLS } from '../pool/options.ts';
import { samplesCalls } from './prepare-executions.ts';

/** Starts the local execution of calls once the nodes of the network are open. */
export type OpenExecutions = (source: UpstreamStateSource) => LocalExecutions;

export type ExecutionParts = {
  readonly pool: ExecutionPool;
  /** Configured fork rules of the chain; undefined if nodes report the rules. */
  readonly config: ChainConfig | undefined;
  readonly log: Logger;
};

/** @throws Error that names the data folder if the folder cannot be written */
export function openCodes(dataDir: string): LmdbCodes {
  return new LmdbCodes(dataDir);
}

/** Creates the local execution of a network's calls: of all calls, or of samples. */
export function openExecutions(
  network: string,
  options: NetworkOptions,
  { pool, config, log }: ExecutionParts,
): OpenExecutions {
  const { execution, verifyCalls: share = DEFAULT_VERIFY_CALLS } = options;
  const onFault = (error: unknown): void => log.error({ network, err: error }, 'execution fault');
  return (source) => {
    const here = new RemoteExecutions({
      source,
      pool,
      config,
      network,
      isOnlyHere: execution === 'local',
      log,
      onFault,
    });
    if (execution === 'local') return here;
    const inner =
      execution === 'auto' ? new ComparedExecutions({ here, source, log, network, onFault }) : undefined;
    if (inner !== undefined && !samplesCalls(options)) return inner;
    return new SampledCalls({ here, inner, source, pool, share, log, network, onFault });
  };
}
