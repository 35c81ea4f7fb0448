/** Modules that send requests to nodes, loaded on demand as one bundle. */

import { openUpstreamChain } from '../chains/upstream/open-upstream-chain.ts';
import { openNode } from '../pool/open-node.ts';
import { NoAnchor, readAnchor } from '../rollup/op-stack/read-anchor.ts';
import { listSeen, recogniseFamily } from '../rollup/recognise-family.ts';
import { EstimateComparisons } from './estimate-comparisons.ts';
import { FamilyRecognition, noteUnknownFork } from './family-recognition.ts';
import { prepareExecutions } from './prepare-executions.ts';

export {
  EstimateComparisons,
  FamilyRecognition,
  listSeen,
  NoAnchor,
  noteUnknownFork,
  openNode,
  openUpstreamChain,
  prepareExecutions,
  readAnchor,
  recogniseFamily,
};
