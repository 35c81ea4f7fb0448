import type { AskNode } from '../../support/faults/fault.ts';

const block = (number: number): object => ({ number, timestamp: 1_764_000_000 });
/** A verifier that follows layer 1 without a lag, with blocks that the chain of these tests has. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  optimism_syncStatus: {
    current_l1: block(1_000),
    head_l1: block(1_000),
    unsafe_l2: block(60),
    safe_l2: block(50),
    finalized_l2: block(40),
  },
  admin_sequencerActive: false,
};

/** An op-node beside a node: its own methods have answers, all others are the node's. */
export function askOpNode(node: AskNode): AskNode {
  return async (call) => (call.method in ANSWERS ? { result: ANSWERS[call.method] } : node(call));
}
