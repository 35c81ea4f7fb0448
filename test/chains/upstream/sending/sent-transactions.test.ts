/** Memory of sent transactions: each key has its own, independent of others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeTransaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import {
  MAX_SENT_OF_OWNER,
  SENT_LIFE_MS,
  type SentEntry,
  SentTransactions,
} from '../../../../src/chains/upstream/sending/sent-transactions.ts';
import { MAX_SESSIONS_OF_OWNER } from '../../../../src/chains/upstream/sending/sent-views.ts';
import type { RequestScope } from '../../../../src/util/request-scope.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { makeTransaction } from '../../../support/bad-transactions.ts';
import { hashOf } from '../../../support/fake-feed.ts';

const SENDER = `0x${'11'.repeat(20)}`;
const BYTES = makeTransaction({ chainId: 1n });
const TRANSACTION = decodeTransaction(BYTES);
const SHARED = hashOf(1);
const MIB = 1024 * 1024;

function scopeOf(owner: string, session?: string): RequestScope {
  const scope = createScope();
  scope.owner = owner;
  scope.session = session;
  return scope;
}

function send(
  sent: SentTransactions,
  hash: string,
  scope: RequestScope,
  bytes: Uint8Array = BYTES,
): SentEntry | undefined {
  return sent.add({ hash, sender: SENDER, transaction: TRANSACTION, bytes, isPrivate: false }, scope);
}

describe('sent transactions', () => {
  it('of a key remain if another key has sent the bytes first and many others after them', () => {
    const sent = new SentTransactions(() => 0);
    send(sent, SHARED, scopeOf('attacker'));
    send(sent, SHARED, scopeOf('victim'));
    for (let i = 0; i < 2 * MAX_SENT_OF_OWNER; i++) send(sent, hashOf(1_000 + i), scopeOf('attacker'));
    assert.equal(sent.find(scopeOf('attacker'), SHARED), undefined);
    assert.equal(sent.find(scopeOf('victim'), SHARED)?.owner, 'victim');
    assert.notEqual(sent.findNonce(scopeOf('victim'), SENDER, TRANSACTION.nonce), undefined);
    assert.equal(sent.size, 1 + MAX_SENT_OF_OWNER);
  });

  it('are visible to a key though 100 sessions and keys have sent the bytes before', () => {
    const sent = new SentTransactions(() => 0);
    for (let i = 0; i < 100; i++) {
      send(sent, SHARED, scopeOf('attacker', `session${i}`));
      send(sent, SHARED, scopeOf(`attacker${i}`));
    }
    send(sent, SHARED, scopeOf('victim'));
    assert.equal(sent.find(scopeOf('victim'), SHARED)?.owner, 'victim');
    assert.equal(sent.find(scopeOf('victim', 'other'), SHARED), undefined);
  });

  it('of several keys with the same bytes share the nodes that accepted them', () => {
    const sent = new SentTransactions(() => 0);
    const [one, two] = [send(sent, SHARED, scopeOf('one')), send(sent, SHARED, scopeOf('two'))];
    assert.equal(one?.takers, two?.takers);
    if (one !== undefined) sent.delete(one);
    assert.equal(sent.get(SHARED), two);
  });

  it('are visible to a bounded number of sessions of a key, the last that sent', () => {
    const sent = new SentTransactions(() => 0);
    const extra = 100;
    for (let i = 0; i < MAX_SESSIONS_OF_OWNER + extra; i++) {
      send(sent, SHARED, scopeOf('key', `session${i}`));
      // This session continues to send.
      send(sent, SHARED, scopeOf('key', 'steady'));
    }
    const sees = (session: string): boolean => sent.find(scopeOf('key', session), SHARED) !== undefined;
    assert.equal(sent.get(SHARED)?.viewers.size, MAX_SESSIONS_OF_OWNER);
    assert.deepEqual([sees('session0'), sees(`session${extra}`)], [false, false]);
    assert.deepEqual([sees(`session${extra + 1}`), sees('steady')], [true, true]);
  });

  it('release their part of the budget, however they end', () => {
    let now = 0;
    const sent = new SentTransactions(() => now);
    const large = new Uint8Array(MIB);
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 2_000; i++) send(sent, SHARED, scopeOf('key', `session${i}`));
      // A key may use a quarter of 64 MiB.
      for (let i = 0; i < 40; i++)
        assert.notEqual(send(sent, hashOf(10 + i), scopeOf('key', `s${i}`), large), undefined);
      assert.ok(sent.size <= 17, String(sent.size));
      if (round % 2 === 0) sent.clear();
      else now += SENT_LIFE_MS + 1;
    }
    for (let i = 0; i < 16; i++) assert.equal(sent.get(hashOf(10 + 39 - i)), undefined);
    for (let i = 0; i < 15; i++) send(sent, hashOf(100 + i), scopeOf('key'), large);
    assert.equal([...sent.takeSlots()].filter(({ bytes }) => bytes === large).length, 15);
  });

  it('are taken by key: each key has one before another has its second', () => {
    const sent = new SentTransactions(() => 0);
    for (let i = 0; i < 20; i++) send(sent, hashOf(100 + i), scopeOf('busy'));
    for (const owner of ['one', 'two']) send(sent, hashOf(200), scopeOf(owner));
    const owners = [...sent.takeSlots()].map(({ owner }) => owner);
    assert.deepEqual(owners.slice(0, 4), ['busy', 'one', 'two', 'busy']);
    assert.equal(owners.length, 22);
    // Each call continues where the last one stopped.
    const take = (count: number): string[] => {
      const hashes: string[] = [];
      for (const { owner, hash } of sent.takeSlots()) {
        if (owner === 'busy') hashes.push(hash);
        if (hashes.length === count) break;
      }
      return hashes;
    };
    assert.equal(new Set([...take(7), ...take(7), ...take(6)]).size, 20);
  });
});
