import type { Logger } from '../../observe/logger.ts';
import type { Clock } from '../../util/clock.ts';
import { Listeners } from '../../util/listeners.ts';
import { Lru } from '../../util/lru.ts';
import type { Upstream } from '../upstream.ts';
import { AnnouncedPending } from './announced-pending.ts';
import { PolledPending } from './polled-pending.ts';

/**
 * Number of hashes that are remembered so that each is passed on only once. On the busiest networks, 32,768 hashes are announced in some minutes.
 * Each takes about 200 bytes.
 */
const MAX_SEEN = 32_768;
/** Maximum number of hashes per call of a listener. */
const MAX_FRESH = 1_024;
const HASH = /^0x[0-9a-f]{64}$/;

/** Members of an upstream that a feed of pending transactions uses. */
export type PendingNode = Pick<
  Upstream,
  'name' | 'operator' | 'control' | 'announcer' | 'openMemory' | 'isUp' | 'isOnFork' | 'isBehind'
>;

export type PendingFeedParts = {
  readonly network: string;
  readonly nodes: readonly PendingNode[];
  readonly log: Logger;
  readonly clock: Clock;
  /** Number of operators that must report a transaction; 1 by default. */
  readonly voices?: number;
};

/**
 * Feed of the pending transactions of nodes, announced over a WebSocket if the node supports that, otherwise read from a filter each second. The feed
 * uses only healthy nodes on this chain, passes each hash on once, and runs only while it has listeners.
 */
export class NodePendingFeed {
  readonly #parts: PendingFeedParts;
  readonly #watchers = new Listeners<[readonly string[]]>();
  readonly #seen = new Lru<string, true>(MAX_SEEN, Number.POSITIVE_INFINITY);
  /** Operators that have reported a transaction, by transaction hash, while they are fewer than `voices`. */
  readonly #tellers = new Lru<string, Set<string>>(MAX_SEEN, Number.POSITIVE_INFINITY);
  #sources: readonly { stop(): void }[] = [];
  /** Hashes that wait to be passed on in this iteration of the event loop. */
  #fresh: string[] = [];

  constructor(parts: PendingFeedParts) {
    this.#parts = parts;
  }

  /**
   * Adds a listener; the first listener starts the feed.
   * @returns a function that removes the listener, and stops the feed if it was the last one
   */
  watch(listener: (hashes: readonly string[]) => void): () => void {
    if (this.#watchers.size === 0) this.#sources = this.#parts.nodes.map((node) => this.#open(node));
    const leave = this.#watchers.add(listener);
    return () => {
      if (leave()) this.close();
    };
  }

  /** Removes all listeners and stops all requests to nodes. */
  close(): void {
    for (const source of this.#sources) source.stop();
    this.#sources = [];
    this.#watchers.clear();
    this.#seen.clear();
    this.#tellers.clear();
    this.#fresh = [];
  }

  #open(node: PendingNode): { stop(): void } {
    const { clock, log, network } = this.#parts;
    const parts = {
      clock,
      onHash: (hash: unknown) => this.#take(node, hash),
      onFlood: () =>
        log.warn(
          { network, upstream: node.name },
          'upstream announces too many pending transactions: they are ignored for a minute',
        ),
    };
    return node.announcer.watch === undefined
      ? new PolledPending({
          ...parts,
          transport: node.control,
          memory: node.openMemory,
          isWanted: () => isHealthy(node),
        })
      : new AnnouncedPending({ ...parts, transport: node.announcer });
  }

  #take(node: PendingNode, announced: unknown): void {
    const hash = typeof announced === 'string' ? announced.toLowerCase() : '';
    if (!HASH.test(hash) || !isHealthy(node) || this.#seen.get(hash) === true) return;
    if (!this.#hasVoices(node, hash)) return;
    this.#seen.set(hash, true);
    if (this.#fresh.length === 0) setImmediate(() => this.#passOn());
    this.#fresh.push(hash);
    if (this.#fresh.length >= MAX_FRESH) this.#passOn();
  }

  #hasVoices({ operator }: PendingNode, hash: string): boolean {
    const { voices = 1 } = this.#parts;
    if (voices <= 1) return true;
    const tellers = this.#tellers.get(hash) ?? new Set();
    tellers.add(operator);
    if (tellers.size < voices) this.#tellers.set(hash, tellers);
    else this.#tellers.delete(hash);
    return tellers.size >= voices;
  }

  #passOn(): void {
    const hashes = this.#fresh;
    this.#fresh = [];
    if (hashes.length > 0) this.#watchers.notify(hashes);
  }
}

/** Whether the node's pending transactions can be in the next block of this chain. */
function isHealthy({ isUp, isOnFork, isBehind }: PendingNode): boolean {
  return isUp && !isOnFork && !isBehind;
}
