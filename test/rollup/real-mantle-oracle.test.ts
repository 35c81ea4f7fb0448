/**
 * Estimates compared with Mantle's own contracts before Arsia, which run on anvil: gas there includes the cost of data, so nothing is added for the oracle's
 * result. Arsia's contracts are in no registry; receipts of its transactions are in real-receipts.test.ts.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { L1_BLOCK } from '../../scripts/contracts/op-stack/l1-block.ts';
import { computeRegolithFee } from '../../src/rollup/fees/op-stack-fee.ts';
import { GAS_PRICE_ORACLE } from '../../src/rollup/op-stack/oracle.ts';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { readMantleContracts } from './mantle-contracts.ts';
import { encodeBytes, OracleStage } from './oracle-stage.ts';
import { draft, listCalls, makeBlobCall, TIP, TRANSACTION_KINDS } from './oracle-transactions.ts';

const CHAIN_ID = 5_000;
/** The oracle takes some 300 gas per byte. */
const GAS_LIMIT = 200_000_000;
const SIGNATURE_BYTES = 68;
/** Prices of Mantle's block 70,683,492 (receipts/receipts.json). */
const PRICES = { l1BaseFee: 7_789_722_029n, overhead: 188n, scalar: 10_000n };
const TOKEN_RATIO = 4_368n;

describe('Mantle before Arsia', { skip: ANVIL_SKIP }, () => {
  let stage: OracleStage;
  before(async () => {
    const { oracle, l1Block } = readMantleContracts();
    stage = await OracleStage.open({
      chainId: CHAIN_ID,
      oracle: GAS_PRICE_ORACLE,
      creations: { [GAS_PRICE_ORACLE]: oracle, [L1_BLOCK]: l1Block },
      storage: {
        [GAS_PRICE_ORACLE]: new Map([[0, TOKEN_RATIO]]),
        [L1_BLOCK]: new Map([
          [1, PRICES.l1BaseFee],
          [5, PRICES.overhead],
          [6, PRICES.scalar],
        ]),
      },
      args: ['--gas-limit', `${GAS_LIMIT}`],
    });
  });
  after(() => stage.close());

  test('the oracle has the token ratio, and no flag of Arsia', async () => {
    assert.equal(await stage.ask('0x06f837d3'), TOKEN_RATIO);
    assert.equal(await stage.ask('0x1e2b6e7b'), undefined);
  });

  for (const kind of TRANSACTION_KINDS) {
    test(`estimates of ${kind} transactions have only the tip, and the oracle charges the Regolith fee`, async () => {
      for (const { length, call } of listCalls(kind, CHAIN_ID)) {
        const estimate = await stage.estimate('mantle_estimateGas', call);
        assert.equal(BigInt(estimate.priorityFeePerGas), TIP, `${length} bytes`);
        const unsigned = draft(kind, call, estimate, CHAIN_ID).unsignedSerialized;
        const bytes = hexToBytes(unsigned);
        const zeros = bytes.filter((byte) => byte === 0).length;
        const data = { zero: BigInt(zeros), nonZero: BigInt(bytes.length - zeros + SIGNATURE_BYTES) };
        const fee = await stage.ask(encodeBytes('0x49948e0e', unsigned));
        assert.equal(fee, computeRegolithFee(data, PRICES), `${length} bytes`);
      }
    });
  }

  test('blob transactions are refused: rollups have none', async () => {
    const estimating = stage.estimate('mantle_estimateGas', makeBlobCall(CHAIN_ID));
    await assert.rejects(estimating, /[Uu]nsupported transaction type|blob/);
  });
});
