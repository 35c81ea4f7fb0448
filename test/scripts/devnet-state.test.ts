/** State changes of the devnet's blocks, read from the imported chain. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../scripts/assembler.ts';
import { FIRST_CHILD, SALTED_CHILD } from '../../scripts/chains/addresses.ts';
import { WITHDRAWAL_RECIPIENT } from '../../scripts/chains/devnet-paris.ts';
import { encodeWord } from '../../scripts/chains/encode-call.ts';
import type { Facts } from '../../scripts/chains/facts.ts';
import { selectorOf } from '../../scripts/contracts/abi.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { type EmbeddedChain, importEmbeddedChain } from '../support/embedded.ts';

const CHAINS = new URL('../../../chains/', import.meta.url);
const FACTS = (JSON.parse(readFileSync(new URL('facts.json', CHAINS), 'utf8')) as Facts).devnet;
const CALL_TIMEOUT_MS = 60_000;
const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;

let embedded: EmbeddedChain;
before(async () => {
  const pathOf = (file: string): string => fileURLToPath(new URL(`devnet/${file}`, CHAINS));
  embedded = await importEmbeddedChain(pathOf('genesis.json'), pathOf('blocks.rlp.gz'));
});
after(() => embedded.close());

/** Result of a call on the state after a block, as hex. */
async function callAt(number: number, request: Omit<CallRequest, 'block'>): Promise<string> {
  const scope = new RequestScope(performance.now() + CALL_TIMEOUT_MS);
  const block = { kind: 'number', number: BigInt(number) } as const;
  return JSON.parse((await embedded.chain.execution.call({ ...request, block }, scope)) as string) as string;
}

/** Result of a function without arguments; `0x` where there is no code. */
function readAt(number: number, to: string, signature: string): Promise<string> {
  return callAt(number, { call: { to, data: selectorOf(signature) } });
}

/** The account's balance, as returned by code put in its place for this call. */
async function balanceAt(number: number, address: string): Promise<bigint> {
  const code = bytesToHex(assemble('ADDRESS BALANCE 0 MSTORE 32 0 RETURN'));
  return BigInt(await callAt(number, { call: { to: address }, stateOverrides: { [address]: { code } } }));
}

function addressOf(wanted: string): string {
  return FACTS.accounts.find(({ name }) => name === wanted)?.address as string;
}

test('the uncle block of the facts has two uncles', async () => {
  const block = { kind: 'number', number: BigInt(FACTS.uncleBlock) } as const;
  const uncles = await Promise.all([0n, 1n, 2n].map((index) => embedded.chain.blocks.getUncle(block, index)));
  assert.deepEqual(
    uncles.map((uncle) => uncle !== null),
    [true, true, false],
  );
});

test('SELFDESTRUCT removes a contract, CREATE2 creates it again, and Cancun preserves it (EIP-6780)', async () => {
  const first = bytesToHex(FIRST_CHILD);
  assert.equal(BigInt(await readAt(4, first, 'read()')), 0n);
  assert.equal(await balanceAt(4, first), ETHER);
  assert.equal(await readAt(5, first, 'read()'), '0x');
  const salted = bytesToHex(SALTED_CHILD);
  for (const number of [18, 22, 45]) assert.equal(BigInt(await readAt(number, salted, 'read()')), 0n);
  assert.equal(await readAt(21, salted, 'read()'), '0x');
  assert.equal(await balanceAt(44, salted), ETHER);
  assert.equal(await balanceAt(45, salted), 0n);
});

test('the DAO fork moves ether without a transaction', async () => {
  const drained = '0x304a554a310c7e546dfe434669c62820b7d83490';
  const refund = '0xbf4ed7b27f1d666546e30d74d50d173d20bca754';
  assert.deepEqual([await balanceAt(5, drained), await balanceAt(5, refund)], [5n * ETHER, 0n]);
  assert.deepEqual([await balanceAt(6, drained), await balanceAt(6, refund)], [0n, 5n * ETHER]);
});

test('withdrawals are credited in gwei', async () => {
  const recipient = bytesToHex(WITHDRAWAL_RECIPIENT);
  assert.equal(await balanceAt(37, recipient), 0n);
  assert.equal(await balanceAt(38, recipient), 32n * ETHER);
  const later = 1n + 64_000n + 16_000n + 1_000_000n + 16_000n;
  assert.equal(await balanceAt(FACTS.headNumber, recipient), 32n * ETHER + later * GWEI);
});

test('accounts run code only while they are delegated', async () => {
  const [dave, erin] = [addressOf('dave'), addressOf('erin')];
  /** Result of `self()`, by which the delegate returns the address of the account that executes it. */
  const selfAt = (number: number, address: string): Promise<string> => readAt(number, address, 'self()');
  assert.equal(await selfAt(46, dave), '0x');
  assert.equal(BigInt(await selfAt(48, dave)), BigInt(dave));
  assert.equal(await selfAt(49, dave), '0x');
  assert.equal(await selfAt(48, erin), '0x');
  assert.equal(BigInt(await selfAt(FACTS.headNumber, erin)), BigInt(erin));
});

for (const number of [48, 53]) {
  test(`block ${number}: a call by a delegated account emits a log`, async () => {
    const block = { kind: 'number', number: BigInt(number) } as const;
    const receipts = JSON.parse((await embedded.chain.blocks.getReceipts(block)) as string) as {
      logs: unknown[];
    }[];
    assert.equal(receipts.flatMap(({ logs }) => logs).length, 1);
  });
}

test('the system contracts return a beacon root and a block hash', async () => {
  const parent = FACTS.headNumber - 1;
  const header = await embedded.chain.blocks.getHeader({ kind: 'number', number: BigInt(parent) });
  const ask = (to: string, word: bigint): Promise<string> =>
    callAt(FACTS.headNumber, { call: { to, data: bytesToHex(encodeWord(word)) } });
  assert.equal(await ask('0x0000f90827f1c53a10cb7a02335b175320002935', BigInt(parent)), header?.hash);
  const root = await ask('0x000f3df6d732807ef1319fb7b8bb8522d0beac02', header?.timestamp ?? 0n);
  assert.ok(BigInt(root) > 0n);
});
