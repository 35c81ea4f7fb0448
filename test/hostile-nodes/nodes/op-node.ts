import type { AskNode } from '../../support/faults/fault.ts';

const block = (number: number): object => ({ number, timestamp: 1_764_000_000 });
/** Answers of a verifier that follows layer 1 without lag, with blocks of these tests' chain. */
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

/** Adds an op-node's methods to a node; the node answers all others. */
export function askOpNode(node: AskNode): AskNode {
  return async (call) => (call.method in ANSWERS ? { result: ANSWERS[call.method] } : node(call));
}
