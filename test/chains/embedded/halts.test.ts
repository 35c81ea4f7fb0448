/** Executions that fail, with geth's messages (core/vm/errors.go). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../scripts/assembler.ts';
import { OPCODES } from '../../../scripts/opcodes.ts';
import { CallHarness, chainError, PROGRAM, UNUSED } from './call-harness.ts';

/** Stack items that an instruction needs: the yellow paper's delta, appendix H. */
const INPUTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries('ISZERO NOT CLZ BALANCE CALLDATALOAD'.split(' ').map((name) => [name, 1])),
  ...Object.fromEntries('EXTCODESIZE EXTCODEHASH BLOCKHASH'.split(' ').map((name) => [name, 1])),
  ...Object.fromEntries(
    'BLOBHASH POP MLOAD SLOAD JUMP TLOAD SELFDESTRUCT'.split(' ').map((name) => [name, 1]),
  ),
  ...Object.fromEntries('ADD MUL SUB DIV SDIV MOD SMOD EXP SIGNEXTEND'.split(' ').map((name) => [name, 2])),
  ...Object.fromEntries('LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR'.split(' ').map((name) => [name, 2])),
  ...Object.fromEntries('SHA3 MSTORE MSTORE8 SSTORE JUMPI TSTORE'.split(' ').map((name) => [name, 2])),
  ...Object.fromEntries('RETURN REVERT LOG0 SWAP1 DUP2'.split(' ').map((name) => [name, 2])),
  ...Object.fromEntries('ADDMOD MULMOD CALLDATACOPY CODECOPY'.split(' ').map((name) => [name, 3])),
  ...Object.fromEntries('RETURNDATACOPY MCOPY CREATE DUP3'.split(' ').map((name) => [name, 3])),
  ...{ EXTCODECOPY: 4, CREATE2: 4, DELEGATECALL: 6, STATICCALL: 6, CALL: 7, CALLCODE: 7 },
  ...{ DUP1: 1, DUP16: 16, SWAP16: 17 },
};

describe('halts', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka' });
  });
  after(async () => {
    await harness.opened.close();
    assert.deepEqual(harness.opened.faults, []);
  });

  const fails = (run: Promise<unknown>, message: string): Promise<void> =>
    assert.rejects(run, chainError('failed', message));

  test('out of gas', async () => {
    await fails(harness.run('loop: @loop JUMP', { gas: '0x7530' }), 'out of gas');
    await fails(harness.run('0 SLOAD', { gas: '0x5300' }), 'out of gas');
  });

  test('the designated invalid instruction and undefined instructions', async () => {
    await fails(harness.run('INVALID'), 'invalid opcode: INVALID');
    await fails(harness.run('raw:0x0c'), 'invalid opcode: opcode 0xc not defined');
    await fails(harness.run('raw:0xef'), 'invalid opcode: opcode 0xef not defined');
    await fails(harness.run('@on JUMP on: raw:0x0c'), 'invalid opcode: opcode 0xc not defined');
    await fails(harness.run('@on JUMP on: INVALID'), 'invalid opcode: INVALID');
  });

  test('every instruction with too few stack items', async () => {
    const table = Object.entries(INPUTS);
    assert.ok(table.every(([name]) => OPCODES.has(name)));
    for (const [name, inputs] of table) {
      for (const height of new Set([0, Math.floor(inputs / 2), inputs - 1])) {
        // Sizes and offsets are zero, so nothing else can fail first.
        await fails(
          harness.run(`${'0 '.repeat(height)} ${name}`),
          `stack underflow (${height} <=> ${inputs})`,
        );
      }
    }
  });

  test('a full stack', async () => {
    const full = concatBytes(new Uint8Array(1024).fill(0x5f), assemble('PUSH0'));
    const code = bytesToHex(full);
    await fails(
      harness.call({ to: PROGRAM }, { stateOverrides: { [PROGRAM]: { code } } }),
      'stack limit reached 1024 (1023)',
    );
    const filled = concatBytes(new Uint8Array(1024).fill(0x5f), assemble('DUP1'));
    await fails(
      harness.call({ to: PROGRAM }, { stateOverrides: { [PROGRAM]: { code: bytesToHex(filled) } } }),
      'stack limit reached 1024 (1023)',
    );
  });

  test('jumps to an invalid destination', async () => {
    await fails(harness.run('0 JUMP'), 'invalid jump destination');
    await fails(harness.run('1 1000 JUMPI'), 'invalid jump destination');
    // A destination inside the operand of a push is invalid.
    await fails(harness.run('1 JUMP PUSH1 0x5b', {}), 'invalid jump destination');
  });

  test('writes inside a static call', async () => {
    // Only the inner frame can be static: its failure shows as STATICCALL's zero.
    const source = 'CALLER ADDRESS EQ @inner JUMPI 0 0 0 0 ADDRESS GAS STATICCALL 0 MSTORE 32 0 RETURN';
    assert.equal(BigInt(await harness.run(`${source} inner: STOP`)), 1n);
    for (const write of ['1 0 SSTORE', '0 0 LOG0', '0 SELFDESTRUCT', '0 0 0 CREATE', '1 0 TSTORE']) {
      assert.equal(BigInt(await harness.run(`${source} inner: ${write}`)), 0n, write);
    }
  });

  test('return data out of bounds', async () => {
    await fails(harness.run('1 0 0 RETURNDATACOPY'), 'return data out of bounds');
  });

  test('creations: code that is too long, begins with 0xef, or cannot be paid for', async () => {
    const create = (source: string, gas = '0x1c9c380'): Promise<string> =>
      harness.call({ data: bytesToHex(assemble(source)), gas });
    await fails(create('24577 0 RETURN'), 'max code size exceeded: code size 24577 limit 24576');
    await fails(create('24577 0 RETURN', '0xf4240'), 'contract creation code storage out of gas');
    await fails(create('0xef 0 MSTORE8 1 0 RETURN'), 'invalid code: must not begin with 0xef');
    await fails(create('1000 0 RETURN', '0xd6d8'), 'contract creation code storage out of gas');
    await fails(create('loop: @loop JUMP', '0xd6d8'), 'out of gas');
  });

  test('gas above 64 bits, and errors while the gas of an instruction is computed', async () => {
    await fails(harness.run('32 0xffffffffffffffff MSTORE'), 'gas uint64 overflow');
    await fails(harness.run('0x10000000000000000 0 RETURN'), 'gas uint64 overflow');
    await fails(harness.run('32 0x1fffffffe1 MSTORE'), 'out of gas: gas uint64 overflow');
    await fails(harness.run('0 0 0 0 0 0x1234 GAS CALL', { gas: '0x5300' }), 'out of gas: out of gas');
    await fails(harness.run('0x1234 SELFDESTRUCT', { gas: '0x6900' }), 'out of gas: out of gas');
    await fails(
      harness.run('1 0 SSTORE', { gas: '0x5a00' }),
      'out of gas: not enough gas for reentrancy sentry',
    );
    await fails(
      harness.run('49153 0 0 CREATE'),
      'out of gas: max initcode size exceeded: code size 49153 limit 49152',
    );
  });

  test('a creation by an account with the maximum nonce', async () => {
    const stateOverrides = { [UNUSED]: { nonce: '0xffffffffffffffff' } };
    await fails(harness.call({ from: UNUSED, data: '0x00' }, { stateOverrides }), 'nonce uint64 overflow');
  });

  test('instructions of later forks, by name', async () => {
    await fails(
      harness.call({ to: UNUSED }, { stateOverrides: { [UNUSED]: { code: '0xe6' } } }),
      'invalid opcode: DUPN',
    );
  });

  test('a revert with its data, also if empty', async () => {
    await assert.rejects(
      harness.run('0xc0ffee 0 MSTORE 3 29 REVERT'),
      chainError('reverted', 'execution reverted', '0xc0ffee'),
    );
    await assert.rejects(harness.run('0 0 REVERT'), chainError('reverted', 'execution reverted', '0x'));
  });

  test('calls nested at most 1,024 frames deep', async () => {
    // The code calls itself until a call fails, and returns the depth.
    const source = `
      0 CALLDATALOAD 1 ADD DUP1 0 MSTORE
      32 32 32 0 0 ADDRESS GAS CALL
      ISZERO @bottom JUMPI
      32 32 RETURN
      bottom: DUP1 0 MSTORE 32 0 RETURN`;
    const depth = BigInt(await harness.run(source, { gas: '0xffffffff' }));
    assert.ok(depth > 500n && depth <= 1025n, `depth ${depth}`);
  });
});
