import type { BlockPlace, HeadReads } from '../../chain/chain.ts';
import { FeedError, type FeedListener, type FeedStart } from '../../feed/feed.ts';
import { createBoundError, RpcError } from '../../rpc/errors.ts';
import type { Subscription } from '../../rpc/notifier.ts';
import { limitOf } from '../../util/bounds.ts';
import { workFor } from '../work-credits.ts';
import type { HeadTimes } from './head-times.ts';
import type { SubscribeCall } from './kinds.ts';
import type { ResumePoint } from './params.ts';

const START_BLOCKS = 'subscriptions.startBlocks';
const NO_LONGER_SERVED = 'the network is no longer served: connect again';
/** Reason in the close frame of a subscription that would otherwise skip blocks or logs. */
export const HAS_GAP = 'the subscription cannot go on without a gap: subscribe again after the last block';

/** Returns the feed position where a subscription starts. If `fromBlock` is a future block, the subscription starts at the head and waits for that block. */
export function chooseStart({ fromBlock, afterHash }: ResumePoint, { served }: HeadReads): FeedStart {
  if (afterHash !== undefined) return { kind: 'after', hash: afterHash };
  if (fromBlock === undefined || (served !== undefined && fromBlock > served.number)) return { kind: 'head' };
  return { kind: 'from', number: fromBlock };
}

/**
 * Joins a subscription to the feed. The subscription remains in the feed after the call of `eth_subscribe`. The scope of the call limits only the
 * search for the start block.
 * @param times head times of the chain, recorded at least until the membership ends
 * @returns a function that leaves the feed
 * @throws RpcError where the start is unavailable
 */
export async function subscribeToFeed(
  { feed, context: { scope: callScope } }: SubscribeCall,
  times: HeadTimes,
  start: FeedStart,
  subscription: Subscription,
  listener: Pick<FeedListener, 'onStep' | 'logs' | 'values'>,
): Promise<() => void> {
  if (start.kind !== 'head') await workFor(callScope, 'eth_subscribe_start', 1, () => {});
  const scope = callScope.derive({ isDetached: true, deadline: Number.POSITIVE_INFINITY });
  const giveUp = (): void => scope.abort();
  const { signal } = callScope;
  signal.addEventListener('abort', giveUp);
  const endTimes = times.use();
  const waitUntilReady = (): Promise<void> | undefined => subscription.waitForRoom();
  const onEnd = ({ kind }: FeedError): void =>
    subscription.fail(kind === 'closed' ? NO_LONGER_SERVED : HAS_GAP);
  try {
    const leave = await feed.join(start, { ...listener, waitUntilReady, onEnd }, scope);
    return () => {
      leave();
      endTimes();
      scope.abort();
    };
  } catch (error) {
    endTimes();
    scope.abort();
    throw error instanceof FeedError ? describe(error) : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function describe({ kind, message, ancestor }: FeedError): RpcError {
  if (kind === 'unknownBlock') return new RpcError('unknownStart', `${message}: ${advise(ancestor)}`);
  if (kind === 'tooFar') return createBoundError('startTooFar', START_BLOCKS, limitOf(START_BLOCKS));
  if (kind === 'tooMuch') return new RpcError('tooManySubscriptions', 'subscriptions.criteria');
  return new RpcError('unavailable', message);
}

/**
 * Returns advice for a client whose subscription cannot continue after its start block. If `ancestor` is undefined, the start block is unknown.
 * Otherwise, some of the logs that were removed above the block `ancestor` are unknown.
 */
function advise(ancestor: BlockPlace | undefined): string {
  return ancestor === undefined
    ? 'read what is missing with eth_getLogs or eth_getBlockByNumber, and subscribe without a start'
    : `drop the logs of all blocks above block ${ancestor.number}, and subscribe with afterHash ${ancestor.hash}`;
}
