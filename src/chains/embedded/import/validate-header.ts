import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import { GAS_PER_BLOB } from '../../../../packages/ethereum/codecs/transaction.ts';
import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_LIST_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import { computeDifficulty } from '../../../../packages/evm/interpreter/difficulty.ts';
import {
  computeExcessBlobGas,
  computeNextBaseFee,
  INITIAL_BASE_FEE,
} from '../../../../packages/evm/interpreter/fee-market.ts';
import { BlockError } from '../../../../packages/evm/transition/block-error.ts';
import { DAO_EXTRA_DATA, DAO_EXTRA_DATA_BLOCKS } from '../../../../packages/evm/transition/dao-fork.ts';
import type { BlockRules } from '../../../../packages/evm/transition/rules.ts';

/**
 * Extent of the check of a proof-of-work seal. `ethash-format`: the difficulty must follow the formula, and nonce and mix hash are arbitrary. `none`:
 * difficulty, nonce and mix hash are arbitrary.
 */
export type SealCheck = 'none' | 'ethash-format';

const MAX_EXTRA_DATA_LENGTH = 32;
const MIN_GAS_LIMIT = 5_000n;
const GAS_LIMIT_BOUND_DIVISOR = 1_024n;
const MAX_GAS_LIMIT = 2n ** 63n - 1n;
const GAS_LIMIT_ELASTICITY = 2n;

export type ParentHeader = { readonly header: Header; readonly hash: Uint8Array };

export type HeaderContext = {
  readonly rules: BlockRules;
  readonly seal: SealCheck;
  readonly daoForkBlock: bigint | undefined;
};

function expect(condition: boolean, message: string): void {
  if (!condition) throw new BlockError(message);
}

/** Checks the number and the parent hash of a header. @throws BlockError */
export function validateLink(header: Header, parent: ParentHeader): void {
  expect(
    header.number === parent.header.number + 1n,
    `number ${header.number} after ${parent.header.number}`,
  );
  expect(bytesEqual(header.parentHash, parent.hash), 'parent hash mismatch');
}

/** Checks a header against the fork rules of its block and against its parent's header. @throws BlockError naming the field and its value */
export function validateHeader(header: Header, parent: ParentHeader, context: HeaderContext): void {
  const { rules } = context;
  validateLink(header, parent);
  expect(
    header.timestamp > parent.header.timestamp,
    `timestamp ${header.timestamp} is not after the parent's ${parent.header.timestamp}`,
  );
  expect(
    header.extraData.length <= MAX_EXTRA_DATA_LENGTH,
    `extra data has ${header.extraData.length} bytes, max ${MAX_EXTRA_DATA_LENGTH}`,
  );
  expect(
    header.gasUsed <= header.gasLimit,
    `gas used ${header.gasUsed} is above the limit ${header.gasLimit}`,
  );
  validateGasLimit(header, parent.header, context);
  validateDaoExtraData(header, context.daoForkBlock);
  if (rules.isMerged) validateProofOfStake(header);
  else validateProofOfWork(header, parent.header, context);
  validateBaseFee(header, parent.header, context);
  validatePresence(header.withdrawalsRoot, rules.revision.hasWithdrawals, 'withdrawalsRoot');
  validatePresence(header.requestsHash, rules.revision.hasRequests, 'requestsHash');
  validateBlobFields(header, parent.header, rules);
  // The slot number is set by the consensus layer, so it is not compared with the slot number of the parent.
  validatePresence(header.blockAccessListHash, rules.revision.hasBlockAccessList, 'blockAccessListHash');
  validatePresence(header.slotNumber, rules.revision.hasBlockAccessList, 'slotNumber');
}

function validatePresence(value: unknown, isRequired: boolean, name: string): void {
  expect((value !== undefined) === isRequired, isRequired ? `missing ${name}` : `unexpected ${name}`);
}

/** Checks the gas limit (yellow paper 4.3.4, formulas 45 and 47). At the first London block, the parent's limit counts twice (EIP-1559). */
function validateGasLimit(header: Header, parent: Header, { rules }: HeaderContext): void {
  const isFirstLondon = rules.revision.hasBaseFee && parent.baseFeePerGas === undefined;
  const parentLimit = isFirstLondon ? parent.gasLimit * GAS_LIMIT_ELASTICITY : parent.gasLimit;
  const difference =
    header.gasLimit > parentLimit ? header.gasLimit - parentLimit : parentLimit - header.gasLimit;
  const bound = parentLimit / GAS_LIMIT_BOUND_DIVISOR;
  expect(
    difference < bound && header.gasLimit >= MIN_GAS_LIMIT && header.gasLimit <= MAX_GAS_LIMIT,
    `gas limit ${header.gasLimit} after ${parentLimit}`,
  );
}

function validateDaoExtraData(header: Header, daoForkBlock: bigint | undefined): void {
  if (daoForkBlock === undefined) return;
  const isMarked = header.number >= daoForkBlock && header.number < daoForkBlock + DAO_EXTRA_DATA_BLOCKS;
  expect(!isMarked || bytesEqual(header.extraData, DAO_EXTRA_DATA), 'extra data is not "dao-hard-fork"');
}

/** Checks the fields that EIP-3675 makes constant under proof of stake. */
function validateProofOfStake(header: Header): void {
  expect(header.difficulty === 0n, `difficulty ${header.difficulty} after the merge`);
  expect(
    header.nonce.every((byte) => byte === 0),
    'nonce is not zero after the merge',
  );
  expect(bytesEqual(header.ommersHash, EMPTY_LIST_HASH), 'uncles after the merge');
}

function validateProofOfWork(header: Header, parent: Header, { rules, seal }: HeaderContext): void {
  if (seal === 'none') return;
  const difficulty = computeDifficulty({
    number: header.number,
    timestamp: header.timestamp,
    parent: {
      difficulty: parent.difficulty,
      timestamp: parent.timestamp,
      hasUncles: !bytesEqual(parent.ommersHash, EMPTY_LIST_HASH),
    },
    bombDelay: rules.bombDelay,
    factor: rules.revision.difficultyFactor,
  });
  expect(header.difficulty === difficulty, `difficulty ${header.difficulty}, want ${difficulty}`);
}

/** Returns the base fee required after `parent`, wei; undefined before London. */
export function nextBaseFee(parent: Header, rules: BlockRules): bigint | undefined {
  if (!rules.revision.hasBaseFee) return undefined;
  const { gasLimit, gasUsed, baseFeePerGas } = parent;
  return baseFeePerGas === undefined
    ? INITIAL_BASE_FEE
    : computeNextBaseFee({ gasLimit, gasUsed, baseFeePerGas });
}

function validateBaseFee(header: Header, parent: Header, { rules }: HeaderContext): void {
  const want = nextBaseFee(parent, rules);
  validatePresence(header.baseFeePerGas, want !== undefined, 'baseFeePerGas');
  expect(header.baseFeePerGas === want, `base fee ${header.baseFeePerGas}, want ${want}`);
}

/** Returns the excess blob gas required after `parent`; undefined before Cancun. */
export function nextExcessBlobGas(parent: Header, rules: BlockRules): bigint | undefined {
  if (rules.blobs === undefined) return undefined;
  const { excessBlobGas = 0n, blobGasUsed = 0n, baseFeePerGas = 0n } = parent;
  return computeExcessBlobGas(
    { excessBlobGas, blobGasUsed, baseFeePerGas },
    rules.blobs,
    rules.revision.hasBlobReserve,
  );
}

function validateBlobFields(header: Header, parent: Header, rules: BlockRules): void {
  const want = nextExcessBlobGas(parent, rules);
  validatePresence(header.excessBlobGas, want !== undefined, 'excessBlobGas');
  validatePresence(header.blobGasUsed, want !== undefined, 'blobGasUsed');
  validatePresence(header.parentBeaconBlockRoot, want !== undefined, 'parentBeaconBlockRoot');
  if (rules.blobs === undefined) return;
  expect(header.excessBlobGas === want, `excess blob gas ${header.excessBlobGas}, want ${want}`);
  const max = rules.blobs.max * GAS_PER_BLOB;
  const used = header.blobGasUsed ?? 0n;
  expect(used <= max && used % GAS_PER_BLOB === 0n, `blob gas used ${used}, max ${max}`);
}
