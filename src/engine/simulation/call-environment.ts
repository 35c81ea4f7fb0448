import type { BlockOverrides } from '../../chain/chain.ts';
import type { Header } from '../../chain/header.ts';
import type { BlockEnvironment } from '../../evm/message.ts';
import { isAtLeast } from '../../evm/revision.ts';
import { padLeft } from '../../primitives/bytes.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import { environmentOf } from '../transition/block-environment.ts';
import { type BlockRules, isMergedAfter, rulesAt } from '../transition/rules.ts';
import { buildPendingHeader } from './pending-header.ts';

/** Rules and block that a call sees. */
export type CallEnvironment = {
  readonly rules: BlockRules;
  readonly block: BlockEnvironment;
  /** The same block for who offers no price: geth does not ask such a call for the base fee, and shows it none. */
  readonly freeBlock: BlockEnvironment;
};

const NO_HASH = new Uint8Array(32);

/** The environment of a stored block, or of the one that would follow it, with overrides. */
export function createCallEnvironment(
  reader: ChainReader,
  stored: StoredHeader,
  isPending: boolean,
  overrides: BlockOverrides,
): CallEnvironment {
  const { config } = reader;
  const header: Header = isPending ? buildPendingHeader(stored, config) : stored.header;
  const { number, timestamp } = header;
  const parentDifficulty = isPending
    ? stored.totalDifficulty
    : stored.totalDifficulty - stored.header.difficulty;
  const isMerged = number === 0n ? isMergedAfter(config, 0n) : isMergedAfter(config, parentDifficulty);
  const natural = environmentOf(
    header,
    rulesAt(config, { number, timestamp, isMerged }),
    // With the block number overridden, code may ask for blocks that come after this one.
    (ancestor) => (ancestor < number && reader.getHeader(ancestor)?.hash) || NO_HASH,
  );
  const overridden = overrideEnvironment(natural, overrides);
  const rules = rulesAt(config, { number: overridden.number, timestamp: overridden.timestamp, isMerged });
  const block = withBaseFee(overridden, rules);
  const { baseFeePerGas } = block;
  return { rules, block, freeBlock: baseFeePerGas === undefined ? block : { ...block, baseFeePerGas: 0n } };
}

function overrideEnvironment(block: BlockEnvironment, overrides: BlockOverrides): BlockEnvironment {
  const integer = (text: string | undefined, otherwise: bigint): bigint =>
    text === undefined ? otherwise : BigInt(text);
  return {
    ...block,
    number: integer(overrides.number, block.number),
    difficulty: integer(overrides.difficulty, block.difficulty),
    timestamp: integer(overrides.time, block.timestamp),
    gasLimit: integer(overrides.gasLimit, block.gasLimit),
    beneficiary:
      overrides.feeRecipient === undefined ? block.beneficiary : hexToBytes(overrides.feeRecipient),
    prevRandao:
      overrides.prevRandao === undefined ? block.prevRandao : padLeft(hexToBytes(overrides.prevRandao), 32),
    baseFeePerGas:
      overrides.baseFeePerGas === undefined ? block.baseFeePerGas : BigInt(overrides.baseFeePerGas),
    blobBaseFee: integer(overrides.blobBaseFee, block.blobBaseFee),
  };
}

/** A block from before London that is moved past it by overrides has a base fee too: none to pay. */
function withBaseFee(block: BlockEnvironment, { revision }: BlockRules): BlockEnvironment {
  if (block.baseFeePerGas !== undefined || !isAtLeast(revision, 'london')) return block;
  return { ...block, baseFeePerGas: 0n };
}
