/** Loads the engine: to be imported only where calls of nodes' chains are executed here. */
import type { NetworkOptions } from '../config/network-options.ts';
import type { ExecutionPool } from '../engine/execution/execution-pool.ts';
import type { Logger } from '../observe/logger.ts';
import { LmdbCodes } from '../proven/lmdb-codes.ts';
import { ComparedExecutions } from '../remote/compared-executions.ts';
import { RemoteExecutions } from '../remote/remote-executions.ts';
import { SampledCalls } from '../remote/sampled-calls.ts';
import { loadFamily } from '../rollup/family-table.ts';
import type { LocalExecutions, StateSource } from '../upstream/local-executions.ts';
import { samplesCalls } from './open-chain.ts';
import { readRules, requireChain } from './read-rules.ts';

/** Begins to execute calls, once the network's nodes are there. */
export type OpenExecutions = (source: StateSource) => LocalExecutions;

export type ExecutionParts = {
  readonly pool: ExecutionPool;
  readonly log: Logger;
};

/** @throws Error naming the folder where it cannot be written */
export function openCodes(dataDir: string): LmdbCodes {
  return new LmdbCodes(dataDir);
}

/** @throws Error naming the file where it cannot be read; so does what is returned where it is of another chain than the nodes */
export async function prepareExecutions(
  network: string,
  options: NetworkOptions,
  { pool, log }: ExecutionParts,
): Promise<OpenExecutions | undefined> {
  const { execution, chain, rollup, verifyCalls: share } = options;
  const family = rollup?.family === undefined ? undefined : await loadFamily(rollup.family);
  if (family?.hasOwnMachine === true) {
    const fields = { network, family: family.name };
    if (execution !== 'node')
      log.warn(fields, 'calls are executed by nodes: rollups of this family have a machine of their own');
    return undefined;
  }
  const config = chain === undefined ? undefined : readRules(chain);
  const onFault = (error: unknown): void => log.error({ network, err: error }, 'execution fault');
  return (source) => {
    if (chain !== undefined && config !== undefined) requireChain(chain, config, source.chainId);
    const here = new RemoteExecutions({ source, pool, config, onFault });
    if (execution === 'local') return here;
    const inner =
      execution === 'auto' ? new ComparedExecutions({ here, source, log, network, onFault }) : undefined;
    if (inner !== undefined && !samplesCalls(options)) return inner;
    return new SampledCalls({ here, inner, source, pool, share, log, network, onFault });
  };
}
