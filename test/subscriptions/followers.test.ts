/** Tests that the checks of subscribers find each kind of fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../geth/requests/random.ts';
import { ancestorOf, type ForkBlock, ForkChain } from './chain/fork-chain.ts';
import type { Faults, Follower } from './clients/follower.ts';
import { HeadsFollower } from './clients/heads-follower.ts';
import { LogsFollower } from './clients/logs-follower.ts';

const SOUND: Faults = { lost: 0, doubled: 0, disordered: 0, kept: 0, refused: 0 };

/** Twelve blocks with logs, and a branch of four that replaced the last three. */
function createChain(): { readonly chain: ForkChain; readonly old: ForkBlock; readonly start: ForkBlock } {
  const chain = new ForkChain(new Random(1, 0), 2);
  const old = chain.extend(chain.genesis, 12);
  chain.extend(ancestorOf(old, 3), 4);
  return { chain, old, start: ancestorOf(old, 10) };
}

function listBetween(start: ForkBlock, end: ForkBlock): ForkBlock[] {
  const blocks: ForkBlock[] = [];
  for (let at: ForkBlock | undefined = end; at !== undefined && at.number > start.number; at = at.parent)
    blocks.unshift(at);
  return blocks;
}

const toHeader = ({ hash, number, parent }: ForkBlock, removed = false): object => ({
  hash,
  number: `0x${number.toString(16)}`,
  parentHash: parent?.hash,
  ...(removed && { removed }),
});
const toLogs = ({ logs }: ForkBlock, removed = false): object[] => {
  const results = logs.map(({ blockHash, blockNumber, logIndex }) => ({
    blockHash,
    blockNumber: `0x${blockNumber.toString(16)}`,
    logIndex: `0x${logIndex.toString(16)}`,
    removed,
  }));
  return removed ? results.reverse() : results;
};

const { chain, old, start } = createChain();
const before = listBetween(start, old);
const removed = before.slice(-3).reverse();
const after = listBetween(ancestorOf(chain.head, 4), chain.head);
const HEADERS = [
  ...before.map((block) => toHeader(block)),
  ...removed.map((block) => toHeader(block, true)),
  ...after.map((block) => toHeader(block)),
];
const LOGS = [
  ...before.flatMap((block) => toLogs(block)),
  ...removed.flatMap((block) => toLogs(block, true)),
  ...after.flatMap((block) => toLogs(block)),
];

function check(follower: Follower, results: readonly object[]): Faults {
  for (const result of results) follower.accept(result);
  follower.check(chain.head);
  return follower.faults;
}
const heads = (): Follower => new HeadsFollower('heads', 'afterHash', start);
const logs = (): Follower => new LogsFollower('logs', {}, start);

test('every step once and in order has no faults', () => {
  assert.deepEqual(check(heads(), HEADERS), SOUND);
  assert.deepEqual(check(logs(), LOGS), SOUND);
  const plain = new HeadsFollower('plain', 'none', start);
  const added = HEADERS.filter((header) => !('removed' in header));
  assert.deepEqual(check(plain, added), SOUND);
});

test('any omitted, repeated or swapped step is a fault', () => {
  for (const [create, results] of [
    [heads, HEADERS],
    [logs, LOGS],
  ] as const) {
    for (let at = 0; at < results.length; at++) {
      const omitted = check(create(), results.toSpliced(at, 1));
      assert.notDeepEqual(omitted, SOUND, `without ${at}`);
      const doubled = check(create(), results.toSpliced(at, 0, results[at] as object));
      assert.notDeepEqual(doubled, SOUND, `${at} twice`);
      if (at === 0) continue;
      const exchanged = results.toSpliced(at - 1, 2, results[at] as object, results[at - 1] as object);
      assert.notDeepEqual(check(create(), exchanged), SOUND, `${at} before ${at - 1}`);
    }
  }
});

test('logs before the start are removed once each if a reorg reaches below it', () => {
  const from = (number: number): Follower =>
    new LogsFollower('logs', {}, ancestorOf(old, old.number - number));
  for (let number = old.number - 2; number <= old.number; number++) {
    const results = LOGS.filter(
      (log) => (log as { removed: boolean }).removed || after.some(({ hash }) => hash === hashOf(log)),
    );
    const above = before.filter((block) => block.number > number).flatMap((block) => toLogs(block));
    assert.deepEqual(check(from(number), [...above, ...results]), SOUND, `from ${number}`);
    for (let at = 0; at < results.length; at++) {
      const doubled = results.toSpliced(at, 0, results[at] as object);
      assert.notDeepEqual(check(from(number), [...above, ...doubled]), SOUND, `from ${number}, ${at} twice`);
    }
    // Logs that are still on the chain must not be removed.
    const wrong = toLogs(ancestorOf(old, 3), true);
    assert.notDeepEqual(
      check(from(number), [
        ...above,
        ...results.slice(0, results.length - after.flatMap(({ logs: some }) => some).length),
        ...wrong,
        ...after.flatMap((block) => toLogs(block)),
      ]),
      SOUND,
    );
  }
});

test('a replaced start block moves the start to the common ancestor', () => {
  const base = ancestorOf(old, 3);
  for (const taken of [after, after.slice(1)]) {
    const follower = new LogsFollower('logs', {}, old);
    for (const block of taken) {
      follower.goTo(block);
      for (const log of toLogs(block)) follower.accept(log);
    }
    assert.equal(follower.start, base);
    follower.check(chain.head);
    assert.deepEqual(follower.faults.lost > 0, taken !== after);
    assert.equal(follower.faults.kept, 0);
  }
});

test('an interrupted subscription continues after its last complete block', () => {
  for (let at = 0; at <= LOGS.length; at++) {
    const follower = logs();
    for (const log of LOGS.slice(0, at)) follower.accept(log);
    follower.interrupt();
    const [, { afterHash }] = follower.params as ['logs', { readonly afterHash: string }];
    // Steps of the chain after that block.
    const isOrphan = removed.some(({ hash }) => hash === afterHash);
    const taken = removed.filter(({ number }) => isOrphan && number <= numberOf(afterHash));
    const base = taken.length > 0 ? ancestorOf(old, 3).number : numberOf(afterHash);
    const rest = listBetween(start, chain.head).filter(({ number }) => number > base);
    const results = [
      ...taken.flatMap((block) => toLogs(block, true)),
      ...rest.flatMap((block) => toLogs(block)),
    ];
    assert.deepEqual(check(follower, results), SOUND, `after ${at}`);
  }
});

function hashOf(log: object): string {
  return (log as { readonly blockHash: string }).blockHash;
}

function numberOf(hash: string): number {
  return [start, ...before, ...after].find((block) => block.hash === hash)?.number ?? -1;
}
