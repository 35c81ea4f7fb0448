/** Blocks over which state is rolled forward, and when access lists are requested from nodes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  AccountAccess,
  BlockAccessList,
} from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  EMPTY_CODE_HASH,
  EMPTY_TRIE_ROOT,
  keccak256,
} from '../../../../packages/ethereum/primitives/keccak.ts';
import { RollForward } from '../../../../src/chains/local-execution/proven/roll-forward.ts';
import { RoundTrips } from '../../../../src/chains/local-execution/proven/round-trips.ts';
import type { HeadPlace, ListNodes } from '../../../../src/chains/local-execution/proven/state-nodes.ts';
import { createStateCache } from '../../../../src/chains/local-execution/proven/state-requests.ts';
import { addressAt } from './model-state.ts';

const ACCOUNT = addressAt(1);
const CODE = Uint8Array.of(1, 2, 3);
const KEYS = 100;

/** Place of a named block: `a5` is the block of height 5 on branch a; the parent of b5 is a4. */
function placeOf(name: string): HeadPlace {
  const height = Number(name.slice(1));
  const isFork = name[0] !== 'a' && name[1] === '5';
  return {
    number: BigInt(height),
    hash: name,
    // Blocks of the same height share a state root: a false block may have a true root.
    stateRoot: `root ${height}`,
    parentHash: `${isFork ? 'a' : name[0]}${height - 1}`,
    isCanonical: true,
    accessListHash: name,
  };
}

const change = (balance: bigint, rest: Partial<AccountAccess> = {}): BlockAccessList => [
  {
    address: hexToBytes(ACCOUNT),
    storageChanges: [],
    storageReads: [],
    balanceChanges: [
      { index: 0, value: 1n },
      { index: 2, value: balance },
    ],
    nonceChanges: [],
    codeChanges: [],
    ...rest,
  },
];

function openRolled() {
  const requested: string[] = [];
  const lists = new Map<string, BlockAccessList>();
  const state: { length: number; fails: boolean } = { length: 100, fails: false };
  const nodes: ListNodes = {
    findHeader: (_, hash) => placeOf(hash),
    async requestAccessList({ hash }) {
      requested.push(hash);
      if (state.fails) throw new Error('no node answers');
      return { list: lists.get(hash) ?? [], length: state.length };
    },
  };
  const proven = createStateCache({ bytes: 1 << 22, onFault: (error) => assert.fail(String(error)) });
  const { states, codes } = proven;
  const rollForward = new RollForward(nodes, states, codes, new RoundTrips());
  /** Notes the account as a proof at the block shows it. */
  const note = (name: string, balance: bigint): void =>
    states.proven.note(
      placeOf(name).stateRoot,
      { address: ACCOUNT, slots: [] },
      {
        account: { nonce: 1n, balance, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_TRIE_ROOT },
        words: [],
        nodes: new Map(),
      },
    );
  return {
    ...{ requested, lists, state, states, codes, note, rollForward },
    noteHead: (name: string): void => rollForward.noteHead(placeOf(name)),
    roll: (name: string, keys = KEYS): Promise<boolean> => rollForward.roll(placeOf(name), keys),
    balanceAt: (name: string): bigint | undefined => states.findAccount(placeOf(name), ACCOUNT)?.balance,
  };
}

describe('rolling forward', () => {
  test('starts at the last block with known state, and covers the blocks between', async () => {
    const { note, noteHead, roll, balanceAt, lists, requested, rollForward } = openRolled();
    note('a4', 40n);
    noteHead('a4');
    lists.set('a6', change(60n));
    assert.equal(await roll('a7'), true);
    assert.deepEqual(requested.sort(), ['a5', 'a6', 'a7']);
    assert.deepEqual([balanceAt('a4'), balanceAt('a5'), balanceAt('a7')], [40n, 40n, 60n]);
    assert.equal(await roll('a8'), true);
    assert.equal(requested.length, 4);
    assert.equal(rollForward.count, 2);
  });

  test('does not wait for a head that a newer one has followed meanwhile', async () => {
    const { note, noteHead, roll, balanceAt, lists } = openRolled();
    note('a4', 40n);
    noteHead('a4');
    lists.set('a5', change(50n));
    assert.deepEqual(await Promise.all([roll('a5'), roll('a6')]), [false, true]);
    assert.equal(balanceAt('a6'), 50n);
  });

  test('separates branches, whatever their state roots', async () => {
    const { note, roll, balanceAt, lists } = openRolled();
    note('a4', 40n);
    lists.set('a5', change(50n));
    lists.set('b5', change(55n));
    lists.set('b6', change(65n));
    for (const name of ['a5', 'b5', 'b6', 'a6']) assert.equal(await roll(name), true);
    assert.deepEqual(['a5', 'b5', 'b6', 'a6'].map(balanceAt), [50n, 55n, 65n, 50n]);
  });

  test('stores the codes that accounts receive', async () => {
    const { note, roll, states, codes, lists } = openRolled();
    note('a4', 40n);
    lists.set('a5', change(50n, { codeChanges: [{ index: 1, value: CODE }] }));
    await roll('a5');
    const hash = states.findAccount(placeOf('a5'), ACCOUNT)?.codeHash ?? EMPTY_BYTES;
    assert.deepEqual(hash, keccak256(CODE));
    assert.deepEqual(codes.find(bytesToHex(hash)), CODE);
  });

  test('requests nothing over more blocks than are remembered, or without known state', async () => {
    const { note, noteHead, roll, balanceAt, requested } = openRolled();
    assert.equal(await roll('a30'), false);
    note('a30', 1n);
    noteHead('a30');
    assert.equal(await roll('a47'), false);
    assert.deepEqual(requested, []);
    note('a47', 2n);
    for (let height = 48; height < 80; height++) assert.equal(await roll(`a${height}`), true);
    // Nothing was read at the blocks between, which are more than are remembered.
    assert.equal(balanceAt('a79'), undefined);
    assert.equal(balanceAt('a47'), 2n);
  });

  test('skips heads after failures, twice as many each time', async () => {
    const { note, roll, requested, state } = openRolled();
    state.fails = true;
    for (let height = 5; height < 25; height++) {
      note(`a${height - 1}`, 1n);
      assert.equal(await roll(`a${height}`), false);
    }
    assert.deepEqual(requested, ['a5', 'a7', 'a11', 'a19']);
  });

  test('requests long lists only if they replace as many proofs', async () => {
    const { note, roll, requested, state } = openRolled();
    state.length = 50_000;
    note('a4', 1n);
    assert.equal(await roll('a5', 10), true);
    note('a5', 1n);
    assert.equal(await roll('a6', 10), false);
    note('a6', 1n);
    assert.equal(await roll('a7', 100), true);
    assert.deepEqual(requested, ['a5', 'a7']);
  });

  test('removes an account that is emptied, and derives nothing for an account that was empty before', async () => {
    const { note, roll, states, lists } = openRolled();
    const empty = [{ index: 1, value: 0n }];
    note('a4', 40n);
    lists.set('a5', change(0n, { nonceChanges: empty }));
    await roll('a5');
    assert.equal(states.findAccount(placeOf('a5'), ACCOUNT), null);
    lists.set('a6', change(60n));
    await roll('a6');
    assert.equal(states.findAccount(placeOf('a6'), ACCOUNT)?.balance, 60n);
    assert.equal(states.findAccount(placeOf('a6'), ACCOUNT)?.nonce, 0n);
    const leaf = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_TRIE_ROOT };
    const request = { address: ACCOUNT, slots: [] };
    states.proven.note('root 7', request, { account: leaf, words: [], nodes: new Map() });
    await roll('a8');
    assert.equal(states.findAccount(placeOf('a8'), ACCOUNT), undefined);
  });
});
