import {
  createStateCache,
  StateRequests,
} from '../../../src/chains/local-execution/proven/state-requests.ts';
import type { RequestParts } from '../../../src/chains/upstream/call-requests.ts';
import { StateClient } from '../../../src/chains/upstream/state-client.ts';
import { StateProofs } from '../../../src/chains/upstream/state-proofs.ts';

/** State proofs with a cache of their own. */
export function createStateProofs(parts: RequestParts): StateProofs {
  const proven = createStateCache({
    onFault: (error) => {
      throw error;
    },
  });
  return new StateProofs(parts, new StateRequests(new StateClient(parts), proven));
}
