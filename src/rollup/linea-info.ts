import { type BlockReference, type CallScope, type Chain, UNSUPPORTED } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { bytesToBigInt } from '../primitives/bytes.ts';
import type { Eventual } from '../primitives/eventual.ts';
import { readData } from './answers.ts';
import type { RollupInfo } from './rollup-family.ts';

export type LineaInfoSources = {
  readonly chain: Chain;
  /** Layer 1, for `ethContext`; without it both numbers are 0. */
  readonly l1: Chain | undefined;
  readonly mode: RollupInfo['mode'];
  /** Address of the L2 message service, for `queueIndex`; without it the index is 0. */
  readonly messageService: string | undefined;
};

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const FINALIZED: BlockReference = { kind: 'tag', tag: 'finalized' };
/** `lastAnchoredL1MessageNumber()` */
const LAST_ANCHORED_SELECTOR = '0x9340a1d1';
const WORD_LENGTH = 32;

/** Node information put together from what a Linea node and its layer 1 say. */
export async function readLineaInfo(sources: LineaInfoSources, scope: CallScope): Promise<RollupInfo> {
  const { chain, l1, mode } = sources;
  const [latest, finalized, l1Latest, syncing] = await Promise.all([
    ask(() => chain.getHeader(LATEST, scope)),
    ask(() => chain.getHeader(FINALIZED, scope)),
    ask(() => l1?.getHeader(LATEST, scope)),
    ask(() => chain.request('eth_syncing', [], scope)),
  ]);
  if (latest === null) throw new ChainError('failed', 'header not found');
  const pinned: BlockReference =
    latest.hash === undefined
      ? { kind: 'number', number: latest.number }
      : { kind: 'hash', hash: latest.hash, requireCanonical: false };

  let verified = finalized?.number ?? 0n;
  // The finalized header may have been read after the head moved on.
  if (verified > latest.number) verified = latest.number;
  return {
    mode,
    syncing: syncing !== UNSUPPORTED && String(syncing).trim() !== 'false',
    ethContext: { blockNumber: l1Latest?.number ?? 0n, timestamp: l1Latest?.timestamp ?? 0n },
    rollupContext: {
      queueIndex: await readLastAnchored(sources, pinned, scope),
      index: toTransactionIndex(latest.number),
      verifiedIndex: toTransactionIndex(verified),
    },
  };
}

/** A question that fails at once must not leave those asked before it without anybody who waits for them. */
async function ask<T>(question: () => Eventual<T>): Promise<T> {
  return question();
}

/** One block is one transaction of the canonical transaction chain; genesis is not in it and block 1 is index 0. */
function toTransactionIndex(blockNumber: bigint): bigint {
  return blockNumber > 0n ? blockNumber - 1n : 0n;
}

async function readLastAnchored(
  { chain, messageService }: LineaInfoSources,
  block: BlockReference,
  scope: CallScope,
): Promise<bigint> {
  if (messageService === undefined) return 0n;
  const failure = `no lastAnchoredL1MessageNumber() at message service ${messageService}`;
  const call = { to: messageService, data: LAST_ANCHORED_SELECTOR };
  let answer: string;
  try {
    answer = await chain.call({ call, block }, scope);
  } catch (error) {
    // A revert says that another contract lives there; it is not the client's call that reverted.
    if (error instanceof ChainError && error.kind === 'reverted') throw new ChainError('failed', failure);
    throw error;
  }
  const word = readData(answer, failure);
  if (word.length === 0) return 0n;
  if (word.length !== WORD_LENGTH) throw new ChainError('failed', failure);
  return bytesToBigInt(word);
}
