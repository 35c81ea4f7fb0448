import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import { DEFAULT_VERIFY, DEFAULT_VERIFY_CALLS } from '../pool/options.ts';
import { hasOwnMachine } from '../rollup/family-table.ts';
import { LazySampling } from './lazy-sampling.ts';
import type { OpenExecutions } from './open-executions.ts';
import { readRules, requireChain } from './read-rules.ts';

/** Loads the engine. @param config configured fork rules of the chain; undefined if nodes report the rules */
export type LoadExecutions = (config: ChainConfig | undefined) => Promise<OpenExecutions>;

/** Local execution on a network of nodes, with the fork rules of the chain. */
export type PreparedExecutions = {
  /** Opens local execution; absent if nothing is executed locally. */
  readonly openExecutions?: OpenExecutions;
  /** Chain id of the configured fork rules, which identifies the chain. */
  readonly chainId?: bigint;
};

/**
 * Prepares the local execution of all calls, or of samples of the calls that nodes answer. The engine is loaded immediately, or with the first
 * sample.
 * @throws Error with the file of the fork rules if it is unreadable, or if it is for another chain than `pool.chainId`
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

/**
 * Whether call results of nodes are compared with local executions. False for a rollup of an unknown family, because its execution rules are unknown.
 */
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
