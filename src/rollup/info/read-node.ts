import { minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { BlockReads, Chain, HeaderView } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, BlockTag } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { requestValue } from '../request.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/** State that a node of any family reports. */
export type RollupNodeState = {
  readonly latest: HeaderView;
  /** Stable reference to the latest block. */
  readonly reference: BlockReference;
  /** Number of the last block posted to layer 1, as far as the node reports it; 0 before the first one. */
  readonly verified: bigint;
  readonly isSyncing: boolean;
};

/** State that only layer 1 or the family's own contracts provide; unknown values are absent and become 0. */
export type L1State = {
  readonly l1?: { readonly number: bigint; readonly timestamp: bigint } | undefined;
  readonly queueIndex?: bigint | undefined;
};

/**
 * Reads head, verified block and sync state of a node.
 * @param postedTag tag by which the family's nodes report the last block posted to layer 1; a finalized block is posted, too
 * @throws ChainError if not even the head is known
 */
export async function readNode(
  chain: Chain,
  postedTag: 'safe' | 'finalized',
  scope: RequestScope,
): Promise<RollupNodeState> {
  const [latest, verified, syncing = false] = await Promise.all([
    findTagged(chain.blocks, 'latest', scope),
    findPosted(chain.blocks, postedTag, scope),
    requestValue(chain, 'eth_syncing', [], scope),
  ]);
  if (latest === undefined) throw new ChainError('failed', 'header not found');
  return {
    latest,
    reference:
      latest.hash === undefined
        ? { kind: 'number', number: latest.number }
        : { kind: 'hash', hash: latest.hash, requireCanonical: false },
    verified: verified?.number ?? 0n,
    isSyncing: syncing !== false,
  };
}

/** Returns the head of layer 1 if the network has one. */
export async function readL1Head(
  { l1 }: RollupSources,
  scope: RequestScope,
): Promise<HeaderView | undefined> {
  return l1 === undefined ? undefined : findTagged(l1, 'latest', scope);
}

async function findPosted(
  blocks: Pick<BlockReads, 'getHeader'>,
  tag: 'safe' | 'finalized',
  scope: RequestScope,
): Promise<HeaderView | undefined> {
  const posted = await findTagged(blocks, tag, scope);
  return posted ?? (tag === 'safe' ? findTagged(blocks, 'finalized', scope) : undefined);
}

async function findTagged(
  blocks: Pick<BlockReads, 'getHeader'>,
  tag: BlockTag,
  scope: RequestScope,
): Promise<HeaderView | undefined> {
  return (await blocks.getHeader({ kind: 'tag', tag }, scope)) ?? undefined;
}

/** Assembles the info. `verified` never exceeds the head, which may have been read earlier. */
export function composeInfo(
  mode: RollupInfo['mode'],
  { latest, verified, isSyncing }: RollupNodeState,
  { l1, queueIndex = 0n }: L1State,
): RollupInfo {
  return {
    mode,
    syncing: isSyncing,
    ethContext: { blockNumber: l1?.number ?? 0n, timestamp: l1?.timestamp ?? 0n },
    rollupContext: {
      queueIndex,
      index: toTransactionIndex(latest.number),
      verifiedIndex: toTransactionIndex(minBigInt(verified, latest.number)),
    },
  };
}

/** Each block is one transaction of the canonical transaction chain; genesis is excluded and block 1 has index 0. */
function toTransactionIndex(blockNumber: bigint): bigint {
  return blockNumber > 0n ? blockNumber - 1n : 0n;
}
