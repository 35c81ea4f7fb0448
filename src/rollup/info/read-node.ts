import { minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { BlockReads, Chain, HeaderView } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, BlockTag } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { requestValue } from '../request.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/** State that nodes of every family report. */
export type RollupNodeState = {
  readonly latest: HeaderView;
  /** Reference to the latest block. The reference is a hash if possible, because a hash still names the same block after a reorg. */
  readonly reference: BlockReference;
  /** Number of the last block that was posted to layer 1, according to the node; 0 before the first one. */
  readonly verified: bigint;
  readonly isSyncing: boolean;
};

/** State that is read from layer 1 or from the family's own contracts; unknown values are absent and become 0. */
export type L1State = {
  readonly l1?: { readonly number: bigint; readonly timestamp: bigint } | undefined;
  readonly queueIndex?: bigint | undefined;
};

/**
 * Reads head, last posted block and sync state of a node.
 * @param postedTag tag by which nodes of the family name the last block that was posted to layer 1; a finalized block was also posted
 * @throws ChainError if the head is unknown
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

/** Returns the head of layer 1; undefined if no layer 1 network is configured. */
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

/** Assembles the result of `rollup_getInfo`. The head may have been read before `verified`; a higher `verified` is reduced to the head. */
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

/**
 * Returns the index of a block in the canonical transaction chain. Each block counts as one transaction; block 1 has index 0, and genesis is
 * excluded.
 */
function toTransactionIndex(blockNumber: bigint): bigint {
  return blockNumber > 0n ? blockNumber - 1n : 0n;
}
