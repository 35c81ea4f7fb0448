import { settleWithin } from '../util/settle-within.ts';
import type { ObservedChain } from './open-chain.ts';

/** How long a command waits for the nodes of a network: a service waits for none. */
const LIMIT_MS = 15_000;

/** Resolves when the nodes of a network are followed and recent blocks have been looked at, or in 15 s. Never rejects. */
export async function awaitNodes(chain: ObservedChain): Promise<void> {
  await settleWithin(chain.calibrated ?? Promise.resolve(), LIMIT_MS);
}
