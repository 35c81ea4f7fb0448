/** Work of calls on proven state on the request thread, in total and within one turn of the event loop. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, mock, test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { BlockReference, CallRequest } from '../../../../src/chain/requests.ts';
import { ExecutionPool } from '../../../../src/chains/embedded/execution/execution-pool.ts';
import { toCallBytes } from '../../../../src/chains/embedded/execution/fast-path-job.ts';
import { Discoverer } from '../../../../src/chains/local-execution/remote/discover.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { SLOT_MS } from '../../../../src/util/slot-scheduler.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import { spin, watchTurns } from '../../../support/watch-turns.ts';
import { openRemote, type RemoteNetwork } from './remote-harness.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const word = (value: number): string => value.toString(16).padStart(64, '0');
/** Returns the balance of the account that the first word of the calldata names. */
const BALANCE = `0x${'a'.repeat(40)}`;
/** Reads one slot after another until its gas is used, from the first word of the calldata on, with 3,000 steps before each. */
const CHAIN = `0x${'b'.repeat(40)}`;
const SLOTS = 300;
const CALLS = 20;
const LIMIT_MS = 60_000;

const callOf = (to: string, at: number, block: BlockReference = LATEST): CallRequest => ({
  call: { to, data: `0x${word(at)}`, gas: '0x2faf080' },
  block,
});

/** Calls `work` before each slice and each discovery. */
function interpose(work: (what: 'slice' | 'discovery') => void): void {
  const { runHere } = ExecutionPool.prototype;
  const { discover } = Discoverer.prototype;
  mock.method(
    ExecutionPool.prototype,
    'runHere',
    function (this: ExecutionPool, ...args: Parameters<typeof runHere>) {
      work('slice');
      return runHere.apply(this, args);
    },
  );
  mock.method(
    Discoverer.prototype,
    'discover',
    function (this: Discoverer, ...args: Parameters<typeof discover>) {
      work('discovery');
      return discover.apply(this, args);
    },
  );
}

describe('calls on state that a node proves, and the event loop', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  let door: FaultUpstream;
  let network: RemoteNetwork;

  before(async () => {
    anvil = await startAnvil();
    const programs = {
      [BALANCE]: '0 CALLDATALOAD BALANCE 0 MSTORE 32 0 RETURN',
      [CHAIN]:
        '0 CALLDATALOAD walk: 3000 loop: 1 SWAP1 SUB DUP1 @loop JUMPI POP DUP1 SLOAD POP 1 ADD @walk JUMP',
    };
    for (const [address, source] of Object.entries(programs))
      await anvil.request('anvil_setCode', address, bytesToHex(assemble(source)));
    for (let slot = 1; slot <= SLOTS; slot++)
      await anvil.request('anvil_setStorageAt', CHAIN, `0x${word(slot)}`, `0x${word(slot)}`);
    // Each block has its own state root.
    for (let block = 1; block <= 4; block++) {
      await anvil.request('anvil_setBalance', BALANCE, `0x${block}`);
      await anvil.request('anvil_mine', '0x1');
    }
    door = await FaultUpstream.start(anvil.httpUrl);
  });
  after(async () => {
    await door.close();
    await anvil.kill();
  });
  beforeEach(async () => {
    // No node reports what a call reads.
    await door.setFault({
      concerns: ({ method }) => method === 'eth_createAccessList' || method === 'proof_call',
      answer: async () => ({ error: { code: -32601, message: 'the method does not exist' } }),
    });
    network = await openRemote(door.httpUrl);
    await network.ask('call', callOf(BALANCE, 1));
  });
  afterEach(async () => {
    mock.restoreAll();
    await network.close();
  });

  test('calls that wait for the same state continue in several scheduler slots', async () => {
    const watch = watchTurns();
    const counts = { slice: 0, discovery: 0 };
    interpose((what) => {
      counts[what]++;
      watch.note();
      spin(SLOT_MS + 0.1);
    });
    // Neither the header nor the state of the block is known yet.
    const block: BlockReference = { kind: 'number', number: 2n };
    const requests = Array.from({ length: CALLS }, () => callOf(BALANCE, 0x1234567, block));
    const requested = requests.map((request) => network.ask('call', request));
    for (const outcome of await Promise.all(requested)) assert.equal(outcome.result, `"0x${word(0)}"`);
    // One piece runs at the end of a turn of the event loop, and one at the beginning of the next.
    assert.ok(watch.end() <= 4, `${watch.end()} pieces in a turn, of ${JSON.stringify(counts)}`);
    assert.ok(counts.slice >= CALLS && counts.discovery >= CALLS / 2, JSON.stringify(counts));
  });

  test('calls without their state that are read in one turn run in several scheduler slots, except for the first', async () => {
    const watch = watchTurns();
    let slices = 0;
    interpose((what) => {
      if (what === 'slice') slices++;
      watch.note();
      spin(SLOT_MS + 0.1);
    });
    // The block is already known.
    const requested = Array.from({ length: CALLS }, () => network.ask('call', callOf(BALANCE, 0x7654321)));
    const atOnce = slices;
    const outcomes = await Promise.all(requested);
    const most = watch.end();
    for (const outcome of outcomes) assert.equal(outcome.result, `"0x${word(0)}"`);
    // The first call runs where it is read, and uses up its owner's share of this turn of the event loop.
    assert.equal(atOnce, 1);
    assert.ok(most <= 4, `${most} pieces in a turn`);
  });

  test('fast-path calls of an owner are not run at once after calls without their state in the same turn', () => {
    let slices = 0;
    interpose((what) => {
      if (what === 'slice') slices++;
      spin(SLOT_MS + 0.1);
    });
    const { callFastPath } = network.chain.execution;
    const ask = (account: number, owner: string): void => {
      const scope = new RequestScope(performance.now() + LIMIT_MS);
      scope.owner = owner;
      callFastPath?.(toCallBytes(callOf(BALANCE, account)) ?? assert.fail(), scope);
    };
    for (let account = 0; account < CALLS; account++) ask(0x5555_0000 + account, 'key a');
    assert.equal(slices, 1);
    // The first call of another owner runs at once.
    ask(0x6666_0000, 'key b');
    assert.equal(slices, 2);
  });

  test('a call of several slices continues on a thread, without slices after later round trips', async () => {
    const counts = { slice: 0, discovery: 0 };
    interpose((what) => {
      counts[what]++;
      spin(SLOT_MS);
    });
    const roundTrips = await network.countTrips(() => network.ask('call', callOf(CHAIN, 1)));
    assert.ok(roundTrips >= 6, `${roundTrips} trips, ${JSON.stringify(counts)}`);
    assert.ok(counts.slice + counts.discovery <= 5, `${JSON.stringify(counts)} in ${roundTrips} trips`);
  });
});
