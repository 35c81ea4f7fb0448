/**
 * Fees of transactions on public chains, computed from the transaction as it was sent and the prices in force, compared with its receipt.
 * `receipts/receipts.json` names the public repository and file of each, or the client whose tests contain it. Scroll's are in real-scroll-oracles.test.ts: a
 * contract prices them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { keccak256 } from 'ethers';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { ROOT } from '../../scripts/program-files.ts';
import { measureFastLz } from '../../src/rollup/fees/fast-lz.ts';
import {
  type BedrockPrices,
  type CalldataBytes,
  computeEcotoneFee,
  computeFjordFee,
  computeFjordGas,
  computeRegolithFee,
  type EcotonePrices,
} from '../../src/rollup/fees/op-stack-fee.ts';

type Receipt = {
  readonly chain: string;
  readonly block: number;
  readonly hash: string;
  readonly source: string;
  readonly l1Fee: string;
  readonly l1GasUsed?: string;
  /** Mantle: MNT per ETH. */
  readonly tokenRatio?: string;
  readonly raw: string;
  readonly fork: 'regolith' | 'ecotone' | 'fjord' | 'arsia';
  readonly prices: Readonly<Record<string, string>>;
};

const RECEIPTS = JSON.parse(
  readFileSync(join(ROOT, 'test/rollup/receipts/receipts.json'), 'utf8'),
) as readonly Receipt[];

function countBytes(transaction: Uint8Array): CalldataBytes {
  const zeros = transaction.filter((byte) => byte === 0).length;
  return { zero: BigInt(zeros), nonZero: BigInt(transaction.length - zeros) };
}

function readPrices<Prices>({ prices }: Receipt): Prices {
  return Object.fromEntries(Object.entries(prices).map(([name, value]) => [name, BigInt(value)])) as Prices;
}

function computeFee(receipt: Receipt, transaction: Uint8Array): bigint {
  const tokenRatio = BigInt(receipt.tokenRatio ?? 1);
  switch (receipt.fork) {
    case 'regolith': {
      // Mantle before Arsia converts the layer-1 price to MNT before any rounding.
      const prices = readPrices<BedrockPrices>(receipt);
      const l1BaseFee = prices.l1BaseFee * tokenRatio;
      return computeRegolithFee(countBytes(transaction), { ...prices, l1BaseFee });
    }
    case 'ecotone':
      return computeEcotoneFee(countBytes(transaction), readPrices<EcotonePrices>(receipt));
    default:
      // Arsia's fee is Fjord's in MNT: the ratio is applied last.
      return computeFjordFee(measureFastLz(transaction), readPrices<EcotonePrices>(receipt)) * tokenRatio;
  }
}

function computeGas(receipt: Receipt, transaction: Uint8Array): bigint {
  if (receipt.fork !== 'regolith') return computeFjordGas(measureFastLz(transaction));
  const { zero, nonZero } = countBytes(transaction);
  return 4n * zero + 16n * nonZero + readPrices<BedrockPrices>(receipt).overhead;
}

describe('receipts', () => {
  test('are ten, of three chains', () => {
    assert.equal(RECEIPTS.length, 10);
    assert.equal(new Set(RECEIPTS.map(({ chain }) => chain)).size, 3);
    assert.equal(new Set(RECEIPTS.map(({ hash }) => hash)).size, 10);
  });

  for (const receipt of RECEIPTS)
    test(`have the computed fee: ${receipt.chain}, block ${receipt.block} (${receipt.fork}; ${receipt.source})`, () => {
      const transaction = hexToBytes(receipt.raw);
      assert.equal(keccak256(transaction), receipt.hash);
      assert.equal(computeFee(receipt, transaction), BigInt(receipt.l1Fee));
      if (receipt.l1GasUsed !== undefined)
        assert.equal(computeGas(receipt, transaction), BigInt(receipt.l1GasUsed));
    });
});
