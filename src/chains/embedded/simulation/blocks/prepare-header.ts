import type { ChainConfig } from '../../../../../packages/ethereum/codecs/chain-config.ts';
import { isMergedAt } from '../../../../../packages/ethereum/codecs/chain-config.ts';
import { BLANK_HEADER, type Header } from '../../../../../packages/ethereum/codecs/header.ts';
import { padLeft } from '../../../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../../../packages/ethereum/primitives/keccak.ts';
import { type BlockRules, rulesAt } from '../../../../../packages/evm/transition/rules.ts';
import { nextBaseFee, nextExcessBlobGas } from '../../import/validate-header.ts';
import type { PlannedBlock } from './plan-blocks.ts';

export type PreparedHeader = { readonly header: Header; readonly rules: BlockRules };

export type HashedHeader = { readonly header: Header; readonly hash: Uint8Array };

/**
 * Builds the part of a simulated block's header that is known before its calls run. Header fields without an override follow from the parent's
 * header, or are zero.
 * @param isValidated `validation` of the request: if true, the base fee follows the protocol; if false, it is zero unless overridden
 */
export function prepareHeader(
  { number, timestamp, overrides }: PlannedBlock,
  { header: parent, hash }: HashedHeader,
  config: ChainConfig,
  isValidated: boolean,
): PreparedHeader {
  const difficulty = chooseDifficulty(
    isMergedAt(config, number, timestamp) ? 0n : parent.difficulty,
    overrides.difficulty,
  );
  const rules = simulatedRules(config, { number, timestamp, difficulty });
  const parentRules = simulatedRules(config, parent);
  const { hasBaseFee, hasWithdrawals } = rules.revision;
  const naturalFee = hasBaseFee ? (isValidated ? nextBaseFee(parent, rules) : 0n) : undefined;
  const baseFee = overrides.baseFeePerGas === undefined ? naturalFee : BigInt(overrides.baseFeePerGas);
  const excess = parentRules.blobs === undefined ? 0n : nextExcessBlobGas(parent, rules);
  const { feeRecipient, gasLimit, prevRandao, beaconRoot } = overrides;
  const header: Header = {
    ...BLANK_HEADER,
    parentHash: hash,
    ommersHash: EMPTY_LIST_HASH,
    number,
    timestamp,
    difficulty,
    beneficiary: feeRecipient === undefined ? parent.beneficiary : hexToBytes(feeRecipient),
    gasLimit: gasLimit === undefined ? parent.gasLimit : BigInt(gasLimit),
    mixHash: prevRandao === undefined ? BLANK_HEADER.mixHash : padLeft(hexToBytes(prevRandao), 32),
    ...(baseFee !== undefined && { baseFeePerGas: baseFee }),
    ...(hasWithdrawals && { withdrawalsRoot: EMPTY_TRIE_ROOT }),
    ...(rules.blobs !== undefined && {
      blobGasUsed: 0n,
      excessBlobGas: excess ?? 0n,
      parentBeaconBlockRoot: beaconRoot === undefined ? new Uint8Array(32) : hexToBytes(beaconRoot),
    }),
    // As in geth, a block has no slot number if its parent has none. The first Amsterdam block therefore has no slot number.
    ...(parent.slotNumber !== undefined && { slotNumber: parent.slotNumber + 1n }),
  };
  return { header, rules };
}

/**
 * Returns the rules of a simulated block. A block with difficulty 0 counts as merged from London on; before London, the difficulty activates no fork.
 */
function simulatedRules(
  config: ChainConfig,
  { number, timestamp, difficulty }: Pick<Header, 'number' | 'timestamp' | 'difficulty'>,
): BlockRules {
  const isLondon = config.blockForks.some(({ fork, block }) => fork === 'london' && number >= block);
  return rulesAt(config, { number, timestamp, isMerged: difficulty === 0n && isLondon });
}

/** Returns the difficulty, which is 0 for a proof-of-stake block even with an override. */
function chooseDifficulty(natural: bigint, override: string | undefined): bigint {
  return override === undefined || natural === 0n ? natural : BigInt(override);
}
