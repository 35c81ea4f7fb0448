/** The predeploys of an OP Stack chain, executed by our own engine and compared with the specification's formulas. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
} from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import type { Evm } from '../../packages/evm/interpreter/evm.ts';
import { rulesOf } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../../packages/evm/interpreter/slice.ts';
import { selectorOf } from '../../scripts/contracts/abi.ts';
import { encodeAttributes, type L1Facts } from '../../scripts/contracts/op-stack/attributes.ts';
import {
  GAS_PRICE_ORACLE,
  GAS_PRICE_ORACLE_RUNTIME,
} from '../../scripts/contracts/op-stack/gas-price-oracle.ts';
import {
  DEPOSITOR,
  encodeL1Block,
  L1_BLOCK,
  L1_BLOCK_RUNTIME,
} from '../../scripts/contracts/op-stack/l1-block.ts';
import { createEvm } from '../../src/engine/create-evm.ts';
import { encodeBytesCall, encodeWordCall } from '../../src/rollup/contract.ts';
import { measureFastLz } from '../../src/rollup/fees/fast-lz.ts';
import { computeFjordFee, computeIsthmusOperatorFee } from '../../src/rollup/fees/op-stack-fee.ts';
import { countRuns } from '../support/count-runs.ts';

const MEMORY_LIMIT: number = 64 << 20;
const GAS = 30_000_000n;

const FACTS: L1Facts = {
  number: 23_800_000n,
  timestamp: 1_764_000_000n,
  basefee: 2_000_000n,
  sequenceNumber: 3n,
  baseFeeScalar: 20n,
  blobBaseFeeScalar: 15n,
  blobBaseFee: 3_000_000n,
  operatorFeeScalar: 1_000n,
  operatorFeeConstant: 5n,
  hash: (1n << 255n) + 3n,
  batcherHash: (1n << 159n) + 4n,
};

/** An EVM with both contracts. */
function createChain(facts: L1Facts): Evm {
  const evm = createEvm(
    { getAccount: () => undefined, getStorage: () => EMPTY_BYTES, getCode: () => EMPTY_BYTES },
    MEMORY_LIMIT,
  );
  evm.enter(
    {
      number: 1n,
      timestamp: 1n,
      beneficiary: new Uint8Array(20),
      gasLimit: GAS,
      difficulty: 0n,
      prevRandao: new Uint8Array(32),
      baseFeePerGas: 0n,
      blobBaseFee: 0n,
      getBlockHash: () => new Uint8Array(32),
    },
    10n,
    rulesOf('prague'),
  );
  evm.open();
  for (const [address, code] of [
    [GAS_PRICE_ORACLE, GAS_PRICE_ORACLE_RUNTIME],
    [L1_BLOCK, L1_BLOCK_RUNTIME],
  ] as const) {
    evm.state.setCode(hexToBytes(address), keccak256(code), code);
  }
  for (const [slot, value] of encodeL1Block(facts)) {
    const word = bigIntToFixedBytes(value, 32);
    evm.state.setStorage(hexToBytes(L1_BLOCK), bigIntToFixedBytes(BigInt(slot), 32), word);
  }
  return evm;
}

/** Executes a call and keeps its state changes. */
function run(evm: Evm, caller: string, to: string, data: Uint8Array): Evm['outcome'] {
  evm.begin();
  evm.start({
    caller: hexToBytes(caller),
    to: hexToBytes(to),
    value: 0n,
    data,
    gasLimit: GAS,
    gasPrice: 0n,
    stateGas: 0n,
    blobVersionedHashes: [],
    accessList: [],
  });
  while (!evm.advance(WHOLE_SLICE));
  return evm.outcome;
}

/** Calls a function and returns its word; state changes are discarded. */
function ask(evm: Evm, to: string, data: string): bigint {
  const mark = evm.mark();
  const { status, reason, output } = run(evm, `0x${'00'.repeat(20)}`, to, hexToBytes(data));
  assert.equal(status, 'success', reason);
  evm.rollbackTo(mark);
  return bytesToBigInt(output);
}

const askFee = (evm: Evm, transaction: Uint8Array): bigint =>
  ask(evm, GAS_PRICE_ORACLE, encodeBytesCall('0x49948e0e', transaction));

describe('L1Block', () => {
  test('returns the value of each slot', () => {
    const evm = createChain(FACTS);
    for (const [name, value] of Object.entries(FACTS)) {
      assert.equal(ask(evm, L1_BLOCK, selectorOf(`${name}()`)), value, name);
    }
    assert.throws(() => encodeL1Block({ ...FACTS, baseFeeScalar: 1n << 32n }), RangeError);
  });

  test('has Isthmus attributes of 176 bytes, in order', () => {
    const facts = { ...FACTS, baseFeeScalar: 2_269n, blobBaseFeeScalar: 1_055_762n };
    const data = bytesToHex(encodeAttributes(facts));
    assert.equal(data.length, 2 + 2 * 176);
    const [time, number] = [facts.timestamp, facts.number].map((n) => n.toString(16).padStart(16, '0'));
    assert.ok(data.startsWith(`0x098999be000008dd00101c120000000000000003${time}${number}`), data);
    assert.throws(() => encodeAttributes({ ...facts, sequenceNumber: 1n << 64n }), RangeError);
  });

  test('is set by the attributes, only from the depositor and only if they are complete', () => {
    const blank = Object.fromEntries(Object.keys(FACTS).map((name) => [name, 0n])) as L1Facts;
    const evm = createChain(blank);
    const attributes = encodeAttributes(FACTS);
    for (const [caller, data] of [
      [`0x${'b0'.repeat(20)}`, attributes],
      [DEPOSITOR, attributes.subarray(0, -1)],
    ] as const) {
      const mark = evm.mark();
      assert.equal(run(evm, caller, L1_BLOCK, data).status, 'revert');
      evm.rollbackTo(mark);
    }
    assert.equal(run(evm, DEPOSITOR, L1_BLOCK, attributes).status, 'success');
    for (const [name, value] of Object.entries(FACTS)) {
      assert.equal(ask(evm, L1_BLOCK, selectorOf(`${name}()`)), value, name);
    }
  });
});

describe('GasPriceOracle', () => {
  const evm = createChain(FACTS);
  const prices = {
    l1BaseFee: FACTS.basefee,
    blobBaseFee: FACTS.blobBaseFee,
    baseFeeScalar: FACTS.baseFeeScalar,
    blobBaseFeeScalar: FACTS.blobBaseFeeScalar,
  };

  test('charges the Fjord fee for any data', () => {
    /** Text without repetitions that alone costs more than the minimum fee, so every byte after it counts. */
    const noise = Uint8Array.from(concatBytes(...[1, 2, 3, 4, 5, 6].map((n) => keccak256(Uint8Array.of(n)))));
    const random = fc.uint8Array({ maxLength: 300 });
    const runs = fc.array(fc.tuple(fc.nat(3), fc.nat(20)), { maxLength: 60 });
    const repetitive = runs.map((list) =>
      Uint8Array.from(list.flatMap(([byte, count]) => new Array(count).fill(byte))),
    );
    const long = fc.nat(2_000).map((length) => new Uint8Array(length));
    /** Parts of the preceding text: short and long matches, near and far. */
    const quoting = fc.array(fc.tuple(fc.nat(180), fc.nat(24), fc.uint8Array({ maxLength: 5 })), {
      maxLength: 30,
    });
    const quotes = quoting.map((list) =>
      concatBytes(...list.flatMap(([at, length, own]) => [noise.subarray(at, at + length), own])),
    );
    fc.assert(
      fc.property(fc.oneof(random, repetitive, long, quotes), (tail) => {
        const data = concatBytes(noise, tail);
        assert.equal(askFee(evm, data), computeFjordFee(measureFastLz(data) + 68, prices));
      }),
      { numRuns: countRuns(300) },
    );
  });

  test('matches the vectors of op-geth, plus a signature', () => {
    for (const [data, size] of [
      [new Uint8Array(0), 0],
      [new Uint8Array(1_000).fill(1), 21],
      [hexToBytes('0xdd80808094095e7baea6a6c7c4c2dfeb977efac326af552d878080808080'), 31],
    ] as const) {
      assert.equal(askFee(evm, data), computeFjordFee(size + 68, prices));
    }
  });

  test('charges the Isthmus operator fee, and has the flags of its forks', () => {
    const fee = ask(evm, GAS_PRICE_ORACLE, encodeWordCall('0x275aedd2', 53_000n));
    assert.equal(fee, computeIsthmusOperatorFee(53_000n, { scalar: 1_000n, constant: 5n }));
    assert.equal(fee, 58n);
    const flags = ['isEcotone()', 'isFjord()', 'isIsthmus()', 'isJovian()', 'decimals()'];
    assert.deepEqual(
      flags.map((signature) => ask(evm, GAS_PRICE_ORACLE, selectorOf(signature))),
      [1n, 1n, 1n, 0n, 6n],
    );
  });
});
