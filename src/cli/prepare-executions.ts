import type { ChainConfig } from '../chain/chain-config.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import { hasOwnMachine } from '../rollup/family-table.ts';
import { DEFAULT_VERIFY, DEFAULT_VERIFY_CALLS } from '../upstream/options.ts';
import { LateSampling } from './late-sampling.ts';
import type { OpenExecutions } from './open-executions.ts';
import { readRules, requireChain } from './read-rules.ts';

/** Loads the engine. @param config rules of the chain, where they are configured */
export type LoadExecutions = (config: ChainConfig | undefined) => Promise<OpenExecutions>;

/**
 * What executes calls of a network of nodes: all of them, or samples that nodes have answered; the engine is loaded at once, or with the first sample. Undefined where
 * nothing is executed.
 * @throws Error naming the file of the chain's rules where it cannot be read; so does what is returned where it is of another chain than the nodes
 */
export async function prepareExecutions(
  network: string,
  options: NetworkOptions,
  load: LoadExecutions,
  log: Logger,
): Promise<OpenExecutions | undefined> {
  const { execution, chain, rollup, verifyCalls: share = DEFAULT_VERIFY_CALLS } = options;
  const isNeeded = execution !== 'node' || samplesCalls(options);
  if (!isNeeded || hasOwnMachine(rollup?.family)) return undefined;
  const config = chain === undefined ? undefined : readRules(chain);
  const open = execution === 'node' ? openLate(share, () => load(config), network, log) : await load(config);
  return (source) => {
    if (chain !== undefined && config !== undefined) requireChain(chain, config, source.chainId);
    return open(source);
  };
}

/** Whether answers of nodes to calls are compared with executions here; not where the machine of a rollup is not known. */
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
    new LateSampling({
      share,
      open: async () => (await load())(source),
      onFault: (error) =>
        log.warn({ network, err: error }, 'answers to calls are not compared: calls cannot be executed here'),
    });
}
