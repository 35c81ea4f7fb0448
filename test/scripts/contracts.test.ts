import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hardfork } from '@ethereumjs/common';
import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  toHex,
} from 'viem';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { CALLENV_ABI, CALLENV_INIT_CODE } from '../../scripts/contracts/callenv.ts';
import { DELEGATE_ABI, DELEGATE_RUNTIME } from '../../scripts/contracts/delegate.ts';
import { FACTORY_ABI, FACTORY_INIT_CODE } from '../../scripts/contracts/factory.ts';
import { LOGGER_ABI, LOGGER_INIT_CODE, LOGGER_RUNTIME } from '../../scripts/contracts/logger.ts';
import { MESSAGE_SERVICE_ABI, MESSAGE_SERVICE_INIT_CODE } from '../../scripts/contracts/message-service.ts';
import { REVERT_REASON, REVERTER_INIT_CODE } from '../../scripts/contracts/reverter.ts';
import { SELFDESTRUCTOR_ABI, SELFDESTRUCTOR_INIT_CODE } from '../../scripts/contracts/selfdestructor.ts';
import { ALICE, BLOCK_HEADER, BOB, CAROL, COINBASE, Harness, selectorData } from './evm-harness.ts';

const ERROR_ABI = parseAbi(['error Error(string)']);

test('callenv: returns every value of the newest revision', async () => {
  const harness = await Harness.create(Hardfork.Osaka);
  const address = await harness.deploy(CALLENV_INIT_CODE);
  const abi = parseAbi(CALLENV_ABI);
  const data = encodeFunctionData({ abi, functionName: 'environment' });
  const all = await harness.send(address, data, { from: BOB, value: 9n });
  const words = decodeFunctionResult({ abi, functionName: 'environment', data: all.data });
  const expected: [string, bigint][] = [
    ['coinbase', BigInt(COINBASE)],
    ['timestamp', BLOCK_HEADER.timestamp],
    ['blockNumber', BLOCK_HEADER.number],
    ['prevRandao', BigInt(bytesToHex(BLOCK_HEADER.prevRandao))],
    ['gasLimit', BLOCK_HEADER.gasLimit],
    ['origin', BigInt(BOB)],
    ['caller', BigInt(BOB)],
    ['gasPrice', 11n],
    ['callValue', 9n],
    ['chainId', 1n],
    ['baseFee', 7n],
    ['blobBaseFee', 3n],
  ];
  assert.deepEqual(
    words,
    expected.map(([, word]) => word),
  );
  for (const [name, word] of expected) {
    const value = name === 'callValue' ? 9n : 0n;
    const { data: single } = await harness.send(address, selectorData(name), { from: BOB, value });
    assert.equal(BigInt(single), word, name);
  }
});

test('callenv: returns the values of Frontier on Frontier, and fails for newer ones', async () => {
  const harness = await Harness.create(Hardfork.Chainstart);
  const address = await harness.deploy(CALLENV_INIT_CODE);
  assert.equal(BigInt((await harness.send(address, selectorData('blockNumber'))).data), 77n);
  assert.equal((await harness.send(address, selectorData('baseFee'))).error, 'invalid opcode');
  assert.equal((await harness.send(address, selectorData('unknown'))).error, 'invalid opcode');
});

test('factory: creates a contract with CREATE on Frontier', async () => {
  const harness = await Harness.create(Hardfork.Chainstart);
  const factory = await harness.deploy(FACTORY_INIT_CODE);
  const abi = parseAbi(FACTORY_ABI);
  const initCode = toHex(LOGGER_INIT_CODE);
  const data = encodeFunctionData({ abi, functionName: 'create', args: [initCode] });
  const outcome = await harness.send(factory, data);
  const created = decodeFunctionResult({ abi, functionName: 'create', data: outcome.data });
  // Contracts start with nonce 0 before EIP-161.
  assert.equal(created, getContractAddress({ from: factory, nonce: 0n }));
  assert.equal(await harness.readCode(created), bytesToHex(LOGGER_RUNTIME));
  assert.deepEqual(outcome.logs[0]?.topics[1], pad(created.toLowerCase() as Hex));
});

test('factory: creates with CREATE2 at the EIP-1014 address, with value, and returns the zero address for a failure', async () => {
  const harness = await Harness.create(Hardfork.Osaka);
  const factory = await harness.deploy(FACTORY_INIT_CODE);
  const abi = parseAbi(FACTORY_ABI);
  const salt = keccak256('0x01');
  const initCode = '0x3452600060005260206000f3';
  const run = async (bytecode: Hex, value: bigint) => {
    const data = encodeFunctionData({ abi, functionName: 'create2', args: [salt, bytecode] });
    const outcome = await harness.send(factory, data, { value });
    return decodeFunctionResult({ abi, functionName: 'create2', data: outcome.data });
  };
  assert.equal(await run(initCode, 0n), `0x${'00'.repeat(20)}`);
  const working = toHex(SELFDESTRUCTOR_INIT_CODE);
  const expected = getContractAddress({ from: factory, opcode: 'CREATE2', salt, bytecode: working });
  assert.equal(await run(working, 5n), expected);
  assert.equal(await harness.readBalance(expected), 5n);
});

test('logger: emits logs with every number of topics on Frontier', async () => {
  const harness = await Harness.create(Hardfork.Chainstart);
  const address = await harness.deploy(LOGGER_INIT_CODE);
  const abi = parseAbi(LOGGER_ABI);
  const topics = [1, 2, 3, 4].map((n) => keccak256(toHex(n))) as [Hex, Hex, Hex, Hex];
  const [a, b, c, d] = topics;
  const calls = [
    encodeFunctionData({ abi, functionName: 'log0', args: [6n] }),
    encodeFunctionData({ abi, functionName: 'log1', args: [6n, a] }),
    encodeFunctionData({ abi, functionName: 'log2', args: [6n, a, b] }),
    encodeFunctionData({ abi, functionName: 'log3', args: [6n, a, b, c] }),
    encodeFunctionData({ abi, functionName: 'log4', args: [6n, a, b, c, d] }),
  ];
  const expected = calls.map((_, n) => ({ address, topics: topics.slice(0, n), data: pad('0x6') }));
  for (const [n, data] of calls.entries()) {
    assert.deepEqual((await harness.send(address, data)).logs, [expected[n]]);
  }
  const all = encodeFunctionData({ abi, functionName: 'logAll', args: [6n, a, b, c, d] });
  assert.deepEqual((await harness.send(address, all)).logs, expected);
});

test('selfdestructor: stores a word and ether, then pays the beneficiary', async () => {
  const harness = await Harness.create(Hardfork.Chainstart);
  const address = await harness.deploy(SELFDESTRUCTOR_INIT_CODE);
  const abi = parseAbi(SELFDESTRUCTOR_ABI);
  await harness.send(address, encodeFunctionData({ abi, functionName: 'write', args: [3n] }));
  assert.equal((await harness.send(address, '0x', { value: 40n })).error, undefined);
  assert.equal(BigInt((await harness.send(address, selectorData('read'))).data), 3n);
  const destroy = encodeFunctionData({ abi, functionName: 'destroy', args: [CAROL] });
  assert.equal((await harness.send(address, destroy, { value: 2n })).error, undefined);
  assert.equal(await harness.readBalance(CAROL), 42n);
});

test('delegate: executes calls of the delegated account itself, and of no other account', async () => {
  const harness = await Harness.create(Hardfork.Prague);
  const reverter = await harness.deploy(REVERTER_INIT_CODE);
  const abi = parseAbi(DELEGATE_ABI);
  const execute = (to: Hex, value: bigint, data: Hex): Hex =>
    encodeFunctionData({ abi, functionName: 'execute', args: [to, value, data] });
  await harness.writeCode(BOB, DELEGATE_RUNTIME);

  const pay = await harness.send(BOB, execute(CAROL, 12n, '0x'), { from: BOB });
  assert.equal(pay.error, undefined);
  assert.equal(await harness.readBalance(CAROL), 12n);
  const self = await harness.send(BOB, selectorData('self'));
  assert.equal(decodeFunctionResult({ abi, functionName: 'self', data: self.data }), getAddress(BOB));
  assert.equal(BigInt((await harness.send(BOB, selectorData('counter'))).data), 1n);
  assert.equal((await harness.send(BOB, '0x', { value: 1n })).error, undefined);

  const stranger = await harness.send(BOB, execute(ALICE, 1n, '0x'), { from: ALICE });
  assert.equal(stranger.error, 'revert');
  const nested = await harness.send(BOB, execute(reverter, 0n, selectorData('revertString')), { from: BOB });
  assert.deepEqual(decodeErrorResult({ abi: ERROR_ABI, data: nested.data }).args, [REVERT_REASON]);
  assert.equal(BigInt((await harness.send(BOB, selectorData('counter'))).data), 1n);
});

test('message service: accepts only increasing numbers', async () => {
  const harness = await Harness.create(Hardfork.London);
  const address = await harness.deploy(MESSAGE_SERVICE_INIT_CODE);
  const abi = parseAbi(MESSAGE_SERVICE_ABI);
  const read = async (): Promise<bigint> => BigInt((await harness.send(address, '0x9340a1d1')).data);
  const anchor = (number: bigint) =>
    harness.send(address, encodeFunctionData({ abi, functionName: 'anchor', args: [number] }));
  assert.equal(await read(), 0n);
  const outcome = await anchor(227_091n);
  assert.equal(outcome.logs[0]?.topics[1], pad(toHex(227_091n)));
  assert.equal(await read(), 227_091n);
  const again = await anchor(227_091n);
  assert.deepEqual(decodeErrorResult({ abi: ERROR_ABI, data: again.data }).args, [
    'message number is not newer',
  ]);
  assert.equal(await read(), 227_091n);
});
