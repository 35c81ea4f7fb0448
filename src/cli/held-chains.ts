import type { Chain } from '../chain/chain.ts';
import type { NetworkFeed } from '../feed/feed.ts';
import type { RecordTable } from '../records/record-table.ts';
import type { ObservedChain } from './open-chain.ts';

/** Makes the feed of a chain. @param records where processes share what they know of it */
export type OpenFeed = (chain: Chain, records?: RecordTable) => NetworkFeed;

/** How many configurations have a chain: a request that began under one of them may still need it. */
const HOLDERS = new WeakMap<Chain, number>();
/** A chain has one feed, under whichever configuration: subscriptions go on over a reload. */
const FEEDS = new WeakMap<Chain, NetworkFeed>();

export function holdChain(chain: ObservedChain): void {
  HOLDERS.set(chain, (HOLDERS.get(chain) ?? 0) + 1);
}

/** Closes the chain, and its feed, when no other configuration has it. */
export async function releaseChain(chain: ObservedChain): Promise<void> {
  const holders = (HOLDERS.get(chain) ?? 1) - 1;
  HOLDERS.set(chain, holders);
  if (holders > 0) return;
  FEEDS.get(chain)?.close();
  await chain.close();
}

/** The feed of a chain that is held. */
export function findFeed(chain: ObservedChain, open: OpenFeed, records?: RecordTable): NetworkFeed {
  let feed = FEEDS.get(chain);
  if (feed === undefined) {
    feed = open(chain, records);
    FEEDS.set(chain, feed);
  }
  return feed;
}
