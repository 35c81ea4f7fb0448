import { activeForks, type ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import { padLeft } from '../../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { BlockEnvironment } from '../../../../packages/evm/interpreter/message.ts';
import type { RevisionRules } from '../../../../packages/evm/interpreter/revisions/revision-rules.ts';
import { latestRules } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { blobBaseFeeOf, environmentOf } from '../../../../packages/evm/transition/block-environment.ts';
import { type BlockRules, rulesAt } from '../../../../packages/evm/transition/rules.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { BlockOverrides } from '../../../chain/requests.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { buildPendingHeader } from './pending-header.ts';
import type { SimulatedChain } from './simulated-chain.ts';

/** Kind of simulation. As in geth, block overrides are applied to an estimate in another way than to a call. */
export type SimulationKind = 'call' | 'estimate' | 'accessList';

/** Rules and block environment of a call. */
export type CallEnvironment = {
  readonly rules: BlockRules;
  /** Fork rules that decide which precompiles state overrides may move. For an estimate, too, they are the rules of a call at the same block. */
  readonly overrideRules: BlockRules;
  readonly block: BlockEnvironment;
  /** Block environment for a call that offers no gas price. As in geth, the base fee is then zero, and the base fee check is skipped. */
  readonly freeBlock: BlockEnvironment;
  /** True if fee market fields apply: the block has a base fee, or an override sets one. */
  readonly hasBaseFee: boolean;
  /** Fork rules at the block's number and time, as if the block were after the merge; geth computes the bounds of an estimate with these rules. */
  readonly boundRules: RevisionRules;
};

const NO_HASH = new Uint8Array(32);

/** Rejects block overrides that only `eth_simulateV1` supports. @throws ChainError with geth's text */
export function refuseBlockOverrides({ beaconRoot, withdrawals }: BlockOverrides): void {
  const name =
    beaconRoot !== undefined ? 'beaconRoot' : withdrawals !== undefined ? 'withdrawals' : undefined;
  if (name === undefined) return;
  throw new ChainError('failed', `block override "${name}" is not supported for this RPC method`);
}

/** Returns the environment of `stored`, or of the block after it if `isPending`, with overrides applied. */
export function createCallEnvironment(
  chain: SimulatedChain,
  stored: StoredHeader,
  isPending: boolean,
  overrides: BlockOverrides,
  kind: SimulationKind,
): CallEnvironment {
  const { config } = chain;
  const header: Header = isPending ? buildPendingHeader(stored, config) : stored.header;
  const { number } = header;
  const natural = environmentOf(
    header,
    rulesOf(config, header, header.difficulty === 0n),
    // With an overridden block number, BLOCKHASH may name the block `number` or a later one; their hashes are zero.
    (ancestor) => (ancestor < number && chain.getBlockHash(ancestor)) || NO_HASH,
  );
  const overridden = overrideEnvironment(natural, overrides, kind);
  const isCallMerged = header.difficulty === 0n || overrides.prevRandao !== undefined;
  const isMerged = kind === 'estimate' ? overridden.difficulty === 0n : isCallMerged;
  const rules = rulesOf(config, overridden, isMerged);
  const priced =
    kind === 'estimate' && overrides.blobBaseFee === undefined
      ? { ...overridden, blobBaseFee: blobBaseFeeOf(header, rules) }
      : overridden;
  const block = withBaseFee(priced, rules);
  const { baseFeePerGas } = block;
  const { number: at, timestamp } = block;
  const forks = activeForks(config, { number: at, timestamp, isMerged: true });
  return {
    rules,
    overrideRules: isCallMerged === isMerged ? rules : rulesOf(config, overridden, isCallMerged),
    block,
    freeBlock: baseFeePerGas === undefined ? block : { ...block, baseFeePerGas: 0n },
    hasBaseFee: overridden.baseFeePerGas !== undefined,
    boundRules: latestRules(forks),
  };
}

function rulesOf(
  config: ChainConfig,
  { number, timestamp }: { readonly number: bigint; readonly timestamp: bigint },
  isMerged: boolean,
): BlockRules {
  return rulesAt(config, { number, timestamp, isMerged });
}

/** Applies block overrides. An estimate ignores the difficulty override after the merge, as in geth. */
function overrideEnvironment(
  block: BlockEnvironment,
  overrides: BlockOverrides,
  kind: SimulationKind,
): BlockEnvironment {
  const integer = (text: string | undefined, otherwise: bigint): bigint =>
    text === undefined ? otherwise : BigInt(text);
  const keepsDifficulty = kind === 'estimate' && block.difficulty === 0n;
  return {
    ...block,
    number: integer(overrides.number, block.number),
    difficulty: keepsDifficulty ? 0n : integer(overrides.difficulty, block.difficulty),
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

/** Adds a base fee of zero to a block before London whose overridden number or time is past London. */
function withBaseFee(block: BlockEnvironment, { revision }: BlockRules): BlockEnvironment {
  if (block.baseFeePerGas !== undefined || !revision.hasBaseFee) return block;
  return { ...block, baseFeePerGas: 0n };
}
