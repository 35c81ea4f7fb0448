/**
 * Latency of a state read at the head and 10,000 blocks back, over a generated store in which every account and slot changes all the time, the worst
 * case for history. Rounds of both are interleaved. BLOCKS (12,000), ROUNDS (61).
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { bigIntToBytes } from '../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../packages/ethereum/primitives/keccak.ts';
import type { StateChanges } from '../packages/evm/interpreter/host.ts';
import { createStateReader } from '../src/chains/embedded/state/state-reader.ts';
import { makeTemporaryFolder } from '../test/support/embedded.ts';
import { StateStore } from '../test/support/state-store.ts';
import { median } from './load.ts';

const BLOCKS = Number(process.env['BLOCKS'] ?? 12_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 61);
const BACK = 10_000;
const ACCOUNTS = 1_000;
const SLOTS_PER_ACCOUNT = 4;
const CHANGES_PER_BLOCK = 20;
const COMMIT_BLOCKS = 512;
const READS_PER_ROUND = 500;
const MEGABYTE = 1e6;

const word = (index: number): Uint8Array => keccak256(bigIntToBytes(BigInt(index + 1)));
const addresses = Array.from({ length: ACCOUNTS }, (_, index) => word(index).slice(0, 20));
const slots = Array.from({ length: SLOTS_PER_ACCOUNT }, (_, index) => word(ACCOUNTS + index));
const codeHash = word(-1);

/** Walks pseudo-randomly over the accounts and visits all of them. */
const accountAt = (step: number): Uint8Array => addresses[(step * 7_919) % ACCOUNTS] as Uint8Array;
const slotAt = (step: number): Uint8Array => slots[step % SLOTS_PER_ACCOUNT] as Uint8Array;

function describeBlock(number: number): StateChanges {
  const accounts = Array.from({ length: CHANGES_PER_BLOCK }, (_, index) => ({
    address: accountAt(number * CHANGES_PER_BLOCK + index),
    account: { nonce: BigInt(number), balance: 10n ** 18n + BigInt(number), codeHash },
    isStorageCleared: false,
    storage: slots.map((slot) => [slot, bigIntToBytes(2n ** 100n + BigInt(number))] as const),
  }));
  return { accounts, codes: [] };
}

function fillStore(store: StateStore): void {
  for (let number = 1; number <= BLOCKS; number++) {
    store.apply(describeBlock(number));
    store.seal();
    if (number % COMMIT_BLOCKS === 0 || number === BLOCKS) store.commit();
  }
}

/** Returns microseconds per read. */
function measure(read: (step: number) => unknown): number {
  const start = performance.now();
  for (let step = 0; step < READS_PER_ROUND; step++) {
    if (read(step) === undefined) throw new Error('the account is not there');
  }
  return ((performance.now() - start) * 1_000) / READS_PER_ROUND;
}

const folder = makeTemporaryFolder();
const store = new StateStore(folder.path);
fillStore(store);

const results = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round++) {
  for (const [place, block] of [
    ['head', BLOCKS],
    [`${BACK} back`, BLOCKS - BACK],
  ] as const) {
    const state = createStateReader(store.reader, BigInt(block));
    const kinds = [
      ['account', (step: number) => state.getAccount(accountAt(step))],
      ['slot of another account', (step: number) => state.getStorage(accountAt(step), slotAt(step))],
      ['slot of the same account', (step: number) => state.getStorage(accountAt(step >> 2), slotAt(step))],
    ] as const;
    for (const [kind, read] of kinds) {
      const name = `${kind}, ${place}`;
      results.set(name, [...(results.get(name) ?? []), measure(read)]);
      await turn();
    }
  }
}
for (const [name, times] of results) console.log(`${name}: ${median(times).toFixed(2)} us`);
const size = statSync(join(folder.path, 'data.mdb')).size;
const versions = BLOCKS * CHANGES_PER_BLOCK * (1 + SLOTS_PER_ACCOUNT);
console.log(
  `${BLOCKS} blocks, ${versions} versions of accounts and slots: ${(size / MEGABYTE).toFixed(0)} MB, ` +
    `${(size / versions).toFixed(0)} bytes a version`,
);
const slotTime = (place: string): number =>
  median(results.get(`slot of the same account, ${place}`) as number[]);
console.log(
  `a slot ${BACK} blocks back takes ${(slotTime(`${BACK} back`) / slotTime('head')).toFixed(2)} x the head's time`,
);
await store.close();
folder.remove();
