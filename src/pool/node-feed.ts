import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { readInteger } from '../../packages/proofs/members.ts';
import { classifyError } from './errors/classify-error.ts';
import { UpstreamFault } from './fault.ts';
import type { BlockHeader } from './heads/block.ts';
import type { HeadFeed, HeadListener, SyncClaim } from './heads/head-feed.ts';
import { parseBlockHeader, parseReportedHeader } from './heads/parse-block.ts';
import { type OwnTransport, requestNodeValue } from './request-value.ts';
import type { Transport } from './transport/transport.ts';

const POLL_LIMIT_MS = 5_000;
/** Time limit of `eth_syncing`, ms. The limit is shorter than `POLL_LIMIT_MS`, because the first head waits for the sync state. */
const SYNC_LIMIT_MS = 2_000;
/** Method of polls for heads. */
export const POLL_METHOD = 'eth_getBlockByNumber';
/**
 * Maximum number of announced headers parsed per iteration of the event loop. If more headers arrive, only the newest are parsed. Skipped blocks are
 * requested later if they are needed.
 */
const MAX_ANNOUNCED = 8;

/**
 * Creates the source of a node's heads, which are polled over one transport and announced over the same or another one.
 * @param own transport to the node
 * @param announcements transport that offers `watch`
 * @param onBlock gets each received block and header, unmodified, after it was parsed
 */
export function createNodeFeed(
  own: OwnTransport,
  announcements: Transport,
  onBlock: (block: unknown) => void = () => {},
): HeadFeed {
  /** Headers that arrived in this iteration of the event loop. */
  const announced: unknown[] = [];
  return {
    getBlock: (block) => getBlock(own, typeof block === 'bigint' ? encodeQuantity(block) : block, onBlock),
    getSync: () => getSync(own),
    ...(announcements.watch !== undefined && {
      watch: (listener) => {
        const passOn = (): void => {
          for (const header of announced.splice(0)) announce(header, onBlock, listener);
        };
        return (announcements.watch as NonNullable<Transport['watch']>)('newHeads', {
          onResult: (header) => {
            // The URL for announcements may lead to a different node, so an announcement only triggers a poll.
            if (announcements !== own.transport) {
              listener.onReady();
              return;
            }
            announced.push(header);
            if (announced.length > MAX_ANNOUNCED) announced.shift();
            if (announced.length === 1) setImmediate(passOn);
          },
          onLost: () => listener.onLost(),
          onReady: () => listener.onReady(),
        });
      },
    }),
  };
}

/** Ignores a header that cannot be parsed, because the next poll finds the head. */
function announce(header: unknown, onBlock: (block: unknown) => void, listener: HeadListener): void {
  try {
    const head = parseReportedHeader(header);
    onBlock(header);
    listener.onHeader(head);
  } catch {
    // An uncaught error would end the process.
  }
}

async function getSync(own: OwnTransport): Promise<SyncClaim> {
  const call = { method: 'eth_syncing', params: '[]' };
  const reply = await requestNodeValue(own, call, performance.now() + SYNC_LIMIT_MS);
  return reply.kind === 'error' ? undefined : readSync(reply.value);
}

/** Reads the result of `eth_syncing`: false, or an object whose optional member `highestBlock` is the target. */
export function readSync(value: unknown): SyncClaim {
  if (typeof value !== 'object' || value === null) return value === true ? { target: undefined } : undefined;
  const { highestBlock } = value as { readonly highestBlock?: unknown };
  try {
    return { target: readInteger(highestBlock, 'highestBlock') };
  } catch {
    return { target: undefined };
  }
}

async function getBlock(
  own: OwnTransport,
  block: string,
  onBlock: (block: unknown) => void,
): Promise<BlockHeader | null> {
  const call = { method: POLL_METHOD, params: `["${block}",false]` };
  const reply = await requestNodeValue(own, call, performance.now() + POLL_LIMIT_MS);
  if (reply.kind === 'error') {
    const { kind } = classifyError(reply.error, POLL_METHOD);
    // These are the kinds of errors of a node that does not know the tag or does not have the block yet.
    if (kind === 'missing' || kind === 'invalid' || kind === 'failed' || kind === 'unknown') return null;
    throw new UpstreamFault('unknown', 'the node does not report its head');
  }
  const { value } = reply;
  if (value === null) return null;
  const header = parseBlockHeader(value);
  onBlock(value);
  return header;
}
