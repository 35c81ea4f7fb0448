/**
 * CPU time of a proof at the head and below it: of the first proof at a block, which builds the block's tries, and of later ones. In the generated
 * store each block changes 100 accounts of 100,000 and 4 slots of half of them. ACCOUNTS (100,000), ROUNDS (5).
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { bigIntToBytes } from '../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../packages/ethereum/primitives/keccak.ts';
import type { StateChanges } from '../packages/evm/interpreter/host.ts';
import { EngineState } from '../src/chains/embedded/reads/state-reads.ts';
import { StoredBlocks } from '../src/chains/embedded/reads/stored-blocks.ts';
import { RequestScope } from '../src/util/request-scope.ts';
import { makeTemporaryFolder } from '../test/support/embedded.ts';
import { StateStore } from '../test/support/state-store.ts';
import { median } from './load.ts';

const ACCOUNTS = Number(process.env['ACCOUNTS'] ?? 100_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const DEPTH = 128;
const CHANGES_PER_BLOCK = 100;
const SLOTS_PER_ACCOUNT = 4;
const ACCOUNTS_PER_COMMIT = 10_000;
const PROOFS_PER_ROUND = 200;
const MEGABYTE = 1e6;

const word = (index: number): Uint8Array => keccak256(bigIntToBytes(BigInt(index + 1)));
const addressAt = (index: number): Uint8Array => word(index % ACCOUNTS).slice(0, 20);
const slots = Array.from({ length: SLOTS_PER_ACCOUNT }, (_, index) => word(ACCOUNTS + index));
const codeHash = word(-1);

function describeChange(index: number, value: number): StateChanges['accounts'][number] {
  return {
    address: addressAt(index),
    account: { nonce: BigInt(value), balance: 10n ** 18n + BigInt(value), codeHash },
    isStorageCleared: false,
    storage:
      index % 2 === 0 ? slots.map((slot) => [slot, bigIntToBytes(2n ** 100n + BigInt(value))] as const) : [],
  };
}

function addBlock(store: StateStore, indexes: readonly number[]): void {
  const value = Number(store.number);
  store.apply({ accounts: indexes.map((index) => describeChange(index, value)), codes: [] });
  store.seal(store.state.computeRoot());
  store.commit();
}

const folder = makeTemporaryFolder();
const store = new StateStore(folder.path);
const range = (from: number, length: number): number[] => Array.from({ length }, (_, index) => from + index);
for (let from = 0; from < ACCOUNTS; from += ACCOUNTS_PER_COMMIT) {
  addBlock(store, range(from, Math.min(ACCOUNTS_PER_COMMIT, ACCOUNTS - from)));
}
// The stride 7,919 is prime and keeps consecutive accounts far apart.
for (let block = 0; block < DEPTH; block++) {
  addBlock(
    store,
    range(block * CHANGES_PER_BLOCK, CHANGES_PER_BLOCK).map((index) => index * 7_919),
  );
}

const head = store.reader.head.header.number;
const texts = slots.map(bytesToHex);

/** Returns the CPU time of this process, milliseconds, which other programs do not affect. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Returns the longest time without a turn of the event loop until `work` completes, milliseconds of CPU time. */
async function watchTurns(work: unknown): Promise<number> {
  let isOver = false;
  const completed = Promise.resolve(work).finally(() => {
    isOver = true;
  });
  let longest = 0;
  for (let last = cpuTime(); !isOver; ) {
    await turn();
    const now = cpuTime();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await completed;
  return longest;
}

const results = new Map<string, number[]>();
const note = (name: string, value: number): void => {
  results.set(name, [...(results.get(name) ?? []), value]);
};

for (let round = 0; round < ROUNDS; round++) {
  for (const depth of [1, 16, DEPTH]) {
    const state = new EngineState(new StoredBlocks(store.reader), DEPTH);
    const scope = new RequestScope(performance.now() + 600_000);
    const number = head - BigInt(depth);
    const prove = (index: number): unknown =>
      state.getProof(bytesToHex(addressAt(index)), texts, { kind: 'number', number }, scope);
    const start = cpuTime();
    note(`longest turn of it, ms, ${depth} below the head`, await watchTurns(prove(0)));
    note(`first proof, ms, ${depth} below the head`, cpuTime() - start);
    const repeated = cpuTime();
    for (let index = 0; index < PROOFS_PER_ROUND; index++) await prove(index * 2);
    note(
      `further proof of an account and 4 slots, us, ${depth} below the head`,
      ((cpuTime() - repeated) * 1_000) / PROOFS_PER_ROUND,
    );
  }
  const state = new EngineState(new StoredBlocks(store.reader), DEPTH);
  const scope = new RequestScope(performance.now() + 600_000);
  const start = cpuTime();
  for (let index = 0; index < PROOFS_PER_ROUND; index++) {
    await state.getProof(bytesToHex(addressAt(index * 2)), texts, { kind: 'tag', tag: 'latest' }, scope);
  }
  note('proof of an account and 4 slots, us, at the head', ((cpuTime() - start) * 1_000) / PROOFS_PER_ROUND);
}
for (const [name, values] of results) console.log(`${name}: ${median(values).toFixed(1)}`);
const listed = range(Number(head) - DEPTH + 1, DEPTH).reduce((sum, block) => {
  const changes = store.reader.getChanges(BigInt(block));
  return sum + 4 + 20 * (changes?.accounts.length ?? 0) + 52 * (changes?.slots.length ?? 0);
}, 0);
const { size } = statSync(join(folder.path, 'data.mdb'));
console.log(
  `lists of the changes of ${DEPTH} blocks: ${(listed / MEGABYTE).toFixed(1)} MB of ${(size / MEGABYTE).toFixed(0)} MB`,
);
await store.close();
folder.remove();
