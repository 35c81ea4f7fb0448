/** Effects of Amsterdam's instructions apart from their price (EIP-7708, 7843, 8024, 8246), and address collisions of creations. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { createAddress } from '../../../../packages/ethereum/primitives/address.ts';
import { bytesToBigInt, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import type { BlockEnvironment, MessageResult } from '../../../../packages/evm/interpreter/message.ts';
import { rulesOf } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../../../../packages/evm/interpreter/slice.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { createEvm } from '../../../../src/engine/create-evm.ts';
import { addressOf, MessageHarness, numberOf } from './message-harness.ts';

const harness = new MessageHarness('amsterdam', (number) =>
  number === 0x2002 ? assemble('0 0 REVERT') : undefined,
);
const GAS = 5_000_000n;
const SELF = 0xffff_0002;
const RETURN_TOP = '0 MSTORE 32 0 RETURN';

/** Pushes `count` different words, the last one on top. */
const words = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}`).join(' ');

test('SLOTNUM returns the slot number of the block', () => {
  assert.equal(numberOf(harness.run(`raw:0x4b ${RETURN_TOP}`)), 0x1234_5678_9abcn);
});

describe('EIP-8024', () => {
  it('DUPN copies the item that its immediate selects', () => {
    for (const [immediate, item] of [
      [0x80, 17],
      [0x00, 145],
      [0x5a, 235],
      [0xff, 144],
    ] as const) {
      const code = `${words(240)} raw:0xe6${immediate.toString(16).padStart(2, '0')} ${RETURN_TOP}`;
      assert.equal(numberOf(harness.run(code)), BigInt(241 - item), code.slice(-30));
    }
  });

  it('SWAPN swaps the top with the item that its immediate selects', () => {
    assert.equal(numberOf(harness.run(`${words(30)} raw:0xe780 ${RETURN_TOP}`)), 13n);
    const deep = `${words(18)} raw:0xe780 ${'POP '.repeat(17)} ${RETURN_TOP}`;
    assert.equal(numberOf(harness.run(deep)), 18n);
  });

  it('EXCHANGE swaps two items below the top', () => {
    // 0x9d exchanges the second and the third item below the top; 0x2f the first and the 19th.
    const top = (code: string, pops: number): bigint =>
      numberOf(harness.run(`${code} ${'POP '.repeat(pops)} ${RETURN_TOP}`));
    assert.deepEqual(
      [0, 1, 2, 3].map((pops) => top(`${words(5)} raw:0xe89d`, pops)),
      [5n, 4n, 2n, 3n],
    );
    assert.deepEqual(
      [0, 1, 19].map((pops) => top(`${words(21)} raw:0xe82f`, pops)),
      [21n, 2n, 20n],
    );
  });

  it('missing immediates at the end of code are zero', () => {
    assert.equal(harness.run(`${words(145)} raw:0xe6`).status, 'success');
    assert.equal(harness.run(`${words(144)} raw:0xe6`).reason, 'stack underflow (144 <=> 145)');
  });

  it('an immediate may be a jump destination', () => {
    assert.equal(numberOf(harness.run(`@to JUMP raw:0xe6 to: 7 ${RETURN_TOP}`)), 7n);
  });

  it('invalid instructions halt with geth’s errors, in geth’s order', () => {
    const reasons: readonly (readonly [code: string, gas: bigint, reason: string])[] = [
      ['raw:0xe65b', 100n, 'stack underflow (0 <=> 1)'],
      ['1 raw:0xe65b', 100n, 'invalid opcode: DUPN (operand: 0x5b)'],
      ['1 raw:0xe67f', 100n, 'invalid opcode: DUPN (operand: 0x7f)'],
      ['1 raw:0xe75b', 100n, 'stack underflow (1 <=> 2)'],
      ['1 2 raw:0xe75b', 100n, 'invalid opcode: SWAPN (operand: 0x5b)'],
      ['1 2 raw:0xe852', 100n, 'invalid opcode: EXCHANGE (operand: 0x52)'],
      ['1 2 raw:0xe852', 8n, 'out of gas'],
      ['1 raw:0xe680', 100n, 'stack underflow (1 <=> 17)'],
      ['1 raw:0xe680', 5n, 'out of gas'],
      ['raw:0xe680', 1n, 'stack underflow (0 <=> 1)'],
      ['1 2 3 raw:0xe780', 100n, 'stack underflow (3 <=> 18)'],
      ['1 2 3 raw:0xe89d', 100n, 'stack underflow (3 <=> 4)'],
      ['1 2 raw:0xe82f', 100n, 'stack underflow (2 <=> 20)'],
      [`${'PC '.repeat(1024)} raw:0xe680`, 100_000n, 'stack limit reached 1024 (1023)'],
    ];
    for (const [code, gas, reason] of reasons)
      assert.equal(harness.run(code, gas).reason, reason, code.slice(-40));
    assert.match(new MessageHarness('osaka').run('1 raw:0xe680').reason, /^invalid opcode: DUPN$/);
  });
});

describe('transfer logs (EIP-7708)', () => {
  type Transfer = readonly [from: bigint, to: bigint, amount: bigint];
  const transfersOf = ({ logs }: MessageResult): Transfer[] =>
    logs.map(({ address, topics, data, isTransfer }) => {
      assert.equal(bytesToHex(address), '0xfffffffffffffffffffffffffffffffffffffffe');
      assert.equal(
        bytesToHex(topics[0] as Uint8Array),
        '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      );
      assert.equal(isTransfer, false);
      return [
        bytesToBigInt(topics[1] as Uint8Array),
        bytesToBigInt(topics[2] as Uint8Array),
        bytesToBigInt(data),
      ];
    });
  const run = (source: string): Transfer[] => transfersOf(harness.run(source, GAS, { balance: 10n }));
  const self = BigInt(SELF);

  it('are emitted by CALL to another account with value', () => {
    assert.deepEqual(run('0 0 0 0 3 0x3000 0 CALL'), [[self, 0x3000n, 3n]]);
    assert.deepEqual(run('0 0 0 0 3 4 0 CALL'), [[self, 4n, 3n]]);
    assert.deepEqual(run(`0 0 0 0 3 ${SELF} 0 CALL`), []);
    assert.deepEqual(run('0 0 0 0 0 0x3000 0 CALL'), []);
    assert.deepEqual(run('0 0 0 0 11 0x3000 0 CALL'), []);
  });

  it('are emitted by no other call, and not by reverted transfers', () => {
    assert.deepEqual(run('0 0 0 0 3 0x3000 0 CALLCODE'), []);
    assert.deepEqual(run('0 0 0 0 3 0x2002 1000 CALL'), []);
  });

  it('are emitted by CREATE and SELFDESTRUCT', () => {
    const created = bytesToBigInt(createAddress(addressOf(SELF), 0n));
    assert.deepEqual(run('0 0 4 CREATE'), [[self, created, 4n]]);
    assert.deepEqual(run('0x3000 SELFDESTRUCT'), [[self, 0x3000n, 10n]]);
    assert.deepEqual(run('ADDRESS SELFDESTRUCT'), []);
  });

  it('are not emitted when a created contract destroys itself in favour of itself', () => {
    // The new contract executes SELFDESTRUCT in favour of itself: 30 ff.
    const created = bytesToBigInt(createAddress(addressOf(SELF), 0n));
    assert.deepEqual(run('0x30ff 0 MSTORE 2 30 4 CREATE'), [[self, created, 4n]]);
  });
});

const BLOCK: BlockEnvironment = {
  number: 1n,
  timestamp: 1n,
  beneficiary: addressOf(3),
  gasLimit: 30_000_000n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFeePerGas: 0n,
  blobBaseFee: 0n,
  getBlockHash: () => new Uint8Array(32),
};
const FACTORY = addressOf(0x5000);
const CREATED = createAddress(FACTORY, 1n);

/** Runs a contract's code as a transaction; an account exists at the address of its first creation. */
function runFactory(
  source: string,
  value: bigint,
  there?: AccountState,
): { balance: bigint | undefined; status: string } {
  const code = assemble(source);
  const codeHash = keccak256(code);
  const evm = createEvm(
    {
      getAccount: (address) => {
        const text = bytesToHex(address);
        if (text === bytesToHex(FACTORY)) return { nonce: 1n, balance: 100n, codeHash, hasStorage: false };
        return text === bytesToHex(CREATED) ? there : undefined;
      },
      getStorage: () => EMPTY_BYTES,
      getCode: () => code,
    },
    16 << 20,
  );
  evm.enter(BLOCK, 1n, rulesOf('amsterdam'));
  evm.open();
  evm.begin();
  const message = {
    caller: addressOf(7),
    to: FACTORY,
    value: 0n,
    data: EMPTY_BYTES,
    gasLimit: GAS,
    stateGas: 0n,
  };
  evm.start({ ...message, gasPrice: 0n, blobVersionedHashes: [], accessList: [] });
  while (!evm.advance(WHOLE_SLICE));
  const { status, output } = evm.result();
  evm.finish();
  assert.equal(
    status === 'success' && output.length === 32 ? bytesToBigInt(output) > 0n : true,
    value === 1n,
  );
  return { balance: evm.state.getAccount(CREATED)?.balance, status };
}

/** Source that creates a contract from these bytes with a value and returns its address. */
const creating = (code: string, value: number): string =>
  `PUSH32 0x${code.padEnd(64, '0')} 0 MSTORE ${code.length / 2} 0 ${value} CREATE ${RETURN_TOP}`;

test('a contract destroyed in its creating transaction keeps its balance, and disappears without one (EIP-8246)', () => {
  // ADDRESS SELFDESTRUCT; the beneficiary 9: PUSH1 9 SELFDESTRUCT.
  assert.deepEqual(runFactory(creating('30ff', 5), 1n), { balance: 5n, status: 'success' });
  assert.deepEqual(runFactory(creating('30ff', 0), 1n), { balance: undefined, status: 'success' });
  assert.deepEqual(runFactory(creating('6009ff', 5), 1n), { balance: undefined, status: 'success' });
});

test('a creation collides with a nonce, but not with storage alone', () => {
  const there = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, hasStorage: true };
  assert.deepEqual(runFactory(creating('00', 5), 1n, there), { balance: 5n, status: 'success' });
  assert.equal(runFactory(creating('00', 5), 0n, { ...there, nonce: 1n }).balance, 0n);
});
