import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hardfork } from '@ethereumjs/common';
import {
  concat,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  maxUint256,
  pad,
  parseAbi,
  stringToHex,
  toHex,
  zeroAddress,
} from 'viem';
import { createErc20InitCode, ERC20_ABI } from '../../scripts/contracts/erc20.ts';
import { ALICE, BOB, CAROL, Harness, ONE_ETHER, type Outcome } from './evm-harness.ts';

const ABI = parseAbi(ERC20_ABI);
const SUPPLY = 1_000_000n * ONE_ETHER;
const ERROR_ABI = parseAbi(['error Error(string)']);

async function deployToken(hardfork: Hardfork = Hardfork.Byzantium) {
  const harness = await Harness.create(hardfork);
  const initCode = createErc20InitCode({ name: 'Portcullis Token', symbol: 'PORT', supply: SUPPLY });
  const token = await harness.deploy(initCode);
  return { harness, token };
}

type Token = Awaited<ReturnType<typeof deployToken>>;

async function balanceOf({ harness, token }: Token, owner: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [owner] });
  const outcome = await harness.send(token, data, { isStatic: true });
  return decodeFunctionResult({ abi: ABI, functionName: 'balanceOf', data: outcome.data });
}

async function allowance({ harness, token }: Token, owner: Hex, spender: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'allowance', args: [owner, spender] });
  const outcome = await harness.send(token, data, { isStatic: true });
  return decodeFunctionResult({ abi: ABI, functionName: 'allowance', data: outcome.data });
}

function transfer({ harness, token }: Token, from: Hex, to: Hex, amount: bigint): Promise<Outcome> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [to, amount] });
  return harness.send(token, data, { from });
}

function approve({ harness, token }: Token, from: Hex, spender: Hex, amount: bigint): Promise<Outcome> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'approve', args: [spender, amount] });
  return harness.send(token, data, { from });
}

function transferFrom({ harness, token }: Token, by: Hex, from: Hex, to: Hex, amount: bigint) {
  const data = encodeFunctionData({ abi: ABI, functionName: 'transferFrom', args: [from, to, amount] });
  return harness.send(token, data, { from: by });
}

function assertTrue(outcome: Outcome): void {
  assert.equal(outcome.error, undefined);
  assert.equal(outcome.data, pad('0x1'));
}

function assertRefused(outcome: Outcome, reason: string): void {
  assert.equal(outcome.error, 'revert');
  assert.deepEqual(decodeErrorResult({ abi: ERROR_ABI, data: outcome.data }).args, [reason]);
}

test('metadata is returned', async () => {
  const { harness, token } = await deployToken();
  const read = async (functionName: 'name' | 'symbol' | 'decimals' | 'totalSupply') => {
    const { data } = await harness.send(token, encodeFunctionData({ abi: ABI, functionName }));
    return decodeFunctionResult({ abi: ABI, functionName, data });
  };
  assert.equal(await read('name'), 'Portcullis Token');
  assert.equal(await read('symbol'), 'PORT');
  assert.equal(await read('decimals'), 18);
  assert.equal(await read('totalSupply'), SUPPLY);
});

test('the creator has the whole supply', async () => {
  const deployed = await deployToken();
  assert.equal(await balanceOf(deployed, ALICE), SUPPLY);
  assert.equal(await balanceOf(deployed, BOB), 0n);
});

test('storage has the layout of Solidity', async () => {
  const deployed = await deployToken();
  await approve(deployed, ALICE, BOB, 5n);
  const entry = (key: Hex, slot: Hex): Hex => keccak256(concat([pad(key), pad(slot)]));
  const { harness, token } = deployed;
  assert.equal(await harness.readSlot(token, entry(ALICE, '0x00')), SUPPLY);
  assert.equal(await harness.readSlot(token, entry(BOB, entry(ALICE, '0x01'))), 5n);
  assert.equal(await harness.readSlot(token, '0x02'), SUPPLY);
  const symbol = pad(stringToHex('PORT'), { size: 32, dir: 'right' });
  assert.equal(await harness.readSlot(token, '0x04'), BigInt(symbol) + 8n);
});

test('transfer moves tokens and emits a log', async () => {
  const deployed = await deployToken();
  const outcome = await transfer(deployed, ALICE, BOB, 7n);
  assertTrue(outcome);
  assert.equal(await balanceOf(deployed, ALICE), SUPPLY - 7n);
  assert.equal(await balanceOf(deployed, BOB), 7n);
  assert.equal(outcome.logs.length, 1);
  const [log] = outcome.logs;
  assert.ok(log);
  assert.equal(log.address, deployed.token);
  assert.deepEqual(decodeEventLog({ abi: ABI, data: log.data, topics: log.topics as [Hex, ...Hex[]] }), {
    eventName: 'Transfer',
    args: { from: getAddress(ALICE), to: getAddress(BOB), amount: 7n },
  });
});

test('transfer to oneself changes nothing', async () => {
  const deployed = await deployToken();
  assertTrue(await transfer(deployed, ALICE, ALICE, SUPPLY));
  assert.equal(await balanceOf(deployed, ALICE), SUPPLY);
});

test('transfer accepts the whole balance and zero', async () => {
  const deployed = await deployToken();
  assertTrue(await transfer(deployed, ALICE, BOB, SUPPLY));
  assertTrue(await transfer(deployed, ALICE, BOB, 0n));
  assert.equal(await balanceOf(deployed, BOB), SUPPLY);
});

test('transfer of more than the balance is refused', async () => {
  const deployed = await deployToken();
  const reason = 'ERC20: transfer amount exceeds balance';
  assertRefused(await transfer(deployed, ALICE, BOB, SUPPLY + 1n), reason);
  assertRefused(await transfer(deployed, BOB, ALICE, 1n), reason);
  assertRefused(await transfer(deployed, ALICE, BOB, maxUint256), reason);
  assert.equal(await balanceOf(deployed, ALICE), SUPPLY);
});

test('approve sets the allowance and emits a log', async () => {
  const deployed = await deployToken();
  const outcome = await approve(deployed, ALICE, BOB, 10n);
  assertTrue(outcome);
  assert.equal(await allowance(deployed, ALICE, BOB), 10n);
  assert.equal(await allowance(deployed, BOB, ALICE), 0n);
  const [log] = outcome.logs;
  assert.ok(log);
  assert.deepEqual(decodeEventLog({ abi: ABI, data: log.data, topics: log.topics as [Hex, ...Hex[]] }), {
    eventName: 'Approval',
    args: { owner: getAddress(ALICE), spender: getAddress(BOB), amount: 10n },
  });
});

test('transferFrom spends the allowance', async () => {
  const deployed = await deployToken();
  await approve(deployed, ALICE, BOB, 10n);
  const outcome = await transferFrom(deployed, BOB, ALICE, CAROL, 4n);
  assertTrue(outcome);
  assert.equal(await allowance(deployed, ALICE, BOB), 6n);
  assert.equal(await balanceOf(deployed, CAROL), 4n);
  assert.equal(await balanceOf(deployed, ALICE), SUPPLY - 4n);
  const names = outcome.logs.map(
    ({ data, topics }) => decodeEventLog({ abi: ABI, data, topics: topics as [Hex, ...Hex[]] }).eventName,
  );
  assert.deepEqual(names, ['Approval', 'Transfer']);
  assertRefused(await transferFrom(deployed, BOB, ALICE, CAROL, 7n), 'ERC20: insufficient allowance');
});

test('transferFrom does not decrease the maximum allowance', async () => {
  const deployed = await deployToken();
  await approve(deployed, ALICE, BOB, maxUint256);
  assertTrue(await transferFrom(deployed, BOB, ALICE, CAROL, 4n));
  assert.equal(await allowance(deployed, ALICE, BOB), maxUint256);
});

test('a failed transferFrom restores the allowance', async () => {
  const deployed = await deployToken();
  await approve(deployed, BOB, ALICE, 10n);
  assertRefused(
    await transferFrom(deployed, ALICE, BOB, CAROL, 10n),
    'ERC20: transfer amount exceeds balance',
  );
  assert.equal(await allowance(deployed, BOB, ALICE), 10n);
});

test('the zero address can neither receive nor spend', async () => {
  const deployed = await deployToken();
  assertRefused(await transfer(deployed, ALICE, zeroAddress, 1n), 'ERC20: transfer to the zero address');
  assertRefused(await approve(deployed, ALICE, zeroAddress, 1n), 'ERC20: approve to the zero address');
});

test('malformed calls revert without data', async () => {
  const { harness, token } = await deployToken();
  const valid = encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [BOB, 1n] });
  const dirty = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [2n ** 160n, 1n]);
  const malformed: { data: Hex; value?: bigint }[] = [
    { data: '0x' },
    { data: '0xa9059c' },
    { data: toHex(0x12345678) },
    { data: valid.slice(0, -2) as Hex },
    { data: concat([valid.slice(0, 10) as Hex, dirty]) },
    { data: valid, value: 1n },
  ];
  for (const { data, value } of malformed) {
    const outcome = await harness.send(token, data, { value: value ?? 0n });
    assert.equal(outcome.error, 'revert', data);
    assert.equal(outcome.data, '0x', data);
  }
});

test('the same code runs on the newest revision', async () => {
  const deployed = await deployToken(Hardfork.Osaka);
  assertTrue(await transfer(deployed, ALICE, BOB, 1n));
});
