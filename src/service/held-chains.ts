import type { Chain } from '../chain/chain.ts';
import type { NetworkFeed } from '../feed/feed.ts';
import type { RecordTable } from '../shared-store/records/record-table.ts';
import type { ObservedChain } from './open-chain.ts';

/** Creates the feed of a chain. @param records table through which processes share the state of the feed */
export type OpenFeed = (chain: Chain, records?: RecordTable) => NetworkFeed;

/** Number of configurations that use a chain: a request that began under an earlier configuration may still need the chain. */
const HOLDERS = new WeakMap<Chain, number>();
/** Feed of each chain, independent of the configuration, so that subscriptions survive a reload. */
const FEEDS = new WeakMap<Chain, NetworkFeed>();

/** Increments the number of configurations that use the chain; `releaseChain` decrements the number. */
export function holdChain(chain: ObservedChain): void {
  HOLDERS.set(chain, (HOLDERS.get(chain) ?? 0) + 1);
}

/** Closes the chain and its feed if no other configuration uses it. */
export async function releaseChain(chain: ObservedChain): Promise<void> {
  const holders = (HOLDERS.get(chain) ?? 1) - 1;
  HOLDERS.set(chain, holders);
  if (holders > 0) return;
  FEEDS.get(chain)?.close();
  await chain.close();
}

/** Returns the feed of a chain in use; the first call opens the feed. */
export function findFeed(chain: ObservedChain, open: OpenFeed, records?: RecordTable): NetworkFeed {
  let feed = FEEDS.get(chain);
  if (feed === undefined) {
    feed = open(chain, records);
    FEEDS.set(chain, feed);
  }
  return feed;
}
