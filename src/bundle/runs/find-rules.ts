import type { Header } from '../../chain/header.ts';
import { ForkRules } from '../../chains/local-execution/remote/fork-rules.ts';
import { BundleError, type Rules } from '../format.ts';
import type { Source } from '../request-block.ts';
import { assumeRules, describeRules } from './rules.ts';

/**
 * Returns the rules of a source's chain at a block: as named on the command line, from its schedule, as its nodes report them (EIP-7910), or of a known
 * public chain.
 * @throws BundleError if no source provides them
 */
export async function findRules({ chain, scope, config, fork }: Source, header: Header): Promise<Rules> {
  if (fork !== undefined) return assumeRules(chain.chainId, fork, header);
  const rules = new ForkRules(chain.chainId, config);
  if (config === undefined) {
    const answer = await chain.node.getConfig(scope);
    if (answer !== null) rules.note([JSON.parse(answer)]);
  }
  const found = rules.find(header);
  if (found !== undefined) return describeRules(found.config, header);
  throw new BundleError(
    'the network does not say the rules of this block (eth_config): name its fork with --fork',
  );
}
