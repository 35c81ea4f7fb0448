/** Requests that readers of proven state cause, and requests that warm-up sends at new heads before them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { StateProofRequest } from '../../../../packages/proofs/state-proof.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import { RoundTrips } from '../../../../src/chains/local-execution/proven/round-trips.ts';
import type {
  HeadPlace,
  StateNodes,
  StatePlace,
} from '../../../../src/chains/local-execution/proven/state-nodes.ts';
import {
  createStateCache,
  StateRequests,
} from '../../../../src/chains/local-execution/proven/state-requests.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { watchTurns } from '../../../support/watch-turns.ts';
import { addressAt, ModelState, slotAt } from './model-state.ts';

const request = (address: string, ...slots: readonly string[]): StateProofRequest => ({ address, slots });
const slots = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => slotAt(i));
const failWith = (error: unknown): never => assert.fail(String(error));

/** Nodes that prove a model's state, with a record of their requests. */
function openModel(model: ModelState) {
  const requested: StateProofRequest[] = [];
  const roundTrips = new Set<object | undefined>();
  const state = { isDown: false, unprovable: '', reserved: Promise.resolve(), now: 0, proofMs: 0 };
  /** Holds answers back. @returns a function that releases them */
  const hold = (): (() => void) => {
    let release = (): void => {};
    state.reserved = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  const nodes: StateNodes = {
    async requestProof(requesting, _at, scope) {
      requested.push(requesting);
      roundTrips.add(scope.batch);
      await state.reserved;
      state.now += state.proofMs;
      if (state.isDown || requesting.address === state.unprovable)
        throw new ChainError('unavailable', 'no node answers');
      return model.prove(requesting);
    },
    requestCode: () => assert.fail('no code is needed'),
  };
  const proven = createStateCache({ bytes: 1 << 22, onFault: failWith });
  const requests = new StateRequests(nodes, proven, { maxWarmingMs: 600_000, now: () => state.now });
  return { requested, roundTrips, state, hold, requests };
}

const placeOf = (model: ModelState, number = 1n): HeadPlace => ({
  number,
  hash: model.stateRoot,
  stateRoot: model.stateRoot,
  isCanonical: true,
  parentHash: '',
  accessListHash: undefined,
});
const openScope = (): RequestScope => new RequestScope(performance.now() + 600_000);

describe('missing state', () => {
  test('of one account takes one request, of many accounts one round trip, and is not requested twice', async () => {
    const model = new ModelState();
    for (let i = 0; i < 20; i++) model.set(addressAt(i), [7n, 8n, 9n]);
    const { requested, roundTrips, requests } = openModel(model);
    const at = placeOf(model);
    const reads = Array.from({ length: 60 }, (_, i) =>
      requests.prove(request(addressAt(i % 20), slotAt(Math.floor(i / 20))), at, openScope()),
    );
    const found = await Promise.all(reads);
    for (const [i, values] of found.entries())
      assert.deepEqual(values?.words, [model.wordOf(addressAt(i % 20), slotAt(Math.floor(i / 20)))]);
    assert.equal(requested.length, 20);
    assert.equal(roundTrips.size, 1);
    const again = requests.prove(request(addressAt(3), ...slots(3)), at, openScope());
    assert.ok(!(again instanceof Promise));
    assert.deepEqual(again?.words, [7n, 8n, 9n]);
  });

  test('waits for round trips in flight, and is batched then', async () => {
    const model = new ModelState();
    for (let i = 0; i < 40; i++) model.set(addressAt(i), []);
    const { requested, roundTrips, hold, requests } = openModel(model);
    const at = placeOf(model);
    const reads: unknown[] = [];
    const read = (i: number): unknown => reads.push(requests.prove(request(addressAt(i)), at, openScope()));
    const answer = hold();
    for (let i = 0; i < 2; i++) {
      read(i);
      while (requested.length === i) await turn();
    }
    for (let i = 2; i < 40; i++) {
      read(i);
      await Promise.resolve();
    }
    answer();
    await Promise.all(reads);
    assert.equal(requested.length, 40);
    assert.equal(roundTrips.size, 3);
  });

  test('of more slots than one request may have takes several requests, and is returned in order', async () => {
    const model = new ModelState();
    const words = Array.from({ length: 300 }, (_, i) => BigInt(i + 1));
    model.set(addressAt(0), words);
    const { requested, requests } = openModel(model);
    const values = await requests.prove(request(addressAt(0), ...slots(300)), placeOf(model), openScope());
    assert.deepEqual(values?.words, words);
    assert.deepEqual(
      requested.map((one) => one.slots.length),
      [128, 128, 44],
    );
  });

  test('of many readers is looked up, requested and read over several turns of the event loop', async () => {
    const model = new ModelState();
    const count = 320;
    const words = Array.from({ length: count }, (_, i) => BigInt(i + 1));
    model.set(addressAt(0), words);
    const { requested, requests } = openModel(model);
    const watch = watchTurns();
    const { states } = requests.proven;
    const { findSlot } = states;
    states.findSlot = (...args) => {
      watch.note();
      // A look-up of 100 µs limits a turn of the event loop to about 20 look-ups.
      for (const until = performance.now() + 0.1; performance.now() < until; );
      return findSlot.apply(states, args);
    };
    // The account has to be known before its slots are looked up.
    await requests.prove(request(addressAt(0)), placeOf(model), openScope());
    const readers = Array.from({ length: 8 }, () =>
      requests.prove(request(addressAt(0), ...slots(count)), placeOf(model), openScope()),
    );
    for (const values of await Promise.all(readers)) assert.deepEqual(values?.words, words);
    const most = watch.end();
    // All readers make 2,560 look-ups; a step makes 32.
    assert.ok(most <= 4 * 32, `${most} look-ups in a turn`);
    assert.equal(requested.flatMap((one) => one.slots).length, count);
  });

  test('finds the request of a slot without a search, however many slots there are', async () => {
    const model = new ModelState();
    const count = 1_024;
    const words = Array.from({ length: count }, (_, i) => BigInt(i + 1));
    model.set(addressAt(0), words);
    const { requests } = openModel(model);
    const { has } = Set.prototype;
    let looks = 0;
    const watched = function (this: Set<unknown>, key: unknown): boolean {
      looks++;
      return has.call(this, key);
    };
    Set.prototype.has = watched;
    try {
      await requests.prove(request(addressAt(0), ...slots(count)), placeOf(model), openScope());
    } finally {
      Set.prototype.has = has;
    }
    assert.ok(looks <= 8 * count, `${looks} look-ups for ${count} slots`);
  });

  test('is correct if less of it is cached than was requested', async () => {
    const model = new ModelState();
    const words = Array.from({ length: 200 }, (_, i) => BigInt(i + 1));
    model.set(addressAt(0), words);
    const nodes: StateNodes = {
      requestProof: async (requesting) => model.prove(requesting),
      requestCode: () => assert.fail('no code is needed'),
    };
    const requests = new StateRequests(nodes, createStateCache({ bytes: 40_000, onFault: failWith }));
    for (let round = 0; round < 2; round++) {
      const values = await requests.prove(request(addressAt(0), ...slots(200)), placeOf(model), openScope());
      assert.deepEqual(values?.words, words);
      assert.equal(values?.account?.balance, model.balanceOf(addressAt(0)));
    }
  });

  test('fails for all waiting readers in an outage, and is requested again afterwards', async () => {
    const model = new ModelState();
    model.set(addressAt(0), []);
    const { state, requests } = openModel(model);
    state.isDown = true;
    const read = () => Promise.resolve(requests.prove(request(addressAt(0)), placeOf(model), openScope()));
    for (const { status } of await Promise.allSettled([read(), read()])) assert.equal(status, 'rejected');
    state.isDown = false;
    assert.equal((await read())?.account?.balance, model.balanceOf(addressAt(0)));
  });
});

describe('a new head', () => {
  test('needs far fewer proofs than accounts and slots that are read', async () => {
    const model = new ModelState();
    const [count, slotCount] = [300, 200];
    for (let i = 0; i < count; i++) model.set(addressAt(i), []);
    const contract = addressAt(count);
    const words = Array.from({ length: slotCount }, (_, i) => BigInt(i + 1));
    model.set(contract, words);
    const { requested, requests, state } = openModel(model);
    const readAll = async (at: StatePlace): Promise<void> => {
      const reads = Array.from({ length: count }, (_, i) => request(addressAt(i)));
      for (const each of [...reads, request(contract, ...slots(slotCount))]) {
        const values = await requests.prove(each, at, openScope());
        assert.equal(values?.account?.balance, model.balanceOf(each.address));
        assert.deepEqual(
          values?.words,
          each.slots.map((slot) => model.wordOf(each.address, slot)),
        );
      }
    };
    await readAll(placeOf(model));
    for (let number = 2n; number < 5n; number++) {
      requested.length = 0;
      for (let i = 0; i < 10; i++) model.set(addressAt(Number(number) * 20 + i), [], number);
      words[Number(number)] = 1_000n * number;
      model.set(contract, words);
      const at = placeOf(model, number);
      state.now += 2_000;
      requests.warmUp.noteHead(at);
      await readAll(at);
      while (requests.warmUp.count < Number(number) - 1) await turn();
      const slotsAsked = requested.reduce((sum, one) => sum + one.slots.length, 0);
      assert.ok(requested.length < count / 4, `${requested.length} proofs`);
      assert.ok(slotsAsked < slotCount / 2, `${slotsAsked} slots`);
    }
  });

  test('causes no requests once nothing is read at heads any more', async () => {
    const model = new ModelState();
    model.set(addressAt(0), []);
    const { requested, requests } = openModel(model);
    await requests.prove(request(addressAt(0)), placeOf(model), openScope());
    for (let number = 2n; number < 9n; number++) {
      model.set(addressAt(0), [], number);
      requests.warmUp.noteHead(placeOf(model, number));
      await requests.warmUp.findRound(model.stateRoot, request(addressAt(0)));
      await turn();
    }
    assert.ok(requested.length > 1 && requested.length < 5, `${requested.length} proofs`);
  });
});

const HEAD_MS = 10_000;

/** Notes heads at which accounts are read, and counts the requests to nodes at each head. */
async function countAtHeads(
  count: number,
  each: (number: number, opened: ReturnType<typeof openModel>) => void,
) {
  const model = new ModelState();
  for (let i = 0; i < 300; i++) model.set(addressAt(i), []);
  const opened = openModel(model);
  const { requested, requests, state } = opened;
  const counts: number[] = [];
  for (let number = 1; number <= count; number++) {
    for (let i = 0; i < 300; i++) requests.warmUp.noteRead(model.stateRoot, addressAt(i));
    for (let i = 0; i < 300; i++) model.set(addressAt(i), [], BigInt(number));
    requested.length = 0;
    state.now = Math.max(state.now, HEAD_MS * number);
    each(number, opened);
    requests.warmUp.noteHead(placeOf(model, BigInt(number)));
    for (let before = -1; requested.length > before; ) {
      before = requested.length;
      for (let i = 0; i < 50; i++) await turn();
    }
    counts.push(requested.length);
  }
  return counts;
}

describe('nodes', () => {
  test('that fail at a head are skipped by the warm-up at the next heads, more of them each time', async () => {
    const counts = await countAtHeads(17, (number, { state }) => {
      state.isDown = number < 17;
    });
    const failing = counts.flatMap((requested, index) => (requested === 0 ? [] : [index + 1]));
    assert.deepEqual(failing, [1, 3, 6, 11]);
    const back = await countAtHeads(4, (number, { state }) => {
      state.isDown = number === 1;
    });
    assert.deepEqual(
      back.map((requested) => requested > 0),
      [true, false, true, true],
    );
  });

  test('without a proof of one account are still requested to prove others at each head', async () => {
    const counts = await countAtHeads(8, (_, { state }) => {
      state.unprovable = addressAt(7);
    });
    for (const requested of counts) assert.ok(requested > 100, counts.join());
  });

  test('that are slow get requests in half of the time between heads, at each head', async () => {
    const counts = await countAtHeads(30, (_, { state }) => {
      state.proofMs = HEAD_MS / 200;
    });
    for (const requested of counts.slice(24)) assert.ok(requested >= 100 && requested < 200, counts.join());
    const quick = await countAtHeads(8, () => {});
    for (const requested of quick) assert.ok(requested >= 200, quick.join());
  });
});

const codeHash = `0x${'07'.repeat(32)}`;

describe('callers that wait for the same code', () => {
  /** Nodes that return a code when released, and fail at the deadline of the round trip. */
  const openCodes = () => {
    const requested: RequestScope[] = [];
    const state = { isSilent: true };
    const nodes: StateNodes = {
      requestProof: () => assert.fail('no proof is needed'),
      async requestCode(_address, _hash, _at, roundTrip) {
        requested.push(roundTrip);
        while (state.isSilent) {
          if (performance.now() >= roundTrip.deadline) throw new ChainError('timeout', 'the node is silent');
          await turn();
        }
        return Uint8Array.of(1);
      },
    };
    const requests = new StateRequests(nodes, createStateCache({ bytes: 1 << 20, onFault: failWith }));
    const ask = (scope: RequestScope): Promise<Uint8Array> =>
      Promise.resolve(requests.proveCode(addressAt(1), codeHash, placeOf(new ModelState()), scope));
    return { requested, state, ask };
  };
  const scopeFor = (ms: number): RequestScope => new RequestScope(performance.now() + ms);

  test('have their own deadlines: a failure at the deadline of the first is retried for the second', async () => {
    const { requested, state, ask } = openCodes();
    const first = ask(scopeFor(20));
    const second = ask(scopeFor(600_000));
    await assert.rejects(first, { kind: 'timeout' });
    while (requested.length < 2) await turn();
    state.isSilent = false;
    assert.deepEqual(await second, Uint8Array.of(1));
  });

  test('do not wait past their own deadlines', async () => {
    const { requested, state, ask } = openCodes();
    const first = ask(scopeFor(600_000));
    await assert.rejects(ask(scopeFor(20)), { kind: 'timeout' });
    state.isSilent = false;
    assert.deepEqual(await first, Uint8Array.of(1));
    assert.equal(requested.length, 1);
  });

  test('cause a request as long as one of them remains', async () => {
    const { requested, state, ask } = openCodes();
    state.isSilent = false;
    const [gone, left] = [openScope(), openScope()];
    const outcomes = [ask(gone), ask(left)];
    gone.abort();
    assert.deepEqual(await Promise.all(outcomes), [Uint8Array.of(1), Uint8Array.of(1)]);
    assert.equal(requested.length, 1);
    const { requested: none, ask: askNone } = openCodes();
    const last = openScope();
    const outcome = askNone(last);
    last.abort();
    await assert.rejects(outcome, { kind: 'aborted' });
    assert.equal(none.length, 0);
  });
});

describe('round trips', () => {
  const ask = (
    roundTrips: RoundTrips,
    owner: string,
    name: string,
    sent: string[][],
    reserved: Promise<void>,
  ): Promise<void> => {
    const scope = openScope();
    scope.owner = owner;
    return roundTrips.ask(scope, async (roundTrip) => {
      const names = (roundTrip.batch as { names?: string[] }).names ?? [];
      if (names.length === 0) sent.push(names);
      Object.assign(roundTrip.batch as object, { names });
      names.push(name);
      await reserved;
    });
  };

  test('have requests of one owner each, 64 at most', async () => {
    const roundTrips = new RoundTrips();
    const sent: string[][] = [];
    const many = Array.from({ length: 1_000 }, (_, i) =>
      ask(roundTrips, 'many', `many ${i}`, sent, Promise.resolve()),
    );
    const few = Array.from({ length: 3 }, (_, i) =>
      ask(roundTrips, 'few', `few ${i}`, sent, Promise.resolve()),
    );
    await Promise.all([...many, ...few]);
    assert.equal(sent.flat().length, 1_003);
    assert.ok(sent.every(({ length }) => length <= 64));
    assert.deepEqual(
      sent.find((names) => names.some((name) => name.startsWith('few'))),
      ['few 0', 'few 1', 'few 2'],
    );
    // It waits only for those of the other owner's round trips that are in flight.
    assert.ok(sent.findIndex(([name]) => name === 'few 0') <= 2);
    assert.deepEqual(
      sent.flat().filter((name) => name.startsWith('many')),
      Array.from({ length: 1_000 }, (_, i) => `many ${i}`),
    );
  });
});
