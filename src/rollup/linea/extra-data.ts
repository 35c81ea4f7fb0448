import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';

/** Prices in the header of a Linea block, in wei. */
export type LineaPricing = {
  /** Price per gas, independent of the transaction. */
  readonly fixedCost: bigint;
  /** Price per byte of the compressed transaction. */
  readonly variableCost: bigint;
  /** Minimum of the node's `eth_gasPrice`. Wallets that call no other fee method need this minimum. */
  readonly ethGasPrice: bigint;
};

const VERSION = 1;
/** Length of the version byte and three 32-bit numbers; the rest is padding. */
const USED_LENGTH = 13;
const WEI_PER_KWEI = 1000n;

/**
 * Parses the prices in a header's `extraData`, version 1: `01`, then fixed cost, variable cost and gas price as big-endian 32-bit numbers of kWei.
 * @returns undefined if the field has no prices (empty, too short, another version)
 */
export function parseLineaExtraData(extraData: string): LineaPricing | undefined {
  const bytes = hexToBytes(extraData);
  if (bytes.length < USED_LENGTH || bytes[0] !== VERSION) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const readWei = (offset: number): bigint => BigInt(view.getUint32(offset)) * WEI_PER_KWEI;
  return { fixedCost: readWei(1), variableCost: readWei(5), ethGasPrice: readWei(9) };
}
