/** What asks nodes: one part of the program, loaded on demand. */
import { NoAnchor, readAnchor } from '../rollup/op-stack/read-anchor.ts';
import { openNode } from '../upstream/open-node.ts';
import { openUpstreamChain } from '../upstream/open-upstream-chain.ts';
import { prepareExecutions } from './prepare-executions.ts';

export { NoAnchor, openNode, openUpstreamChain, prepareExecutions, readAnchor };
