/** The OP Stack family over the embedded chain: the oracle that it calls is a contract executed by the engine. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Transaction } from 'ethers';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import {
  GAS_PRICE_ORACLE,
  GAS_PRICE_ORACLE_RUNTIME,
} from '../../scripts/contracts/op-stack/gas-price-oracle.ts';
import { encodeL1Block, L1_BLOCK, L1_BLOCK_RUNTIME } from '../../scripts/contracts/op-stack/l1-block.ts';
import type { BlockReference } from '../../src/chain/requests.ts';
import { loadFamily } from '../../src/rollup/family-table.ts';
import { measureFastLz } from '../../src/rollup/fees/fast-lz.ts';
import { computeFjordFee, computeIsthmusOperatorFee } from '../../src/rollup/fees/op-stack-fee.ts';
import { recogniseFamily } from '../../src/rollup/recognise-family.ts';
import type { RollupFamily } from '../../src/rollup/rollup-family.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { ALICE, createGenesis, limitTo, type OpenedChain, openBuiltChain } from '../support/test-chain.ts';
import { makeSources } from './scripted-chain.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const BOB = `0x${'b0'.repeat(20)}`;
const SIGNATURE = 68;
const LEAST_TIP = 1_000_000n;
const PRICES = {
  l1BaseFee: 9_000_000_000n,
  blobBaseFee: 3_000_000_000n,
  baseFeeScalar: 2_269n,
  blobBaseFeeScalar: 1_055_762n,
};
const OPERATOR = { scalar: 10_000n, constant: 77n };

let opened: OpenedChain;
let family: RollupFamily;
before(async () => {
  const slots = encodeL1Block({
    number: 23_800_000n,
    timestamp: 1_764_000_000n,
    basefee: PRICES.l1BaseFee,
    sequenceNumber: 3n,
    baseFeeScalar: PRICES.baseFeeScalar,
    blobBaseFeeScalar: PRICES.blobBaseFeeScalar,
    blobBaseFee: PRICES.blobBaseFee,
    operatorFeeScalar: OPERATOR.scalar,
    operatorFeeConstant: OPERATOR.constant,
    hash: 1n,
    batcherHash: 2n,
  });
  const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
  const storage = Object.fromEntries([...slots].map(([slot, value]) => [word(BigInt(slot)), word(value)]));
  const genesis = createGenesis({
    revision: 'prague',
    alloc: {
      [GAS_PRICE_ORACLE]: { balance: '0', code: bytesToHex(GAS_PRICE_ORACLE_RUNTIME) },
      [L1_BLOCK]: { balance: '0', code: bytesToHex(L1_BLOCK_RUNTIME), storage },
    },
  });
  opened = await openBuiltChain(genesis, new ChainBuilder(genesis));
  family = (await loadFamily('op-stack')).create(makeSources(opened.chain));
});
after(async () => {
  await opened.close();
  assert.deepEqual(opened.faults, []);
});

test('the chain is recognised as op-stack', async () => {
  assert.equal((await recogniseFamily(opened.chain, limitTo(5_000))).row?.name, 'op-stack');
});

test('an estimate covers the fees of the specification for the same transaction', async () => {
  const header = await opened.chain.blocks.getHeader(LATEST);
  const baseFee = header?.baseFeePerGas as bigint;
  for (const length of [0, 1, 68, 400, 3_000]) {
    const data = bytesToHex(Uint8Array.from({ length }, (_, i) => (i * i * 31) & 0xff));
    const call = { from: bytesToHex(ALICE), to: BOB, value: '0x1', data };
    const estimate = await family.estimateGas({ call, block: LATEST }, limitTo(5_000));
    const unsigned = Transaction.from({
      type: 2,
      chainId: 1_337n,
      nonce: 0,
      maxPriorityFeePerGas: LEAST_TIP,
      maxFeePerGas: 2n * baseFee + LEAST_TIP,
      gasLimit: estimate.gasLimit,
      to: BOB,
      value: 1n,
      data,
    }).unsignedSerialized;
    const size = measureFastLz(hexToBytes(unsigned)) + SIGNATURE;
    const owed = computeFjordFee(size, PRICES) + computeIsthmusOperatorFee(estimate.gasLimit, OPERATOR);
    assert.deepEqual(estimate, {
      gasLimit: BigInt(
        JSON.parse(await opened.chain.execution.estimateGas({ call, block: LATEST }, limitTo(5_000))),
      ),
      baseFeePerGas: baseFee,
      // This chain has no tips, so the suggestion is the minimum tip.
      priorityFeePerGas: LEAST_TIP + (owed + estimate.gasLimit - 1n) / estimate.gasLimit,
    });
    assert.ok(estimate.priorityFeePerGas > 0n);
  }
});

test('info has the layer 1 origin of the head', async () => {
  const { ethContext } = await family.info(limitTo(5_000));
  assert.deepEqual(ethContext, { blockNumber: 23_800_000n, timestamp: 1_764_000_000n });
});
