import { DEFAULT_VERIFY_LOG_BLOCKS } from '../../pool/options.ts';
import type { Upstream } from '../../pool/upstream.ts';
import { systemClock } from '../../util/clock.ts';
import type { BlockRequests } from './block-requests.ts';
import type { RequestParts } from './call-requests.ts';
import { LogRequests } from './log-requests.ts';
import type { UpstreamChainOptions } from './upstream-chain-options.ts';
import { LogProofs } from './verifying/log-proofs.ts';

/** Options of the network, and components from which `LogRequests` is built. */
type LogOptions = Pick<UpstreamChainOptions, 'network' | 'logs' | 'log' | 'verifyLogBlocks'> & {
  readonly blocks: BlockRequests;
  readonly upstreams: readonly Upstream[];
  readonly headNumber: () => bigint;
};

/** Creates the `LogRequests` of a network. If blocks are verified, logs in ranges of up to `verifyLogBlocks` blocks are verified, too. */
export function openLogRequests(parts: RequestParts, options: LogOptions): LogRequests {
  const { network, logs: limits, log, verifyLogBlocks = DEFAULT_VERIFY_LOG_BLOCKS } = options;
  const { blocks, upstreams, headNumber } = options;
  const { verifier, blocks: checks } = parts.proofs ?? {};
  const findHeader = (hash: string) => checks?.findHeader(hash);
  return new LogRequests({
    ...parts,
    limits,
    logProofs:
      verifier &&
      new LogProofs({ verifier, blocks, findHeader, maxBlocks: verifyLogBlocks, limits, headNumber }),
    maxBlocks: () => maxLogBlocks(upstreams),
    now: () => systemClock.now(),
    onBloomless: (kind, block) =>
      log.warn(
        { network, block: block.toString(), kind },
        'headers of this network do not commit to its logs: logs from nodes are no longer compared with the bloom',
      ),
  });
}

/** Returns the maximum number of blocks per `eth_getLogs` request at the node with the highest limit. */
function maxLogBlocks(upstreams: readonly Upstream[]): number {
  const usable = upstreams.filter(({ isUp }) => isUp);
  return Math.max(1, ...(usable.length > 0 ? usable : upstreams).map(({ logSpan }) => logSpan.limit));
}
