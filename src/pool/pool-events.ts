import { Listeners } from '../util/listeners.ts';
import type { UpstreamFault } from './fault.ts';
import type { Upstream } from './upstream.ts';

/**
 * Events of a network of nodes. The events exist before all parts of the network, so that a part can report to parts that are created later. Each
 * event is notified synchronously.
 */
export class PoolEvents {
  /** The heads of a node have changed. */
  readonly headReported: Listeners<[Upstream]> = new Listeners();
  /** A node was polled for its head, whether it answered or not. */
  readonly polled: Listeners<[Upstream]> = new Listeners();
  /** A node has stopped answering polls. */
  readonly away: Listeners<[Upstream]> = new Listeners();
  /** A node answers polls again. */
  readonly back: Listeners<[Upstream]> = new Listeners();
  /**
   * A node has sent a block or header that no client requested. The value is passed to the listeners as received, before any comparison with known
   * blocks.
   */
  readonly headerSeen: Listeners<[unknown]> = new Listeners();
  /** A node has sent more than a request can need, or a message that was not requested. */
  readonly excessive: Listeners<[Upstream, UpstreamFault]> = new Listeners();
  /** The input of the head election has changed: heads, availability or standings of nodes, or the admitted height. */
  readonly changed: Listeners<[]> = new Listeners();
  /** The network has become a different chain with the same id. */
  readonly replaced: Listeners<[]> = new Listeners();
  /** Served blocks have left the chain. Hashes, highest block first. */
  readonly orphaned: Listeners<[readonly string[]]> = new Listeners();
  /** The served head has become another block or undefined, or is defined again. */
  readonly served: Listeners<[]> = new Listeners();
  /** The served head and all data that depends on it have changed. A request that waits for the next head registers a listener here. */
  readonly announced: Listeners<[]> = new Listeners();
  /** The first examination of recent blocks has ended. Without verification, and if no node answers, it ends as well. */
  readonly calibrated: Listeners<[]> = new Listeners();
}
