import type { ObservedChain } from '../service/open-chain.ts';
import { completeWithin } from '../util/complete-within.ts';

/** Longest wait of a command for a network's nodes, milliseconds; a service does not wait. */
const LIMIT_MS = 15_000;

/** Resolves once the nodes of a network are followed and recent blocks have been verified, or after 15 s. Never rejects. */
export async function awaitNodes(chain: ObservedChain): Promise<void> {
  await completeWithin(chain.calibrated ?? Promise.resolve(), LIMIT_MS);
}
