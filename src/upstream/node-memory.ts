import { limitOf } from '../util/bounds.ts';
import { SharedBudget } from '../util/shared-budget.ts';

/** One node alone may hold half of it: as much as the longest answer. */
const NODE_SHARE = 0.5;

/** The budget for bytes of nodes that wait in memory, of all networks of a process; each node is an owner in it. @param bytes `limits.nodeBytes` */
export function createNodeMemory(bytes: number = limitOf('nodes.bytes')): SharedBudget {
  return new SharedBudget(bytes, NODE_SHARE);
}
