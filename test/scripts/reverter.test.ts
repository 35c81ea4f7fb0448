import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hardfork } from '@ethereumjs/common';
import { decodeErrorResult, encodeFunctionData, getAddress, pad, parseAbi } from 'viem';
import {
  RAW_REVERT_DATA,
  REFUSED_CODE,
  REVERT_REASON,
  REVERTER_ABI,
  REVERTER_INIT_CODE,
} from '../../scripts/contracts/reverter.ts';
import { ALICE, Harness, type Outcome, type SendOptions, selectorData } from './evm-harness.ts';

const ABI = parseAbi([...REVERTER_ABI, 'error Error(string)', 'error Panic(uint256)']);
const BYZANTIUM = await prepare(Hardfork.Byzantium);

async function prepare(hardfork: Hardfork) {
  const harness = await Harness.create(hardfork);
  const address = await harness.deploy(REVERTER_INIT_CODE);
  return {
    send: (functionName: string, options?: SendOptions): Promise<Outcome> =>
      harness.send(address, selectorData(functionName), options),
    sendWord: (functionName: 'write' | 'burn', word: bigint, options?: SendOptions): Promise<Outcome> =>
      harness.send(address, encodeFunctionData({ abi: ABI, functionName, args: [word] }), options),
  };
}

test('ok, write and read succeed', async () => {
  const { send, sendWord } = BYZANTIUM;
  assert.deepEqual((await send('ok')).data, pad('0x2a'));
  assert.equal((await sendWord('write', 7n)).error, undefined);
  assert.equal((await send('read')).data, pad('0x7'));
});

for (const functionName of ['revertString', 'revertNested']) {
  test(`${functionName} reverts with Error(string)`, async () => {
    const { error, data } = await BYZANTIUM.send(functionName);
    assert.equal(error, 'revert');
    assert.deepEqual(decodeErrorResult({ abi: ABI, data }).args, [REVERT_REASON]);
  });
}

for (const [functionName, code] of [
  ['panicAssert', 0x01n],
  ['panicOverflow', 0x11n],
  ['panicDivision', 0x12n],
] as const) {
  test(`${functionName} reverts with Panic(${code})`, async () => {
    const { error, data } = await BYZANTIUM.send(functionName);
    assert.equal(error, 'revert');
    const { errorName, args } = decodeErrorResult({ abi: ABI, data });
    assert.equal(errorName, 'Panic');
    assert.deepEqual(args, [code]);
  });
}

test('revertCustom reverts with its own error and arguments', async () => {
  const { error, data } = await BYZANTIUM.send('revertCustom');
  assert.equal(error, 'revert');
  const { errorName, args } = decodeErrorResult({ abi: ABI, data });
  assert.equal(errorName, 'Refused');
  assert.deepEqual(args, [getAddress(ALICE), REFUSED_CODE]);
});

test('revertEmpty reverts without data, and revertRaw with meaningless data', async () => {
  const empty = await BYZANTIUM.send('revertEmpty');
  assert.equal(empty.error, 'revert');
  assert.equal(empty.data, '0x');
  const raw = await BYZANTIUM.send('revertRaw');
  assert.equal(raw.error, 'revert');
  assert.equal(raw.data, RAW_REVERT_DATA);
});

test('writeInStaticCall reverts without data, because the inner failure has none', async () => {
  const { error, data, gasUsed } = await BYZANTIUM.send('writeInStaticCall');
  assert.equal(error, 'revert');
  assert.equal(data, '0x');
  assert.ok(gasUsed > 50_000n && gasUsed < 60_000n, `${gasUsed}`);
});

test('write is refused in a static call', async () => {
  const { error } = await BYZANTIUM.sendWord('write', 1n, { isStatic: true });
  assert.equal(error, 'static state change');
});

for (const [functionName, expected] of [
  ['invalidOpcode', 'invalid opcode'],
  ['loopForever', 'out of gas'],
  ['badJump', 'invalid JUMP'],
  ['stackUnderflow', 'stack underflow'],
  ['stackOverflow', 'stack overflow'],
  ['hugeMemory', 'out of gas'],
  ['returnDataOutOfBounds', 'out of gas'],
] as const) {
  test(`${functionName} fails with "${expected}" and uses all gas`, async () => {
    const { error, data, gasUsed } = await BYZANTIUM.send(functionName, { gasLimit: 100_000n });
    assert.equal(error, expected);
    assert.equal(data, '0x');
    assert.equal(gasUsed, 100_000n);
  });
}

test('burn uses the given gas and little more', async () => {
  for (const amount of [0n, 1000n, 123_456n, 900_000n]) {
    const { error, gasUsed } = await BYZANTIUM.sendWord('burn', amount);
    assert.equal(error, undefined);
    assert.ok(gasUsed >= amount && gasUsed < amount + 1000n, `${gasUsed} for ${amount}`);
  }
  assert.equal((await BYZANTIUM.sendWord('burn', 100_000n, { gasLimit: 100_000n })).error, 'out of gas');
});

test('needGasLeft uses little gas, but succeeds only with much left', async () => {
  const enough = await BYZANTIUM.send('needGasLeft', { gasLimit: 510_000n });
  assert.equal(enough.data, pad('0x1'));
  assert.ok(enough.gasUsed < 2000n);
  const short = await BYZANTIUM.send('needGasLeft', { gasLimit: 499_000n });
  assert.deepEqual(decodeErrorResult({ abi: ABI, data: short.data }).args, ['too little gas']);
});

test('needInnerGas needs more gas than it uses (EIP-150)', async () => {
  const { error, gasUsed } = await BYZANTIUM.send('needInnerGas');
  assert.equal(error, undefined);
  const again = await BYZANTIUM.send('needInnerGas', { gasLimit: gasUsed });
  assert.deepEqual(decodeErrorResult({ abi: ABI, data: again.data }).args, ['too little gas']);
  const more = await BYZANTIUM.send('needInnerGas', { gasLimit: (gasUsed * 64n) / 63n + 1n });
  assert.equal(more.error, undefined);
});

test('the same code runs on the newest revision', async () => {
  const { send } = await prepare(Hardfork.Osaka);
  assert.equal((await send('ok')).data, pad('0x2a'));
  assert.equal((await send('panicOverflow')).error, 'revert');
});
