import type { TransactionBody } from '../../ethereum/codecs/transaction.ts';
import { ZERO_ADDRESS } from '../../ethereum/primitives/address.ts';
import { EMPTY_BYTES } from '../../ethereum/primitives/bytes.ts';
import type { AccessedAccount, BlockEnvironment } from '../interpreter/message.ts';
import type { BlockRules } from '../transition/rules.ts';

/** A call, or an unsigned transaction. Addresses are 20 bytes; amounts are in wei. */
export type CallInput = {
  /** Sender; the default is the zero address. */
  readonly from?: Uint8Array;
  /** Recipient; without one, the call creates a contract from `data`. */
  readonly to?: Uint8Array;
  readonly data?: Uint8Array;
  readonly value?: bigint;
  /** Gas limit. Default: the smaller of the block's gas limit and the protocol's cap for one transaction. */
  readonly gas?: bigint;
  /** Maximum fee per gas. If the fee is 0n, the default, the instruction BASEFEE also returns 0. */
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly accessList?: readonly AccessedAccount[];
};

/**
 * Block environment of a call. Default: block 0 with zero fields, a gas limit of 30,000,000, base fee 0 and, from Cancun, a blob base fee of 1 wei.
 */
export type BlockInput = Partial<Omit<BlockEnvironment, 'getBlockHash'>>;

const GAS_LIMIT = 30_000_000n;

/** Sets absent members to the defaults of the block's fork. */
export function completeBlock(
  input: BlockInput,
  { revision, blobs }: BlockRules,
  getBlockHash: BlockEnvironment['getBlockHash'],
): BlockEnvironment {
  return {
    number: 0n,
    timestamp: 0n,
    beneficiary: ZERO_ADDRESS,
    gasLimit: GAS_LIMIT,
    difficulty: 0n,
    prevRandao: new Uint8Array(32),
    baseFeePerGas: revision.hasBaseFee ? 0n : undefined,
    blobBaseFee: blobs === undefined ? 0n : 1n,
    ...(revision.hasBlockAccessList && { slotNumber: 0n }),
    ...input,
    getBlockHash,
  };
}

/** Builds the transaction of a call. @param nonce current nonce of the sender */
export function buildTransaction(
  input: CallInput,
  block: BlockEnvironment,
  { revision }: BlockRules,
  nonce: bigint,
): TransactionBody {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, accessList } = input;
  const isFeeMarket = revision.hasBaseFee;
  const { transactionGasCap } = revision;
  const limit =
    transactionGasCap === undefined || block.gasLimit < transactionGasCap
      ? block.gasLimit
      : transactionGasCap;
  return {
    type: isFeeMarket ? 2 : accessList === undefined ? 0 : 1,
    chainId: undefined,
    nonce,
    gasLimit: input.gas ?? limit,
    maxFeePerGas,
    maxPriorityFeePerGas: isFeeMarket ? maxPriorityFeePerGas : maxFeePerGas,
    to: input.to,
    value: input.value ?? 0n,
    data: input.data ?? EMPTY_BYTES,
    accessList: accessList ?? [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
  };
}
