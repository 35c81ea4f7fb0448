/** The predeploy that returns an OP Stack chain's prices (specs, predeploys). It is the authority: forks change it with the chain. */
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { encodeBytesCall, encodeWordCall, readWord } from '../contract.ts';
import { measureFastLz } from '../fees/fast-lz.ts';
import { computeEcotoneFee } from '../fees/op-stack-fee.ts';

export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';
/** `getL1Fee(bytes)`, of an unsigned transaction: the contract adds what a signature takes. */
const GET_L1_FEE = '0x49948e0e';
/** `getL1FeeUpperBound(uint256)`, since Fjord. */
const GET_L1_FEE_UPPER_BOUND = '0xf1c7a58b';
/** `l1BaseFee()`, `blobBaseFee()`, `baseFeeScalar()`, `blobBaseFeeScalar()` */
const PRICES: readonly string[] = ['0x519b4bd3', '0xf8206140', '0xc5985918', '0x68d5dca6'];
/** Bytes that the contract adds to an unsigned transaction. */
const SIGNATURE_BYTES = 68;
/** `getOperatorFee(uint256)`, since Isthmus. */
const GET_OPERATOR_FEE = '0x275aedd2';

/** What a transaction pays for its data, wei. @throws ChainError when the chain has no such contract */
export async function readL1Fee(
  chain: Chain,
  transaction: Uint8Array,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const call = { to: GAS_PRICE_ORACLE, data: encodeBytesCall(GET_L1_FEE, transaction) };
  let fee: bigint | undefined;
  try {
    fee = await readWord(chain, call, block, scope);
  } catch (error) {
    // The contract compresses the transaction: some 350 gas a byte, which may be more than a node allows a call.
    if (!(error instanceof ChainError) || error.kind !== 'failed') throw error;
    fee =
      (await readFeeBySize(chain, transaction, block, scope)) ??
      (await computeFeeHere(chain, transaction, block, scope));
    if (fee === undefined) throw error;
  }
  if (fee !== undefined) return fee;
  throw new ChainError(
    'misconfigured',
    `no getL1Fee(bytes) at ${GAS_PRICE_ORACLE}: the chain is not of the family that is configured`,
  );
}

/**
 * The same since Fjord, compressed here: for a size the contract says what the worst compression of it costs, and there is a size for each
 * compressed length.
 */
function readFeeBySize(
  chain: Chain,
  transaction: Uint8Array,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint | undefined> {
  const size = findSizeOf(measureFastLz(transaction) + SIGNATURE_BYTES) - SIGNATURE_BYTES;
  const data = encodeWordCall(GET_L1_FEE_UPPER_BOUND, BigInt(Math.max(0, size)));
  return readWord(chain, { to: GAS_PRICE_ORACLE, data }, block, scope);
}

/** Computes the fee from the prices of the oracle at Ecotone, which has no such function. Undefined where it lacks a price. */
async function computeFeeHere(
  chain: Chain,
  transaction: Uint8Array,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint | undefined> {
  const [l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar] = await Promise.all(
    PRICES.map((data) => readWord(chain, { to: GAS_PRICE_ORACLE, data }, block, scope)),
  );
  if (l1BaseFee === undefined || blobBaseFee === undefined) return undefined;
  if (baseFeeScalar === undefined || blobBaseFeeScalar === undefined) return undefined;
  const zeros = transaction.filter((byte) => byte === 0).length;
  const data = { zero: BigInt(zeros), nonZero: BigInt(transaction.length - zeros + SIGNATURE_BYTES) };
  return computeEcotoneFee(data, { l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar });
}

/** The least size that compresses to so many bytes at worst: `size + size / 255 + 16` (GasPriceOracle, as LZ4). */
function findSizeOf(compressed: number): number {
  let size = Math.max(0, Math.floor(((compressed - 16) * 255) / 256) - 1);
  while (size + Math.floor(size / 255) + 16 < compressed) size++;
  return size;
}

/** Reads the operator's fee for so much gas, wei; 0 before Isthmus. */
export async function readOperatorFee(
  chain: Chain,
  gas: bigint,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const call = { to: GAS_PRICE_ORACLE, data: encodeWordCall(GET_OPERATOR_FEE, gas) };
  return (await readWord(chain, call, block, scope)) ?? 0n;
}
