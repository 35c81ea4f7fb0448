/** What asks nodes: one part of the program, loaded on demand. */
import { openNode } from '../upstream/open-node.ts';
import { openUpstreamChain } from '../upstream/open-upstream-chain.ts';
import { prepareExecutions } from './prepare-executions.ts';

export { openNode, openUpstreamChain, prepareExecutions };
