import type { ObservedChain } from '../service/open-chain.ts';
import { completeWithin } from '../util/complete-within.ts';

/** Maximum wait of a command for the nodes of a network, ms; a service does not wait. */
const LIMIT_MS = 15_000;

/** Resolves once the heads of a network's nodes are followed and recent blocks are verified, or after 15 s. Never rejects. */
export async function awaitNodes(chain: ObservedChain): Promise<void> {
  await completeWithin(chain.calibrated ?? Promise.resolve(), LIMIT_MS);
}
