import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { BlockLog } from '../../chain/chain.ts';
import type { LogBlocks } from '../../chain/requests.ts';
import type { FeedStep, NetworkFeed } from '../../feed/feed.ts';
import { RpcError } from '../../rpc/errors.ts';
import { parseParams } from '../../rpc/method.ts';
import type { BeginSubscription } from '../../rpc/notifier.ts';
import type { MethodContext } from '../method-context.ts';
import { HeadTimes } from './head-times.ts';
import {
  LOGS,
  type LogSubscription,
  NEW_HEADS,
  PENDING_TRANSACTIONS,
  type ResumePoint,
  SYNCING,
  TRANSACTION_RECEIPTS,
} from './params.ts';
import { PendingTransactions } from './pending-transactions.ts';
import { ReceiptNotifications } from './receipt-notifications.ts';
import { chooseStart, subscribeToFeed } from './subscribe-to-feed.ts';

/**
 * Detects blocks that one reorg removes and a later reorg adds again, if no other block was sent in between. A subscriber that receives only added
 * blocks must not receive the same block twice.
 */
class RetakenBlocks {
  /** Hashes of the blocks removed since the last block was sent. The block with the lowest number is last. */
  readonly #removed: string[] = [];

  /** Whether the step adds a block that has to be sent. The caller has to pass every step of the feed. */
  isNew({ kind, block: { hash } }: FeedStep): boolean {
    if (kind === 'removed') {
      this.#removed.push(hash);
      return false;
    }
    if (this.#removed.at(-1) === hash) {
      this.#removed.pop();
      return false;
    }
    this.#removed.length = 0;
    return true;
  }
}

/** Call of `eth_subscribe` on a connection that can send notifications, for a network with a feed. */
export type SubscribeCall = {
  readonly rawParams: readonly unknown[];
  readonly context: MethodContext;
  readonly feed: NetworkFeed;
};

/**
 * Parses the parameters of a subscription.
 * @returns the function that starts the subscription
 * @throws RpcError for invalid parameters
 */
type SubscriptionKind = (call: SubscribeCall) => BeginSubscription;

/** Subscription kinds by name. */
export const KINDS: ReadonlyMap<string, SubscriptionKind> = new Map([
  ['newHeads', watchHeads],
  ['logs', watchLogs],
  ['transactionReceipts', watchReceipts],
  ['newPendingTransactions', watchPendingTransactions],
  ['syncing', watchSyncing],
]);

/**
 * Sends new block headers to a `newHeads` subscription. Removed blocks are sent only to clients that specify a start, because other clients do not
 * expect them.
 */
function watchHeads(call: SubscribeCall): BeginSubscription {
  const [, start = {}] = parseParams(NEW_HEADS, call.rawParams) as [unknown, ResumePoint?];
  const { fromBlock = 0n, afterHash } = start;
  const retaken = new RetakenBlocks();
  const wantsRemoved = start.fromBlock !== undefined || afterHash !== undefined;
  const { heads } = call.context.network.chain;
  const times = HeadTimes.of(heads);
  const openedAt = performance.now();
  const from = chooseStart(start, heads);
  return (subscription) =>
    subscribeToFeed(call, times, from, subscription, {
      onStep(step) {
        const {
          kind,
          block: { number, hash, header },
        } = step;
        if (number < fromBlock || (!wantsRemoved && !retaken.isNew(step))) return;
        if (kind === 'added') subscription.notify([header], times.find(hash, openedAt));
        else subscription.notify([`${header.slice(0, -1)},"removed":true}`]);
      },
    });
}

function watchLogs(call: SubscribeCall): BeginSubscription {
  const [, options, third] = parseParams(LOGS, call.rawParams) as [unknown, LogSubscription, ResumePoint?];
  const { filter, afterHash } = options;
  if (afterHash !== undefined && third !== undefined)
    throw new RpcError('invalidParams', 'invalid argument 2: the filter already has afterHash');
  const { first, last } = findBounds(filter.blocks);
  const start = third ?? (afterHash === undefined ? {} : { afterHash });
  const lowest = start.fromBlock !== undefined && start.fromBlock > first ? start.fromBlock : first;
  const { heads } = call.context.network.chain;
  const times = HeadTimes.of(heads);
  const openedAt = performance.now();
  const from = chooseStart(start, heads);
  const { addresses, topics } = filter;
  return (subscription) =>
    subscribeToFeed(call, times, from, subscription, {
      logs: {
        criteria: { addresses, topics },
        onLogs(logs, { kind, block: { number, hash } }) {
          if (number < lowest || number > last) return;
          subscription.notify(listTexts(logs), kind === 'added' ? times.find(hash, openedAt) : undefined);
        },
      },
    });
}

/** Upper bound that exceeds every block number. */
const NO_BOUND = 2n ** 64n;

/**
 * Returns the range of blocks whose logs match.
 * @throws RpcError in geth's words for a range that geth rejects
 */
function findBounds(blocks: LogBlocks): { readonly first: bigint; readonly last: bigint } {
  // geth ignores a block hash in the filter of a subscription.
  if (blocks.kind === 'block') return { first: 0n, last: NO_BOUND };
  const { from, to } = blocks;
  if ((from.kind === 'tag' && from.tag === 'pending') || (to.kind === 'tag' && to.tag === 'pending'))
    throw new RpcError('invalidParams', 'pending logs are not supported');
  const isToLatest = to.kind === 'tag' && to.tag === 'latest';
  if (from.kind === 'tag' && from.tag === 'latest' && isToLatest) return { first: 0n, last: NO_BOUND };
  const first = from.kind === 'number' ? from.number : from.tag === 'earliest' ? 0n : undefined;
  if (first !== undefined && isToLatest) return { first, last: NO_BOUND };
  if (first !== undefined && to.kind === 'number' && to.number >= first) return { first, last: to.number };
  throw new RpcError('invalidParams', 'invalid block range params');
}

/**
 * JSON texts of logs by list object. Subscriptions with equal criteria receive the same list object, so the texts are extracted once for all of them.
 */
const TEXTS = new WeakMap<readonly BlockLog[], readonly JsonText[]>();

function listTexts(logs: readonly BlockLog[]): readonly JsonText[] {
  let texts = TEXTS.get(logs);
  if (texts === undefined) {
    texts = logs.map(({ json }) => json);
    TEXTS.set(logs, texts);
  }
  return texts;
}

function watchReceipts(call: SubscribeCall): BeginSubscription {
  const [, hashes = []] = parseParams(TRANSACTION_RECEIPTS, call.rawParams) as [
    unknown,
    (readonly string[])?,
  ];
  const { network, scope } = call.context;
  const times = HeadTimes.of(network.chain.heads);
  const openedAt = performance.now();
  const parts = { chain: network.chain, hashes, owner: scope.owner };
  return async (subscription) => {
    const receipts = new ReceiptNotifications(subscription, parts);
    const leave = await subscribeToFeed(call, times, { kind: 'head' }, subscription, {
      values: hashes.length,
      onStep(step) {
        receipts.take(step, step.kind === 'added' ? times.find(step.block.hash, openedAt) : undefined);
      },
    });
    return () => {
      leave();
      receipts.close();
    };
  };
}

function watchPendingTransactions({ rawParams, context, feed }: SubscribeCall): BeginSubscription {
  const [, isFull = false] = parseParams(PENDING_TRANSACTIONS, rawParams) as [unknown, boolean?];
  return (subscription) => {
    const transactions = isFull ? new PendingTransactions(subscription, context) : undefined;
    const leave = feed.watchPending((hashes) => {
      if (transactions === undefined) subscription.notify(listHashes(hashes));
      else transactions.send(hashes);
    });
    if (leave === undefined)
      throw new RpcError('serverError', 'pending transactions are not available on this network');
    return () => {
      leave();
      transactions?.close();
    };
  };
}

const HASHES = new WeakMap<readonly string[], readonly JsonText[]>();

function listHashes(hashes: readonly string[]): readonly JsonText[] {
  let texts = HASHES.get(hashes);
  if (texts === undefined) {
    texts = hashes.map((hash) => `"${hash}"`);
    HASHES.set(hashes, texts);
  }
  return texts;
}

/** Sends the current sync state first, then each change. */
function watchSyncing({ rawParams, context, feed }: SubscribeCall): BeginSubscription {
  parseParams(SYNCING, rawParams);
  const { heads } = context.network.chain;
  return (subscription) => {
    let known = heads.served?.number ?? 0n;
    const send = (isSynced: boolean): void => {
      known = heads.served?.number ?? known;
      subscription.notify([isSynced ? 'false' : describeSyncing(known)]);
    };
    const leave = feed.watchSync(send);
    send(feed.isSynced);
    return leave;
  };
}

/**
 * Encodes the state of a syncing chain as geth does. While no head may be served, the chain's progress is unknown. All block numbers in the result
 * are therefore the number of the last served head.
 */
function describeSyncing(number: bigint): JsonText {
  const block = `0x${number.toString(16)}`;
  return JSON.stringify({
    syncing: true,
    status: { startingBlock: block, currentBlock: block, highestBlock: block },
  });
}
