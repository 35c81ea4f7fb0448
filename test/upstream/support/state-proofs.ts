import { createStateCache, StateRequests } from '../../../src/proven/state-requests.ts';
import type { RequestParts } from '../../../src/upstream/call-requests.ts';
import { StateClient } from '../../../src/upstream/state-client.ts';
import { StateProofs } from '../../../src/upstream/state-proofs.ts';

/** State proofs with a cache of their own. */
export function createStateProofs(parts: RequestParts): StateProofs {
  const proven = createStateCache({
    onFault: (error) => {
      throw error;
    },
  });
  return new StateProofs(parts, new StateRequests(new StateClient(parts), proven));
}
