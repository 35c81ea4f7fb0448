/** Prices that a Linea sequencer writes into a header, in kWei: 32-bit numbers. */
export type Pricing = {
  readonly fixedCost: number;
  readonly variableCost: number;
  readonly ethGasPrice: number;
};

const VERSION = 1;
const LENGTH = 32;

/** Encodes `extraData`, version 1: the version, three big-endian 32-bit numbers, zeros. */
export function encodeLineaExtraData({ fixedCost, variableCost, ethGasPrice }: Pricing): Uint8Array {
  const bytes = new Uint8Array(LENGTH);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  [fixedCost, variableCost, ethGasPrice].forEach((kWei, i) => {
    view.setUint32(1 + 4 * i, kWei);
  });
  return bytes;
}
