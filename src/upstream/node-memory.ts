import { SharedBudget } from '../util/shared-budget.ts';

/** One node alone may hold half of it: as much as the longest answer. */
export const DEFAULT_NODE_BYTES: number = 256 * 1024 * 1024;
const NODE_SHARE = 0.5;

/** Memory for what nodes have sent and nobody has taken yet, for all networks of a process; nodes are its owners. @param bytes `limits.nodeBytes` */
export function createNodeMemory(bytes: number = DEFAULT_NODE_BYTES): SharedBudget {
  return new SharedBudget(bytes, NODE_SHARE);
}
