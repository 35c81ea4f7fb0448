import { BLANK_HEADER, type Header } from '../../packages/ethereum/codecs/header.ts';
import { bytesEqual } from '../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_LIST_HASH } from '../../packages/ethereum/primitives/keccak.ts';
import { computeDifficulty } from '../../packages/evm/interpreter/difficulty.ts';
import type { BlockRules } from '../../packages/evm/transition/rules.ts';
import { nextBaseFee, nextExcessBlobGas } from '../../src/chains/embedded/import/validate-header.ts';
import type { ExecutedBlock } from '../../src/chains/embedded/store/chain-writer.ts';
import { hashLabel } from './accounts.ts';

/** Header fields that the block's author chooses. */
export type HeaderChoices = {
  readonly timestamp: bigint;
  readonly beneficiary: Uint8Array;
  readonly extraData: Uint8Array;
};

const LONDON_ELASTICITY = 2n;

/** Drafts the header of the block after `parent`, without the fields that its body and its execution determine. */
export function draftHeader(parent: ExecutedBlock, choices: HeaderChoices, rules: BlockRules): Header {
  const { header } = parent.block;
  const number = header.number + 1n;
  const baseFeePerGas = nextBaseFee(header, rules);
  const excessBlobGas = nextExcessBlobGas(header, rules);
  const isFirstLondon = baseFeePerGas !== undefined && header.baseFeePerGas === undefined;
  return {
    ...BLANK_HEADER,
    ...choices,
    number,
    parentHash: parent.hash,
    difficulty: rules.isMerged ? 0n : difficultyAfter(header, choices.timestamp, rules),
    gasLimit: isFirstLondon ? header.gasLimit * LONDON_ELASTICITY : header.gasLimit,
    mixHash: hashLabel(`mix hash ${number}`),
    nonce: rules.isMerged ? BLANK_HEADER.nonce : hashLabel(`nonce ${number}`).slice(0, 8),
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(excessBlobGas !== undefined && {
      excessBlobGas,
      parentBeaconBlockRoot: hashLabel(`beacon root ${number}`),
    }),
    // Every fifth slot is missed.
    ...(rules.revision.hasBlockAccessList && { slotNumber: number + number / 4n }),
  };
}

function difficultyAfter(parent: Header, timestamp: bigint, { bombDelay, revision }: BlockRules): bigint {
  const { difficulty, timestamp: parentTimestamp, ommersHash } = parent;
  const hasUncles = !bytesEqual(ommersHash, EMPTY_LIST_HASH);
  return computeDifficulty({
    number: parent.number + 1n,
    timestamp,
    parent: { difficulty, timestamp: parentTimestamp, hasUncles },
    bombDelay,
    factor: revision.difficultyFactor,
  });
}
