import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import { DEFAULT_VERIFY, DEFAULT_VERIFY_CALLS } from '../pool/options.ts';
import { hasOwnMachine } from '../rollup/family-table.ts';
import { LazySampling } from './lazy-sampling.ts';
import type { OpenExecutions } from './open-executions.ts';
import { readRules, requireChain } from './read-rules.ts';

/** Loads the engine. @param config configured rules of the chain; undefined if nodes report them */
export type LoadExecutions = (config: ChainConfig | undefined) => Promise<OpenExecutions>;

/** Local execution on a network of nodes, with the rules of its chain. */
export type PreparedExecutions = {
  /** Absent if nothing is executed locally. */
  readonly openExecutions?: OpenExecutions;
  /** Chain id of the configured rules, which identify the chain. */
  readonly chainId?: bigint;
};

/**
 * Prepares the execution of all calls, or of samples that nodes have answered; the engine is loaded at once, or with the first sample.
 * @throws Error with the file of the chain's rules if it is unreadable, or is for another chain than `pool.chainId`
 */
export async function prepareExecutions(
  network: string,
  options: NetworkOptions,
  load: LoadExecutions,
  log: Logger,
): Promise<PreparedExecutions> {
  const { execution, chain, rollup, pool, verifyCalls: share = DEFAULT_VERIFY_CALLS } = options;
  const isNeeded = execution !== 'node' || samplesCalls(options);
  if (!isNeeded || hasOwnMachine(rollup?.family)) return {};
  const config = chain === undefined ? undefined : readRules(chain);
  if (chain !== undefined && config !== undefined && pool.chainId !== undefined)
    requireChain(chain, config, pool.chainId);
  const openExecutions =
    execution === 'node' ? openLate(share, () => load(config), network, log) : await load(config);
  return { openExecutions, ...(config !== undefined && { chainId: config.chainId }) };
}

/** Whether the nodes' call results are compared with local executions; not if the rollup's machine is unknown. */
export function samplesCalls({
  verify = DEFAULT_VERIFY,
  verifyCalls = DEFAULT_VERIFY_CALLS,
  execution,
  rollup,
}: NetworkOptions): boolean {
  const isKnown = rollup === undefined || rollup.family !== undefined;
  return verify !== 'off' && verifyCalls > 0 && execution !== 'local' && isKnown;
}

function openLate(
  share: number,
  load: () => Promise<OpenExecutions>,
  network: string,
  log: Logger,
): OpenExecutions {
  return (source) =>
    new LazySampling({
      share,
      open: async () => (await load())(source),
      onFault: (error) =>
        log.warn({ network, err: error }, 'answers to calls are not compared: calls cannot be executed here'),
    });
}
