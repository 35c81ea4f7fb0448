import { createProven, StateRequests } from '../../../src/proven/state-requests.ts';
import type { QuestionParts } from '../../../src/upstream/call-questions.ts';
import { StateAsker } from '../../../src/upstream/state-asker.ts';
import { StateProofs } from '../../../src/upstream/state-proofs.ts';

/** Proofs of state with a store of their own. */
export function createStateProofs(parts: QuestionParts): StateProofs {
  const proven = createProven({
    onFault: (error) => {
      throw error;
    },
  });
  return new StateProofs(parts, new StateRequests(new StateAsker(parts), proven));
}
