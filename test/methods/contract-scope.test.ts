import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { parseInSlices } from '../../packages/ethereum/primitives/parse-in-slices.ts';
import {
  scopeOfAccount,
  scopeOfAnything,
  scopeOfCall,
  scopeOfEstimate,
  scopeOfLogs,
  scopeOfNothing,
  scopeOfRecipient,
  scopeOfSimulation,
  scopeOfStorage,
} from '../../src/methods/contract-scope.ts';
import { createNodeMethod } from '../../src/methods/node-method.ts';
import { METHODS } from '../../src/methods/table.ts';
import { AUTHORIZATION, makeBlobTransaction, makeTransaction } from '../support/bad-transactions.ts';

const A = `0x${'aa'.repeat(20)}`;
const B = `0x${'bb'.repeat(20)}`;
/** Methods without an address parameter that return storage of any account. */
const HAVE_ALL_STORAGE = new Set(['eth_getBlockAccessList', 'debug_getRawBlockAccessList']);
const ADDRESS = /"0x[0-9a-f]{40}"/i;

describe('contract scope', () => {
  it('call: its recipient, and anything if state or block are overridden', () => {
    assert.deepEqual(scopeOfCall([{ to: A, from: B }]), [A]);
    assert.deepEqual(scopeOfCall([{ to: A }, 'latest', null, undefined]), [A]);
    assert.equal(scopeOfCall([{ to: A }, 'latest', { [A]: { code: '0x00' } }]), 'anything');
    assert.equal(scopeOfCall([{ to: A }, 'latest', null, { number: '0x1' }]), 'anything');
    for (const call of [{}, { to: null }, null, undefined, 'x', [A]]) {
      assert.equal((scopeOfCall([call]) as unknown[])[0] ?? undefined, undefined, JSON.stringify(call));
      assert.equal(scopeOfCall([call]).length, 1, 'a creation goes to no contract of a list');
    }
  });

  it('estimate on a rollup: overrides may be the second parameter', () => {
    assert.deepEqual(scopeOfEstimate([{ to: A }]), [A]);
    assert.deepEqual(scopeOfEstimate([{ to: A }, '0x7', null]), [A]);
    assert.equal(scopeOfEstimate([{ to: A }, { [A]: { code: '0x00' } }]), 'anything');
    assert.equal(scopeOfEstimate([{ to: A }, '0x7', { [A]: { code: '0x00' } }]), 'anything');
  });

  it('authorizations: the delegated contracts in calls, simulations and transactions', () => {
    const call = { to: A, authorizationList: [{ address: B, nonce: '0x0' }, {}] };
    assert.deepEqual(scopeOfCall([call]), [A, B, undefined]);
    assert.deepEqual(scopeOfSimulation([{ blockStateCalls: [{ calls: [call] }] }]), [A, B, undefined]);
    for (const authorizationList of [[], null, 'x', {}])
      assert.deepEqual(scopeOfCall([{ to: A, authorizationList }]), [A]);
    const [to, ...delegates] = scopeOfRecipient([
      bytesToHex(makeTransaction({ type: 4, authorizationList: [AUTHORIZATION] })),
    ]) as unknown[];
    assert.match(String(to), /^0x0{38}aa$/);
    assert.deepEqual(delegates, [bytesToHex(AUTHORIZATION.address)]);
  });

  it('lists longer than their bound are not iterated', () => {
    let reads = 0;
    /** Counts reads of its members. */
    const listOf = (length: number, member: unknown): readonly unknown[] =>
      new Proxy(Array(length).fill(member), {
        get(target, name, receiver) {
          if (name !== 'length') reads++;
          return Reflect.get(target, name, receiver);
        },
      });
    const simulate = (...calls: readonly unknown[]): unknown =>
      scopeOfSimulation([{ blockStateCalls: calls.map((list) => ({ calls: list })) }]);
    const authorizations = { to: A, authorizationList: listOf(8_193, { address: B }) };
    assert.equal(scopeOfLogs([{ address: listOf(1_001, A) }]), 'anything');
    assert.equal(scopeOfCall([authorizations]), 'anything');
    assert.equal(scopeOfSimulation([{ blockStateCalls: listOf(257, { calls: [] }) }]), 'anything');
    assert.equal(reads, 0);
    assert.equal(simulate([{ to: A }], listOf(100_000, { to: A })), 'anything');
    // The number equals both limits together.
    assert.ok(reads < 20_000, `${reads} reads`);
    assert.equal((scopeOfLogs([{ address: listOf(1_000, A) }]) as unknown[]).length, 1_000);
    assert.equal((simulate(listOf(5_000, { to: A }), listOf(5_000, { to: A })) as unknown[]).length, 10_000);
    const most = { to: A, authorizationList: listOf(8_192, { address: B }) };
    assert.equal((scopeOfCall([most]) as unknown[]).length, 8_193);
  });

  it('account: the first parameter, even if it is invalid', () => {
    assert.deepEqual(scopeOfAccount([A, 'latest']), [A]);
    assert.deepEqual(scopeOfAccount([]), [undefined]);
  });

  it('logs: all addresses of the filter, and anything without one', () => {
    assert.deepEqual(scopeOfLogs([{ address: A }]), [A]);
    assert.deepEqual(scopeOfLogs([{ address: [A, B] }]), [A, B]);
    for (const filter of [
      {},
      { address: null },
      { address: [] },
      { topics: [] },
      null,
      undefined,
      'x',
      [A],
    ]) {
      assert.equal(scopeOfLogs([filter]), 'anything', JSON.stringify(filter));
    }
  });

  it('storage: the accounts whose slots are requested', () => {
    assert.deepEqual(scopeOfStorage([{ [A]: ['0x0'], [B]: [] }, 'latest']), [A, B]);
    assert.equal(scopeOfStorage([]), 'anything');
    // A list of more accounts than one call may have is not read.
    const accounts = (count: number): unknown => {
      const members = Array.from({ length: count }, (_, i) => `"0x${i.toString(16).padStart(40, '0')}":[]`);
      const work = parseInSlices(`{${members.join()}}`);
      let step = work.next();
      while (step.done !== true) step = work.next();
      return step.value;
    };
    assert.equal(scopeOfStorage([accounts(8_192)]).length, 8_192);
    assert.equal(scopeOfStorage([accounts(8_193)]), 'anything');
  });

  it('simulation: the recipients of the calls of all blocks, and anything with overrides', () => {
    const calls = [{ to: A }, { to: B, from: A }];
    assert.deepEqual(scopeOfSimulation([{ blockStateCalls: [{ calls }, { calls: [{}] }] }]), [
      A,
      B,
      undefined,
    ]);
    for (const overrides of [{ stateOverrides: {} }, { blockOverrides: { number: '0x1' } }]) {
      assert.equal(scopeOfSimulation([{ blockStateCalls: [{ calls }, { ...overrides }] }]), 'anything');
    }
    assert.deepEqual(scopeOfSimulation([{ blockStateCalls: 'x' }]), []);
  });

  it('sent transaction: its recipient; anything for a creation or invalid bytes', () => {
    const to = '0x00000000000000000000000000000000000000aa';
    for (const type of [0, 1, 2, 3] as const) {
      assert.deepEqual(scopeOfRecipient([bytesToHex(makeTransaction({ type }))]), [to]);
    }
    assert.deepEqual(scopeOfRecipient([bytesToHex(makeBlobTransaction())]), [to]);
    const creation = bytesToHex(makeTransaction({ to: undefined }));
    for (const raw of [creation, '0x', '0x02', '0x2', 'x', '0xc0', '0x02c0', undefined, null, {}, 1]) {
      assert.equal(scopeOfRecipient([raw]), 'anything', String(raw));
    }
  });

  it('method of nodes that the service does not know: anything', () => {
    assert.equal(createNodeMethod('debug_traceCall', 'debug_*').contractScope([{ to: A }]), 'anything');
  });

  for (const { name, contractScope, example, sends = false } of METHODS) {
    it(`${name}: has a scope exactly if its parameters contain an address`, () => {
      // The recipient of a sent transaction is inside its bytes.
      const isAbout = sends || ADDRESS.test(JSON.stringify(example.params));
      if (HAVE_ALL_STORAGE.has(name)) assert.equal(contractScope, scopeOfAnything);
      else assert.equal(contractScope === scopeOfNothing, !isAbout);
      assert.doesNotThrow(() => [
        contractScope([]),
        contractScope([null, [], 1, '']),
        contractScope([{ to: {} }, {}]),
      ]);
    });
  }
});
