/**
 * Estimates compared with the OP Stack's own contracts, fork by fork: the code that op-node deploys runs on anvil, ethers encodes the transactions, and the
 * expected fees are computed from both. Prices are those of public blocks.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { id } from 'ethers';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { GAS_PRICE_ORACLE_RUNTIME } from '../../scripts/contracts/op-stack/gas-price-oracle.ts';
import { encodeL1Block, L1_BLOCK } from '../../scripts/contracts/op-stack/l1-block.ts';
import { measureFastLz } from '../../src/rollup/fees/fast-lz.ts';
import { computeEcotoneFee, computeFjordFee } from '../../src/rollup/fees/op-stack-fee.ts';
import { OP_STACK_ORACLE } from '../../src/rollup/op-stack/marks.ts';
import { listSelectors } from '../../src/rollup/unknown-functions.ts';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { GO_MODULE_SKIP } from './downloads.ts';
import { type ForkContracts, type OpStackFork, readOpNodeContracts } from './op-node-contracts.ts';
import { encodeBytes, OracleStage } from './oracle-stage.ts';
import { draft, listCalls, makeBlobCall, padWord, TIP, TRANSACTION_KINDS } from './oracle-transactions.ts';

const FORKS: readonly OpStackFork[] = ['ecotone', 'fjord', 'isthmus', 'jovian'];
const CHAIN_ID = 10;
const SIGNATURE_BYTES = 68;
/** OP Mainnet's scalars at and after Ecotone, and the layer-1 prices in one of its blocks. */
const PRICES = {
  l1BaseFee: 9_041_237_113n,
  blobBaseFee: 3_402_823n,
  baseFeeScalar: 5_227n,
  blobBaseFeeScalar: 1_014_213n,
};
const OPERATOR = { operatorFeeScalar: 1_500n, operatorFeeConstant: 77n };

/** Oracle of the built-in rollup, deployed next to the real one. */
const BUILTIN_ORACLE = `0x${'c0'.repeat(20)}`;
const PLAIN_FUNCTIONS = [
  ...['l1BaseFee', 'blobBaseFee', 'baseFeeScalar', 'blobBaseFeeScalar', 'gasPrice', 'baseFee', 'decimals'],
  ...['isEcotone', 'isFjord', 'isIsthmus'],
];

function openStage(fork: OpStackFork, { oracle, l1Block }: ForkContracts): Promise<OracleStage> {
  const { address } = OP_STACK_ORACLE;
  const facts = {
    number: 23_800_000n,
    timestamp: 1_764_000_000n,
    basefee: PRICES.l1BaseFee,
    sequenceNumber: 3n,
    baseFeeScalar: PRICES.baseFeeScalar,
    blobBaseFeeScalar: PRICES.blobBaseFeeScalar,
    blobBaseFee: PRICES.blobBaseFee,
    ...OPERATOR,
    hash: 1n,
    batcherHash: 2n,
  };
  // The slot has one byte for each fork that the oracle knows.
  const flags = BigInt(`0x${'01'.repeat(FORKS.indexOf(fork) + 1)}`);
  return OracleStage.open({
    chainId: CHAIN_ID,
    oracle: address,
    creations: { [address]: oracle, [L1_BLOCK]: l1Block },
    codes: { [BUILTIN_ORACLE]: bytesToHex(GAS_PRICE_ORACLE_RUNTIME) },
    storage: { [L1_BLOCK]: encodeL1Block(facts), [address]: new Map([[0, flags]]) },
  });
}

/** Calls of every Isthmus function that the built-in rollup has, with sizes on both sides of the minimum charged size. */
function listOracleCalls(): string[] {
  const selector = (signature: string): string => id(signature).slice(0, 10);
  const sizes = [0, 33, 100, 254, 255, 4_000, 128_000];
  const texts = listCalls('dynamicFee', CHAIN_ID, 20_000).map(({ call }) => String(call['data']));
  return [
    ...PLAIN_FUNCTIONS.map((name) => selector(`${name}()`)),
    ...['getL1FeeUpperBound(uint256)', 'getOperatorFee(uint256)'].flatMap((signature) =>
      sizes.map((size) => `${selector(signature)}${padWord(BigInt(size)).slice(2)}`),
    ),
    ...['getL1Fee(bytes)', 'getL1GasUsed(bytes)'].flatMap((signature) =>
      texts.map((text) => encodeBytes(selector(signature), text)),
    ),
  ];
}

/** Ecotone's fee, with 68 non-zero bytes for the signature. */
function computeEcotone(unsigned: string): bigint {
  const bytes = hexToBytes(unsigned);
  const zero = bytes.filter((byte) => byte === 0).length;
  return computeEcotoneFee({ zero: BigInt(zero), nonZero: BigInt(bytes.length - zero + 68) }, PRICES);
}

describe('the OP Stack', { skip: GO_MODULE_SKIP || ANVIL_SKIP }, () => {
  let contracts: Readonly<Record<OpStackFork, ForkContracts>>;
  before(() => {
    contracts = readOpNodeContracts();
  });

  for (const fork of FORKS) {
    describe(fork, () => {
      let stage: OracleStage;
      before(async () => {
        stage = await openStage(fork, contracts[fork]);
      });
      after(() => stage.close());

      test('every function of the oracle is known', () => {
        const found = listSelectors(hexToBytes(contracts[fork].oracle));
        assert.ok(found.length >= 15);
        assert.deepEqual(
          found.filter((selector) => !OP_STACK_ORACLE.selectors.has(selector)),
          [],
        );
      });

      for (const kind of TRANSACTION_KINDS) {
        test(`estimates of ${kind} transactions equal the charges of the contracts, to the wei below 60,000 bytes`, async () => {
          for (const { length, call } of listCalls(kind, CHAIN_ID)) {
            const estimate = await stage.estimate('op_estimateGas', call);
            const gas = BigInt(estimate.gasLimit);
            const unsigned = draft(kind, call, estimate, CHAIN_ID).unsignedSerialized;
            const fee = await stage.ask(encodeBytes('0x49948e0e', unsigned));
            const operator = (await stage.ask(`0x275aedd2${padWord(gas).slice(2)}`)) ?? 0n;
            const share = (cost: bigint): bigint => TIP + (cost + gas - 1n) / gas;
            const got = BigInt(estimate.priorityFeePerGas);
            const size = measureFastLz(hexToBytes(unsigned)) + SIGNATURE_BYTES;
            if (fee !== undefined && fork !== 'ecotone') assert.equal(fee, computeFjordFee(size, PRICES));
            const exact =
              fee ?? (fork === 'ecotone' ? computeEcotone(unsigned) : computeFjordFee(size, PRICES));
            // The node's gas cap may be below what the oracle takes; the estimate may then count one byte more.
            const most =
              length < 60_000
                ? exact
                : exact + computeFjordFee(100_001, PRICES) - computeFjordFee(100_000, PRICES);
            assert.ok(
              got >= share(exact + operator) && got <= share(most + operator),
              `${kind}, ${length} bytes: ${got}, expected ${share(exact + operator)}`,
            );
          }
        });
      }

      if (fork === 'isthmus') {
        test('the oracle of the built-in rollup returns the same results', async () => {
          for (const data of listOracleCalls()) {
            const expected = await stage.ask(data);
            assert.ok(expected !== undefined, data.slice(0, 10));
            assert.equal(await stage.ask(data, BUILTIN_ORACLE), expected, data.slice(0, 10));
          }
        });
      }

      test('blob transactions are refused: rollups have none', async () => {
        const estimating = stage.estimate('op_estimateGas', makeBlobCall(CHAIN_ID));
        await assert.rejects(estimating, /[Uu]nsupported transaction type|blob/);
      });
    });
  }
});
