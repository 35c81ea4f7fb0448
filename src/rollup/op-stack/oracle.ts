/**
 * Predeploy with the prices of an OP Stack chain (specs, predeploys). The contract is authoritative, because each fork replaces it when the rules
 * change.
 */
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { encodeBytesCall, encodeWordCall, readWord } from '../contract.ts';
import { measureFastLz } from '../fees/fast-lz.ts';
import { computeEcotoneFee } from '../fees/op-stack-fee.ts';

export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';
/** `getL1Fee(bytes)` for an unsigned transaction; the contract adds the size of a signature. */
const GET_L1_FEE = '0x49948e0e';
/** Selector of `getL1FeeUpperBound(uint256)`, since Fjord. */
const GET_L1_FEE_UPPER_BOUND = '0xf1c7a58b';
/** Selectors of `l1BaseFee()`, `blobBaseFee()`, `baseFeeScalar()` and `blobBaseFeeScalar()`. */
const PRICES: readonly string[] = ['0x519b4bd3', '0xf8206140', '0xc5985918', '0x68d5dca6'];
/** Bytes that the contract adds to an unsigned transaction. */
const SIGNATURE_BYTES = 68;
/** Selector of `getOperatorFee(uint256)`, since Isthmus. */
const GET_OPERATOR_FEE = '0x275aedd2';

/** Reads the data fee of a transaction in wei. @throws ChainError `misconfigured` if the chain has no gas price oracle */
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
    // The contract spends about 350 gas per byte on compressing the transaction, which may exceed the node's gas limit for a call.
    if (!(error instanceof ChainError) || error.kind !== 'failed') throw error;
    fee =
      (await readFeeBySize(chain, transaction, block, scope)) ??
      (await computeFeeHere(chain, transaction, block, scope));
    if (fee === undefined) throw error;
  }
  if (fee !== undefined) return fee;
  throw new ChainError(
    'misconfigured',
    `the contract ${GAS_PRICE_ORACLE} has no getL1Fee(bytes): the chain is not of the configured family`,
  );
}

/**
 * Reads the data fee (since Fjord) for the size of the locally compressed transaction. `getL1FeeUpperBound` takes an uncompressed size, and returns
 * the fee for the worst case of compression. The call therefore contains the size whose worst-case compressed length equals the actual compressed
 * length.
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

/**
 * Computes the fee from the oracle's prices at Ecotone, where the oracle does not have `getL1FeeUpperBound`. Returns undefined if the oracle lacks a
 * price.
 */
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

/** Returns the smallest size whose worst-case compressed length, `size + size / 255 + 16` (GasPriceOracle, as in LZ4), is at least `compressed`. */
function findSizeOf(compressed: number): number {
  let size = Math.max(0, Math.floor(((compressed - 16) * 255) / 256) - 1);
  while (size + Math.floor(size / 255) + 16 < compressed) size++;
  return size;
}

/** Reads the operator fee for an amount of gas, in wei; 0 before Isthmus. */
export async function readOperatorFee(
  chain: Chain,
  gas: bigint,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const call = { to: GAS_PRICE_ORACLE, data: encodeWordCall(GET_OPERATOR_FEE, gas) };
  return (await readWord(chain, call, block, scope)) ?? 0n;
}
