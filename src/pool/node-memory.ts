import { limitOf } from '../util/bounds.ts';
import { SharedBudget } from '../util/shared-budget.ts';

/** Fraction of the budget that one node may use: by default enough for one answer of the maximum size. */
const NODE_SHARE = 0.5;

/**
 * Creates the budget for buffered bytes from nodes, shared by all networks of a process; each node is an owner in the budget.
 * @param bytes size of the budget (`limits.nodeBytes`)
 */
export function createNodeMemory(bytes: number = limitOf('nodes.bytes')): SharedBudget {
  return new SharedBudget(bytes, NODE_SHARE);
}
