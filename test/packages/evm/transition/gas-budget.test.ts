/** Both kinds of gas of a transaction and of a block (EIP-8037), with the worked examples of the EIPs and of geth's tests. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { rulesOf } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { BlockGas } from '../../../../packages/evm/transition/block-gas.ts';
import { finalizeGas, GasBudget } from '../../../../packages/evm/transition/gas-budget.ts';
import { TransactionError } from '../../../../packages/evm/transition/transaction-error.ts';

const CAP = 16_777_216n;
const { stateGas, refundQuotient } = rulesOf('amsterdam');
const ACCOUNT = stateGas?.account ?? 0n;

const balancesOf = ({ gasLeft, reservoir, stateUsed }: GasBudget): readonly bigint[] => [
  gasLeft,
  reservoir,
  stateUsed,
];

describe('a gas budget', () => {
  test('below the cap has no reservoir', () => {
    assert.deepEqual(balancesOf(new GasBudget(85_000n, CAP - 15_000n)), [85_000n, 0n, 0n]);
  });

  test('above the cap has the excess as its reservoir, and without a cap has none', () => {
    assert.deepEqual(balancesOf(new GasBudget(20_000_000n, CAP - 21_000n)), [
      CAP - 21_000n,
      20_000_000n - CAP + 21_000n,
      0n,
    ]);
    assert.deepEqual(balancesOf(new GasBudget(20_000_000n, undefined)), [20_000_000n, 0n, 0n]);
  });

  test('pays state gas from the reservoir, then from execution gas, and is refilled in reverse order', () => {
    const budget = new GasBudget(1_100_000n, 1_000_000n);
    assert.equal(budget.charge(9_000n, ACCOUNT), true);
    assert.deepEqual(balancesOf(budget), [1_000_000n - 9_000n - 83_600n, 0n, ACCOUNT]);
    budget.refillState(ACCOUNT);
    assert.deepEqual(balancesOf(budget), [991_000n, 100_000n, 0n]);
  });

  test('charges nothing if it cannot pay all', () => {
    const budget = new GasBudget(100_000n, 90_000n);
    assert.equal(budget.charge(50_000n, 50_001n), false);
    assert.deepEqual(balancesOf(budget), [90_000n, 10_000n, 0n]);
    assert.equal(budget.charge(50_000n, 50_000n), true);
    assert.deepEqual(balancesOf(budget), [0n, 0n, 50_000n]);
  });

  test('loses execution gas but not its reservoir in a halt', () => {
    const budget = new GasBudget(300_000n, 200_000n);
    assert.ok(budget.charge(0n, ACCOUNT));
    budget.halt();
    assert.deepEqual(balancesOf(budget), [0n, 100_000n, 0n]);
  });

  test('uses returned state gas of a message to repay earlier spills', () => {
    const budget = new GasBudget(300_000n, undefined);
    assert.ok(budget.charge(0n, ACCOUNT));
    budget.absorb({ gasLeft: 50_000n, stateGasLeft: 97_920n, stateGasUsed: -97_920n });
    assert.deepEqual(balancesOf(budget), [147_920n, 0n, ACCOUNT - 97_920n]);
  });

  test('preserves the sum of gas left and gas charged', () => {
    const amount = fc.bigInt(0n, 400_000n);
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.array(fc.tuple(amount, amount), { maxLength: 8 }),
        (gas, cap, charges) => {
          const budget = new GasBudget(gas, cap);
          let [execution, state] = [0n, 0n];
          for (const [ofExecution, ofState] of charges) {
            if (!budget.charge(ofExecution, ofState)) continue;
            execution += ofExecution;
            state += ofState;
          }
          assert.equal(budget.gasLeft + budget.reservoir + execution + state, gas);
          budget.refillState(state);
          assert.deepEqual(balancesOf(budget).slice(1), [gas > cap ? gas - cap : 0n, 0n]);
          assert.equal(budget.gasLeft + budget.reservoir + execution, gas);
        },
      ),
    );
  });
});

describe('paid gas and block gas', () => {
  const complete = (
    spent: bigint,
    stateUsed: bigint,
    refund: bigint,
    floorGas: bigint,
  ): readonly bigint[] => {
    const gas = finalizeGas({ spent, stateUsed, refund, floorGas }, refundQuotient, false);
    return [gas.gasUsed, gas.blockExecutionGas, gas.blockStateGas];
  };

  test('of value to a new account are 204,600 and 21,000 + 183,600', () => {
    assert.deepEqual(complete(204_600n, ACCOUNT, 0n, 21_000n), [204_600n, 21_000n, 183_600n]);
  });

  test('of 1,000 zero bytes and value to a new account are 208,600 and 85,000 + 183,600', () => {
    // Intrinsic 25,000; floor 21,000 + 64,000.
    assert.deepEqual(complete(208_600n, ACCOUNT, 0n, 85_000n), [208_600n, 85_000n, 183_600n]);
  });

  test('have refunds capped by the sum of both kinds, and none in the block (EIP-7778)', () => {
    assert.deepEqual(complete(200_000n, 97_920n, 90_000n, 0n), [160_000n, 102_080n, 97_920n]);
    assert.deepEqual(complete(200_000n, 97_920n, 11_616n, 0n), [188_384n, 102_080n, 97_920n]);
  });

  test('have the floor applied to the sum of both kinds, and in the block to execution gas alone', () => {
    assert.deepEqual(complete(100_000n, 60_000n, 0n, 90_000n), [100_000n, 90_000n, 60_000n]);
    assert.deepEqual(complete(80_000n, 60_000n, 0n, 90_000n), [90_000n, 90_000n, 60_000n]);
  });

  test('are the same before Amsterdam', () => {
    const gas = finalizeGas({ spent: 100_000n, stateUsed: 0n, refund: 4_800n, floorGas: 21_000n }, 5n, true);
    assert.deepEqual(
      [gas.gasUsed, gas.peakGasUsed, gas.blockExecutionGas, gas.blockStateGas],
      [95_200n, 100_000n, 95_200n, 0n],
    );
  });
});

describe('block gas', () => {
  const used = (execution: bigint, state: bigint, paid: bigint) => ({
    gasUsed: paid,
    peakGasUsed: paid,
    blockExecutionGas: execution,
    blockStateGas: state,
  });

  test('is the larger of both sums, while receipts sum up the paid gas', () => {
    const gas = new BlockGas(30_000_000n, CAP);
    gas.add(used(21_000n, ACCOUNT, 204_600n));
    assert.deepEqual([gas.used, gas.paid], [ACCOUNT, 204_600n]);
    gas.add(used(400_000n, 0n, 390_000n));
    assert.deepEqual([gas.used, gas.paid], [421_000n, 594_600n]);
  });

  test('has room for the transaction cap in execution gas and the whole limit in state gas', () => {
    const gas = new BlockGas(30_000_000n, CAP);
    gas.add(used(30_000_000n - CAP, 5_000_000n, 1n));
    gas.expectRoom(25_000_000n);
    assert.throws(() => gas.expectRoom(25_000_001n), new TransactionError('gas limit reached'));
    gas.add(used(1n, 0n, 1n));
    assert.throws(() => gas.expectRoom(CAP), new TransactionError('gas limit reached'));
    gas.expectRoom(CAP - 1n);
  });

  test('has room for the whole limit without a cap', () => {
    const gas = new BlockGas(30_000_000n, undefined);
    gas.add(used(10_000_000n, 0n, 10_000_000n));
    gas.expectRoom(20_000_000n);
    assert.throws(() => gas.expectRoom(20_000_001n), new TransactionError('gas limit reached'));
  });

  test('is checked again after each transaction', () => {
    const gas = new BlockGas(100n, CAP);
    assert.throws(
      () => gas.add(used(70n, 101n, 171n)),
      new TransactionError(
        'gas limit reached: block gas overflow: initial 100, used 101 (execution: 70, state: 101)',
      ),
    );
    assert.equal(gas.used, 0n);
  });
});
