import { limitOf } from '../util/bounds.ts';
import { SharedBudget } from '../util/shared-budget.ts';

/** One node alone may hold half of it: as much as the longest answer. */
const NODE_SHARE = 0.5;

/** Memory for what nodes have sent and nobody has taken yet, for all networks of a process; nodes are its owners. @param bytes `limits.nodeBytes` */
export function createNodeMemory(bytes: number = limitOf('nodes.bytes')): SharedBudget {
  return new SharedBudget(bytes, NODE_SHARE);
}
