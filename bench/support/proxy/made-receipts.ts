import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { ReceiptSize } from './chain-plan.ts';

type Place = { readonly number: number; readonly hash: string; readonly transactions: readonly string[] };

const TOKEN = `0x${'5f'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const OWNER = `0x${'00'.repeat(12)}${'a7'.repeat(20)}`;
const SENDER = `0x${'a7'.repeat(20)}`;
const BLOOM = `0x${'00'.repeat(256)}`;
const GAS = 52_000;

const SAMPLE: Place = {
  number: 10,
  hash: `0x${'11'.repeat(32)}`,
  transactions: [`0x${'22'.repeat(32)}`],
};

/** Returns the number of receipts that comes closest to the size. */
export function countReceipts({ bytes, logs }: ReceiptSize): number {
  return Math.round(bytes / (encodeReceipt(SAMPLE, 0, logs).length + 1));
}

/** Encodes a block's receipts as JSON: token transfers. */
export function encodeReceipts(place: Place, logs: number): Buffer {
  return Buffer.from(`[${place.transactions.map((_, index) => encodeReceipt(place, index, logs)).join()}]`);
}

function encodeReceipt({ number, hash, transactions }: Place, index: number, logs: number): string {
  const position = {
    blockHash: hash,
    blockNumber: quantity(number),
    transactionHash: transactions[index],
    transactionIndex: quantity(index),
  };
  return JSON.stringify({
    ...position,
    from: SENDER,
    to: TOKEN,
    cumulativeGasUsed: quantity(GAS * (index + 1)),
    gasUsed: quantity(GAS),
    contractAddress: null,
    logs: Array.from({ length: logs }, (_, log) => ({
      address: TOKEN,
      topics: [TRANSFER, OWNER, OWNER],
      data: `0x${(log + 1).toString(16).padStart(64, '0')}`,
      ...position,
      logIndex: quantity(index * logs + log),
      removed: false,
    })),
    logsBloom: BLOOM,
    status: '0x1',
    type: '0x2',
    effectiveGasPrice: '0x7',
  });
}

function quantity(value: number): string {
  return encodeQuantity(BigInt(value));
}
