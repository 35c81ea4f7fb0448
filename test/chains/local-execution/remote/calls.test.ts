import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { BlockReference, CallRequest } from '../../../../src/chain/requests.ts';
import { toCallBytes } from '../../../../src/chains/embedded/execution/fast-path-job.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import type { Call, Fault } from '../../../support/faults/fault.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { openRemote, type RemoteNetwork } from './remote-harness.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const addressOf = (digit: string): string => `0x${digit.repeat(40)}`;
const word = (value: bigint | number): string => `0x${value.toString(16).padStart(64, '0')}`;
/** Executes the code of the account in its slot 0 on its own storage. */
const PROXY = addressOf('a');
/** Returns the slot that the calldata names. */
const READER = addressOf('b');
/** Returns the slot that the calldata names, after the number of steps in the second word. */
const SLOW_READER = addressOf('c');
const REVERTER = addressOf('d');
const HASHER = addressOf('e');
const GREEDY = addressOf('f');
const WALKER = addressOf('9');
const CLEARER = addressOf('8');
const SENDER = addressOf('5');

const PROGRAMS: Readonly<Record<string, string>> = {
  [PROXY]: `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 SLOAD GAS DELEGATECALL POP
    RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 RETURN`,
  [READER]: '0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN',
  [SLOW_READER]:
    '32 CALLDATALOAD loop: 1 SWAP1 SUB DUP1 @loop JUMPI 0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN',
  // After the number of steps in the first word, reads the balances of as many accounts as the second word says, and returns their number.
  [WALKER]: `0 CALLDATALOAD loop: 1 SWAP1 SUB DUP1 @loop JUMPI POP
    32 CALLDATALOAD walk: DUP1 0x1000000 ADD BALANCE POP 1 SWAP1 SUB DUP1 @walk JUMPI 32 CALLDATALOAD 0 MSTORE 32 0 RETURN`,
  [CLEARER]: '32 CALLDATALOAD 0 CALLDATALOAD SSTORE STOP',
  [REVERTER]: '0 CALLDATALOAD SLOAD 0 MSTORE 32 0 REVERT',
  [HASHER]: '0 CALLDATALOAD NUMBER SUB BLOCKHASH 0 MSTORE 32 0 RETURN',
};
/** Stores block hashes in its slots (EIP-2935). */
const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935';
/** Account that WALKER reads `index` accounts before its last one. */
const walkedAccount = (index: number): string => `0x${(0x1000000 + index).toString(16).padStart(40, '0')}`;
const SLOTS = 40;
const PAUSE_MS = 10;
const LIMIT_MS = 60_000;

const callOf = (to: string, ...words: readonly (bigint | number)[]): CallRequest => ({
  call: { to, data: `0x${words.map((one) => word(one).slice(2)).join('')}` },
  block: LATEST,
});

const resultOf = (value: number): object => ({ result: `"${word(value)}"`, trust: 'single' });

/** Changes the node's results of one method. */
function alter(of: string, change: (result: Record<string, unknown>) => unknown): Fault {
  return {
    concerns: ({ method }) => method === of,
    async answer(call, ask) {
      const answer = await ask(call);
      return 'result' in answer ? { result: change(answer.result as Record<string, unknown>) } : answer;
    },
  };
}

type Header = { readonly hash: string; readonly parentHash: string };
type StorageProof = { readonly value: string; readonly proof: readonly string[] };
const alterSlots = (change: (proof: StorageProof) => object): Fault =>
  alter('eth_getProof', ({ storageProof, ...rest }) => ({
    ...rest,
    storageProof: (storageProof as StorageProof[]).map((proof) => ({ ...proof, ...change(proof) })),
  }));

/** JSON value that cannot be converted to text. */
const UNREADABLE: unknown = { toString: 1, valueOf: 1 };

const LIES: Readonly<Record<string, Fault>> = {
  'the value of a slot': alterSlots(() => ({ value: '0x1' })),
  'a slot that is said to be empty': alterSlots(() => ({ value: '0x0', proof: [] })),
  'a proof without its last node': alterSlots(({ proof }) => ({ proof: proof.slice(0, -1) })),
  'an account without storage': alter('eth_getProof', (result) => ({
    ...result,
    storageHash: `0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421`,
    storageProof: (result['storageProof'] as StorageProof[]).map((proof) => ({
      ...proof,
      value: '0x0',
      proof: [],
    })),
  })),
  'an account that is said not to be there': alter('eth_getProof', (result) => ({
    ...result,
    accountProof: [],
  })),
  'an object in place of a node of a proof': alter('eth_getProof', (result) => ({
    ...result,
    accountProof: [UNREADABLE],
  })),
  'another code': alter('eth_getCode', () => '0x600160005260206000f3' as never),
  'another state root': alter('eth_getBlockByNumber', (block) => ({ ...block, stateRoot: word(1) })),
};

describe('calls on state that a node proves', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  let door: FaultUpstream;
  let network: RemoteNetwork;
  const requested: string[] = [];
  /** Numbers of blocks that were requested. */
  const numbersAsked: bigint[] = [];

  before(async () => {
    anvil = await startAnvil();
    for (const [address, source] of Object.entries(PROGRAMS)) {
      await anvil.request('anvil_setCode', address, bytesToHex(assemble(source)));
      for (let slot = 1; slot <= SLOTS; slot++)
        await anvil.request('anvil_setStorageAt', address, word(slot), word(slot * 7));
    }
    await anvil.request('anvil_setStorageAt', PROXY, word(0), word(BigInt(READER)));
    await anvil.request('anvil_setBalance', SENDER, '0xde0b6b3a7640000');
    await anvil.request('anvil_mine', '0x120');
    door = await FaultUpstream.start(anvil.httpUrl);
  });
  after(async () => {
    await door.close();
    await anvil.kill();
  });
  beforeEach(async () => {
    await door.setFault({ concerns: note });
    network = await openRemote(door.httpUrl);
    requested.length = 0;
    numbersAsked.length = 0;
  });
  afterEach(() => network.close());

  /** Records the call, and never intercepts it. */
  function note({ method, params: [first] }: Call): boolean {
    requested.push(method);
    if (method === 'eth_getBlockByNumber' && String(first).startsWith('0x'))
      numbersAsked.push(BigInt(String(first)));
    return false;
  }
  /** Numbers of requested headers, except those near the head, which is followed continuously. */
  const farHeaders = (): readonly bigint[] => {
    const { number } = network.chain.heads.served ?? assert.fail();
    return numbersAsked.filter((each) => each < number - 50n);
  };
  const count = (method: string): number => requested.filter((one) => one === method).length;

  test('a first call takes at most three round trips, and its repetition none', async () => {
    const request = callOf(PROXY, 7);
    const cold = await network.countTrips(async () => {
      assert.deepEqual(await network.ask('call', request), resultOf(7 * 7));
    });
    assert.ok(cold >= 1 && cold <= 3, `${cold} trips`);
    assert.equal(await network.countTrips(() => network.ask('call', request)), 0);
    assert.equal(await network.countTrips(() => network.ask('estimateGas', request)), 0);
    assert.equal(await network.countTrips(() => network.ask('createAccessList', request)), 0);
    assert.equal(count('eth_call') + count('eth_estimateGas'), 0);
    assert.ok(count('eth_createAccessList') <= 1);
  });

  test('another slot of a known contract takes one round trip, and so does known state at the next block', async () => {
    await network.ask('call', callOf(PROXY, 1));
    assert.equal(await network.countTrips(() => network.ask('call', callOf(PROXY, 2))), 1);
    await mineAfter(() => anvil.request('anvil_setStorageAt', READER, word(9), word(1)));
    assert.ok((await network.countTrips(() => network.ask('call', callOf(PROXY, 1)))) <= 1);
    await mineAfter(() => anvil.request('anvil_setStorageAt', PROXY, word(2), word(1234)));
    const roundTrips = await network.countTrips(async () => {
      assert.deepEqual(await network.ask('call', callOf(PROXY, 2)), resultOf(1234));
    });
    assert.ok(roundTrips <= 1, `${roundTrips} trips`);
    await mineAfter(() => anvil.request('anvil_setStorageAt', PROXY, word(2), word(14)));
  });

  async function mineAfter(change: () => Promise<unknown>): Promise<void> {
    const { number } = network.chain.heads.served as { readonly number: bigint };
    await change();
    await anvil.request('anvil_mine', '0x1');
    await network.followTo(number + 1n);
  }

  test('a call parsed to bytes is answered synchronously if no state is missing, with the same answer', async () => {
    const { execution } = network.chain;
    const ask = (request: CallRequest): unknown => {
      const scope = new RequestScope(performance.now() + LIMIT_MS);
      const answer = execution.callFastPath?.(toCallBytes(request) ?? assert.fail(), scope);
      if (answer !== undefined) assert.equal(scope.trust, 'single');
      return answer;
    };
    const number = network.chain.heads.served?.number ?? assert.fail();
    for (const request of [
      callOf(PROXY, 12),
      { ...callOf(PROXY, 13), block: { kind: 'number', number } as const },
    ]) {
      assert.equal(ask(request), undefined);
      const { result } = await network.ask('call', request);
      assert.equal(await network.countTrips(async () => assert.equal(ask(request), result)), 0);
    }
    assert.equal(ask(callOf(REVERTER, 4)), undefined);
    await network.ask('call', callOf(REVERTER, 4));
    assert.throws(() => ask(callOf(REVERTER, 4)), { message: 'execution reverted', data: word(28) });
    assert.equal(ask({ ...callOf(PROXY, 12), block: { kind: 'number', number: number + 99n } }), undefined);
    assert.equal(count('eth_call'), 0);
  });

  test('state that calls read at one head is proven at the next head before any call', async () => {
    const warmed = async (heads: number): Promise<void> => {
      while ((network.chain.describe().provenState?.warmed ?? 0) < heads) await sleep(PAUSE_MS);
    };
    await network.ask('call', callOf(PROXY, 11));
    await mineAfter(() => anvil.request('anvil_setStorageAt', PROXY, word(11), word(4321)));
    await warmed(1);
    const roundTrips = await network.countTrips(async () => {
      assert.deepEqual(await network.ask('call', callOf(PROXY, 11)), resultOf(4321));
      assert.notEqual((await network.ask('estimateGas', callOf(PROXY, 11))).result, undefined);
    });
    assert.equal(roundTrips, 0);
    await mineAfter(() => anvil.request('anvil_setStorageAt', PROXY, word(11), word(77)));
    await warmed(2);
    assert.equal(await network.countTrips(() => network.ask('call', callOf(PROXY, 11))), 0);
  });

  test('calls after a reorg see the new blocks and their state', async () => {
    const source = '1 NUMBER SUB BLOCKHASH 0 MSTORE 5 SLOAD 32 MSTORE 64 0 RETURN';
    const request: CallRequest = {
      ...callOf(READER),
      stateOverrides: { [READER]: { code: bytesToHex(assemble(source)) } },
    };
    for (const value of [111, 112]) {
      await anvil.request('anvil_reorg', 2, []);
      await anvil.request('anvil_setStorageAt', READER, word(5), word(value));
      await anvil.request('anvil_mine', '0x1');
      const { hash, parentHash } = (await anvil.request('eth_getBlockByNumber', 'latest', false)) as Header;
      while (network.chain.heads.served?.hash !== hash) await sleep(PAUSE_MS);
      const { result } = await network.ask('call', request);
      assert.equal(result, `"${parentHash}${word(value).slice(2)}"`);
    }
    await mineAfter(() => anvil.request('anvil_setStorageAt', READER, word(5), word(35)));
    assert.ok(network.figures().executed >= 2);
  });

  test('concurrent calls request nothing twice', async () => {
    const request = callOf(PROXY, 3);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => network.ask('call', request)));
    for (const outcome of outcomes) assert.deepEqual(outcome, resultOf(21));
    // The proofs cover the sender, the proxy, and the proxy's delegate.
    assert.ok(count('eth_getProof') <= 6, `${count('eth_getProof')} proofs`);
  });

  test('a revert is returned with its data, without eth_call', async () => {
    const outcome = await network.ask('call', callOf(REVERTER, 4));
    assert.deepEqual(outcome, { error: 'execution reverted', data: word(28), trust: 'single' });
    assert.equal(count('eth_call'), 0);
  });

  test('overrides of accounts and of the block apply', async () => {
    const stateOverrides = {
      [READER]: { stateDiff: { [word(5)]: word(99) } },
      [HASHER]: { code: bytesToHex(assemble('CALLER BALANCE NUMBER ADD 0 MSTORE 32 0 RETURN')) },
      [SENDER]: { balance: '0x10' },
    };
    const read = { ...callOf(READER, 5), stateOverrides };
    assert.deepEqual(await network.ask('call', read), resultOf(99));
    assert.deepEqual(await network.ask('call', { ...callOf(READER, 6), stateOverrides }), resultOf(42));
    const call = { ...callOf(HASHER), stateOverrides, blockOverrides: { number: '0x5' } };
    const sent = { ...call, call: { ...call.call, from: SENDER } };
    assert.deepEqual(await network.ask('call', sent), resultOf(0x15));
    const cleared = { [READER]: { state: {} } };
    assert.deepEqual(
      await network.ask('call', { ...callOf(READER, 6), stateOverrides: cleared }),
      resultOf(0),
    );
    assert.equal(count('eth_call'), 0);
  });

  test('block hashes, creations and precompiles have the results of the node', async () => {
    for (const back of [1, 2, 200, 256, 257]) {
      const request = callOf(HASHER, back);
      const { result } = await network.ask('call', request);
      const theirs = await anvil.request('eth_call', request.call, 'latest');
      assert.equal(result, JSON.stringify(theirs), `${back} blocks before`);
    }
    const data = bytesToHex(assemble('ADDRESS 0 MSTORE 32 0 RETURN'));
    for (const call of [
      { from: SENDER, data },
      { to: '0x0000000000000000000000000000000000000002', data: '0x616263' },
      { from: SENDER, to: SENDER, value: '0x1' },
    ]) {
      const { result } = await network.ask('call', { call, block: LATEST });
      assert.equal(result, JSON.stringify(await anvil.request('eth_call', call, 'latest')));
    }
    assert.equal(network.figures().executed, 8);
  });

  test('an older block hash takes one proof of the history contract, and a recent one takes headers', async () => {
    const theirs = async (back: number): Promise<string> =>
      JSON.stringify(await anvil.request('eth_call', callOf(HASHER, back).call, 'latest'));
    await network.ask('call', callOf(HASHER, 1));
    requested.length = numbersAsked.length = 0;
    for (const back of [200, 201]) {
      assert.equal((await network.ask('call', callOf(HASHER, back))).result, await theirs(back));
      assert.equal(count('eth_getProof'), back - 199);
      assert.deepEqual(farHeaders(), []);
    }
    requested.length = 0;
    assert.equal((await network.ask('call', callOf(HASHER, 4))).result, await theirs(4));
    assert.equal(count('eth_getProof'), 0);
    assert.ok(count('eth_getBlockByNumber') >= 3);
  });

  test('an older block hash takes headers if nodes do not prove the history contract', async () => {
    const isHistory = ({ method, params }: Call): boolean =>
      method === 'eth_getProof' && String(params[0]).startsWith('0x0000f90827');
    await door.setFault({
      concerns: (call) => note(call) || isHistory(call),
      answer: async () => ({ error: { code: -32_603, message: 'distance to target block exceeds' } }),
    });
    const { result } = await network.ask('call', callOf(HASHER, 202));
    const told = await anvil.request('eth_call', callOf(HASHER, 202).call, 'latest');
    assert.equal(result, JSON.stringify(told));
    assert.equal(count('eth_call'), 0);
    assert.ok(count('eth_getBlockByNumber') >= 200, `${count('eth_getBlockByNumber')} headers`);
  });

  test('the block hashes of one call take a few proofs', async () => {
    const code = bytesToHex(
      assemble(
        '200 loop: DUP1 NUMBER SUB BLOCKHASH 0 MLOAD XOR 0 MSTORE 1 SWAP1 SUB DUP1 100 LT @loop JUMPI 32 0 RETURN',
      ),
    );
    const request: CallRequest = { ...callOf(READER), stateOverrides: { [READER]: { code } } };
    const told = JSON.stringify(
      await anvil.request('eth_call', request.call, 'latest', request.stateOverrides),
    );
    const proofs: (readonly string[])[] = [];
    await door.setFault({
      concerns(call) {
        if (call.method === 'eth_getProof' && call.params[0] === HISTORY)
          proofs.push(call.params[1] as string[]);
        return note(call);
      },
    });
    const attempt = async (): Promise<boolean> => {
      await network.close();
      network = await openRemote(door.httpUrl);
      requested.length = numbersAsked.length = proofs.length = 0;
      const roundTrips = await network.countTrips(async () => {
        assert.equal((await network.ask('call', request)).result, told);
      });
      assert.deepEqual(farHeaders(), []);
      // A round trip has one proof of all hashes missing by then, and no hash is in two. The number of round trips depends on how far a slice runs.
      assert.ok(
        proofs.length >= 1 && proofs.length <= roundTrips,
        `${proofs.length} proofs in ${roundTrips} trips`,
      );
      const slots = proofs.flat();
      assert.equal(new Set(slots).size, slots.length);
      assert.equal(count('eth_call'), network.figures().left['unsettled']);
      return count('eth_call') === 0;
    };
    // On a busy machine the slices of a call may end before it has run: it takes too many attempts, and a node executes it.
    await waitUntil(attempt);
  });

  test('a call that moves to a thread gets state that is missing there', async () => {
    const before = network.figures().executed;
    assert.deepEqual(await network.ask('call', callOf(SLOW_READER, 8, 1_000_000)), resultOf(56));
    assert.deepEqual(await network.ask('call', callOf(SLOW_READER, 9, 1_000_000)), resultOf(63));
    assert.equal(network.figures().executed - before, 2);
    assert.equal(count('eth_call'), 0);
  });

  test('a call that reads many accounts after its first slice runs locally, and its reads are known the next time', async () => {
    const before = network.figures().executed;
    for (const accounts of [40, 60]) {
      const request = callOf(WALKER, 600_000, accounts);
      assert.equal((await network.ask('call', request)).result, `"${word(accounts)}"`);
    }
    requested.length = 0;
    assert.equal((await network.ask('call', callOf(WALKER, 600_001, 60))).result, `"${word(60)}"`);
    // Head polling sends `eth_getBlockByNumber` continuously.
    assert.deepEqual(
      requested.filter((method) => method !== 'eth_getBlockByNumber'),
      [],
    );
    assert.equal(network.figures().executed - before, 3);
    assert.equal(network.figures().left['unsettled'], 0);
  });

  test('a slot that a transaction has cleared is zero, though anvil retains it in its trie', async () => {
    const send = (value: number): Promise<unknown> =>
      mineAfter(() =>
        anvil.request('eth_sendTransaction', {
          from: SENDER,
          to: CLEARER,
          data: `0x${word(3).slice(2)}${word(value).slice(2)}`,
        }),
      );
    await anvil.request('anvil_impersonateAccount', SENDER);
    await send(7);
    await send(0);
    const before = network.figures().executed;
    const read = { '0x0000000000000000000000000000000000000000': { code: '0x' } };
    const code = bytesToHex(assemble(PROGRAMS[READER] as string));
    const request = { ...callOf(CLEARER, 3), stateOverrides: { ...read, [CLEARER]: { code } } };
    assert.equal((await network.ask('call', request)).result, `"${word(0)}"`);
    assert.equal(network.figures().executed - before, 1);
    assert.deepEqual(network.figures().left['unproven'], 0);
  });

  test('with verify: require and local execution no node answers a call without proofs', async () => {
    await network.close();
    network = await openRemote(door.httpUrl, { execution: 'local', verify: 'require' });
    await door.setFault({
      concerns: (call) => note(call) || call.method === 'eth_getProof',
      answer: async () => ({ result: null }),
    });
    const { hash } = (await anvil.request('eth_getBlockByNumber', 'latest', false)) as Header;
    await network.followTo(1n);
    const block: BlockReference = { kind: 'hash', hash, requireCanonical: false };
    const { result, error } = await network.ask('call', { ...callOf(READER, 1), block });
    assert.equal(result, undefined);
    assert.match(
      String(error),
      /not verified, but verify: require demands it: no node proves the state that the call reads/,
    );
    assert.equal(count('eth_call'), 0);
  });

  test('an estimate is enough gas, and at most 2 % more than needed', async () => {
    const request = callOf(PROXY, 7);
    const { result = '' } = await network.ask('estimateGas', request);
    const gas = JSON.parse(result) as string;
    const withGas = (amount: number) =>
      anvil.request('eth_call', { ...request.call, gas: word(amount).replace(/^0x0+/, '0x') }, 'latest');
    assert.equal(await withGas(Number(gas)), word(49));
    assert.notEqual(await withGas(Math.floor(Number(gas) * 0.98)).catch(() => 'out of gas'), word(49));
  });

  test('calls on state that nodes do not prove any more are sent to nodes, and counted', async () => {
    await door.setFault({
      concerns: (call) => note(call) || call.method === 'eth_getProof',
      answer: async () => ({
        error: { code: -32_603, message: 'distance to target block exceeds maximum proof window' },
      }),
    });
    assert.deepEqual(await network.ask('call', callOf(READER, 1)), {
      result: `"${word(7)}"`,
      trust: 'single',
    });
    const { executed, left } = network.figures();
    assert.equal(executed, 0);
    assert.equal(left['unproven'], 1);
    // After three failures in a row the proofs of the block's state are no longer requested with each call.
    for (let i = 0; i < 2; i++) await network.ask('call', callOf(READER, 2));
    requested.length = 0;
    await network.ask('call', callOf(READER, 3));
    assert.deepEqual([count('eth_getProof'), network.figures().left['unproven']], [0, 4]);
  });

  test('calls that cannot be executed locally are sent to nodes', async () => {
    const pending: CallRequest = { ...callOf(READER, 1), block: { kind: 'tag', tag: 'pending' } };
    assert.equal((await network.ask('call', pending)).result, `"${word(7)}"`);
    const unpriced: CallRequest = {
      call: { ...callOf(READER, 1).call, from: SENDER, maxFeePerGas: '0xffffffffff' },
      block: LATEST,
    };
    assert.notEqual((await network.ask('createAccessList', unpriced)).result, undefined);
    const missing = await network.ask('call', {
      ...callOf(READER, 1),
      block: { kind: 'number', number: 99_999n },
    });
    assert.equal(missing.error, 'header not found');
    const { left, executed } = network.figures();
    assert.deepEqual({ ...left }, { block: 2, fees: 1, rules: 0, unproven: 0, unsettled: 0 });
    assert.equal(executed, 0);
  });

  test('a call that reads more than nodes should prove is sent to nodes', async () => {
    const code = bytesToHex(assemble('5000 loop: DUP1 SLOAD POP 1 SWAP1 SUB DUP1 @loop JUMPI STOP'));
    await mineAfter(() => anvil.request('anvil_setCode', GREEDY, code));
    await mineAfter(() => anvil.request('anvil_setStorageAt', GREEDY, word(1), word(1)));
    requested.length = 0;
    assert.equal((await network.ask('call', callOf(GREEDY))).result, '"0x"');
    assert.equal(network.figures().left['unsettled'], 1);
    assert.equal(count('eth_call'), 1);
    // The same call is not retried locally for a while; another call is.
    requested.length = 0;
    assert.equal((await network.ask('call', callOf(GREEDY))).result, '"0x"');
    assert.equal(network.figures().left['unsettled'], 2);
    assert.deepEqual([count('eth_getProof'), count('eth_createAccessList')], [0, 0]);
    assert.equal((await network.ask('call', callOf(READER, 5))).result, `"${word(35)}"`);
    assert.equal(network.figures().left['unsettled'], 2);
  });

  test('accounts and slots beyond the weight of the call are charged before they are requested', async () => {
    const [first, all, covered] = [150, 400, 32];
    // Each account has its own leaf: a proof of one account's absence would prove others too, as many as a slice leaves to the next one.
    await mineAfter(async () => {
      for (let i = 1; i <= all; i++) await anvil.request('anvil_setBalance', walkedAccount(i), '0x1');
    });
    /** A set, because a key may be requested from the node more than once. */
    const proven = new Set<string>();
    await door.setFault({
      concerns: ({ method, params }) => {
        if (method !== 'eth_getProof') return false;
        const [address, slots] = params as [string, readonly string[]];
        for (const key of [address, ...slots]) proven.add(key);
        return false;
      },
    });
    const paid: [keys: number, roundTrips: number][] = [];
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    scope.owner = 'payer';
    const paidKeys = (): number => paid.reduce((sum, [keys]) => sum + keys, 0);
    let unpaid = 0;
    scope.meter = { pay: (keys, roundTrips) => void paid.push([keys, roundTrips]), payFor: () => {} };
    await network.chain.execution.call(callOf(WALKER, 1, first), scope);
    assert.ok(proven.size >= first, `${proven.size} keys`);
    assert.equal(paidKeys(), proven.size - covered);
    // A key that cannot pay causes no further request, and its caller gets the meter's error.
    const refusal = new Error('no credits');
    scope.meter = {
      pay(keys) {
        unpaid += keys;
        throw refusal;
      },
      payFor: () => {},
    };
    await mineAfter(() => anvil.request('anvil_setBalance', SENDER, '0xde0b6b3a7640001'));
    await assert.rejects(
      Promise.resolve(network.chain.execution.call(callOf(WALKER, 1, all), scope)),
      refusal,
    );
    // Accounts read at the previous head are proven again at this head without charge to a call.
    const isFurther = new Set(Array.from({ length: all - first }, (_, i) => walkedAccount(first + 1 + i)));
    const further = [...proven].filter((key) => isFurther.has(key)).length;
    assert.ok(unpaid > 0 && further <= covered, `${further} further accounts`);
  });

  test('an access list that cannot be read is no hint, with or without proofs of state', async () => {
    const answers: Readonly<Record<string, object>> = {
      eth_createAccessList: { result: { accessList: [{ address: UNREADABLE, storageKeys: [] }] } },
      eth_getProof: { error: { code: -32601, message: 'the method does not exist' } },
    };
    const refuse = (methods: readonly string[]): Fault => ({
      concerns: ({ method }) => methods.includes(method),
      answer: async ({ method }) => answers[method] as { readonly result: unknown },
    });
    await door.setFault(refuse(['eth_createAccessList']));
    assert.equal((await network.ask('call', callOf(PROXY, 1))).result, `"${word(7)}"`);
    assert.equal(network.figures().executed, 1);
    await door.setFault(refuse(Object.keys(answers)));
    assert.equal((await network.ask('call', callOf(SLOW_READER, 2, 1))).result, `"${word(14)}"`);
    assert.deepEqual([network.figures().executed, network.figures().left['unproven']], [1, 1]);
  });

  for (const [name, lie] of Object.entries(LIES)) {
    test(`a false answer of a node is not accepted: ${name}`, async () => {
      const honest = await FaultUpstream.start(anvil.httpUrl);
      await door.setFault(lie);
      const both = await openRemote([door.httpUrl, honest.httpUrl]);
      try {
        for (const slot of [1, 2, 3]) {
          const outcome = await both.ask('call', callOf(PROXY, slot));
          assert.deepEqual(outcome, { result: `"${word(slot * 7)}"`, trust: 'proven' });
        }
        assert.equal(both.figures().executed, 3);
      } finally {
        await both.close();
        await honest.close();
      }
      const { result } = await network.ask('call', callOf(PROXY, 1));
      assert.equal(result, `"${word(7)}"`);
      assert.equal(network.figures().executed, 0);
    });
  }
});
