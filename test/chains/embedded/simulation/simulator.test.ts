/** However an execution ends, its EVM is free for the next execution and retains no state of it. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { BlockStateCalls, CallObject, StateOverrides } from '../../../../src/chain/requests.ts';
import { executeJob } from '../../../../src/chains/embedded/execution/execute-job.ts';
import {
  createExemptionFlag,
  ExecutionMemory,
} from '../../../../src/chains/embedded/execution/execution-memory.ts';
import type { CallJob } from '../../../../src/chains/embedded/execution/job.ts';
import type { Execution } from '../../../../src/chains/embedded/simulation/execution.ts';
import { StoredChain } from '../../../../src/chains/embedded/simulation/simulated-chain.ts';
import { Simulator } from '../../../../src/chains/embedded/simulation/simulator.ts';
import { type ChainReader, openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { type OpenedChain, openBuiltChain } from '../../../support/test-chain.ts';
import { buildCallChain, chainError, encodeCall, PROGRAM, REVERTER, withProgram } from '../call-harness.ts';

/** Each EVM is an instance of the core. */
const host = (globalThis as unknown as { WebAssembly: { Instance: new (module: object) => object } })
  .WebAssembly;

const MEMORY_LIMIT = 2 ** 20;
const OVER_LIMIT = chainError('failed', 'out of gas: memory limit of this service exceeded');
const GAS = '0xffffffff';
const ETHER = `0x${(10n ** 18n).toString(16)}`;

describe('simulator', () => {
  let opened: OpenedChain;
  let reader: ChainReader;
  let simulator: Simulator;
  before(async () => {
    const [genesis, builder] = await buildCallChain({ revision: 'prague' });
    opened = await openBuiltChain(genesis, builder);
    reader = openChainReader(opened.store);
  });
  beforeEach(() => {
    simulator = new Simulator(new StoredChain(reader), MEMORY_LIMIT);
  });
  after(async () => {
    await reader.close();
    await opened.close();
  });

  function begin(
    call: CallObject,
    stateOverrides?: StateOverrides,
    kind: CallJob['kind'] = 'call',
  ): Execution<string> {
    const request = { blockNumber: reader.head.header.number, isPending: false, call };
    return executeJob(simulator, {
      kind,
      store: opened.store,
      gasLimit: 30_000_000n,
      request: stateOverrides === undefined ? request : { ...request, stateOverrides },
    }) as Execution<string>;
  }

  function beginProgram(
    source: string,
    call: CallObject = {},
    kind: CallJob['kind'] = 'call',
  ): Execution<string> {
    return begin({ to: PROGRAM, gas: GAS, ...call }, withProgram(source).stateOverrides, kind);
  }

  function finish(execution: Execution<string>): string {
    while (true) {
      const { done, value } = execution.next();
      if (done) return value;
    }
  }

  function assertUsable(): void {
    assert.equal(BigInt(finish(begin({ to: REVERTER, data: encodeCall('ok()') }))), 42n);
  }

  /** Counts the EVMs that are created while `use` runs. */
  function countEvms(use: () => void): number {
    const { Instance } = host;
    let count = 0;
    host.Instance = class extends Instance {
      constructor(module: object) {
        super(module);
        count++;
      }
    };
    try {
      use();
    } finally {
      host.Instance = Instance;
    }
    return count;
  }

  test('uses one EVM for consecutive executions, however they end', () => {
    const halts: readonly (() => unknown)[] = [
      () => finish(begin({ to: REVERTER, data: encodeCall('fail()') })),
      () => finish(beginProgram('0 0 REVERT')),
      () => finish(beginProgram('INVALID')),
      () => finish(beginProgram('STOP', { gas: '0x1' })),
      () => finish(beginProgram('STOP', { value: ETHER })),
      () => finish(beginProgram('STOP', { value: ETHER }, 'estimate')),
      () => finish(beginProgram('INVALID', {}, 'estimate')),
      () => finish(begin({ to: PROGRAM }, { [PROGRAM]: { movePrecompileToAddress: REVERTER } })),
      () => finish(beginProgram('0x200000 MLOAD')),
    ];
    const count = countEvms(() => {
      assertUsable();
      for (const halt of halts) {
        assert.throws(halt, ChainError);
        assertUsable();
      }
    });
    assert.equal(count, 1);
  });

  test('frees the EVM of an execution that is abandoned at any pause, or before it began', () => {
    const count = countEvms(() => {
      for (let pauses = 0; pauses < 20; pauses++) {
        const kind = pauses % 2 === 0 ? 'call' : 'estimate';
        const execution = beginProgram('loop: 1 GAS SSTORE @loop JUMP', {}, kind);
        for (let i = 0; i < pauses; i++) assert.equal(execution.next().done, false);
        assert.equal(execution.return('given up').value, 'given up');
        assertUsable();
        // The write was rolled back.
        assert.equal(BigInt(finish(beginProgram('1 SLOAD 0 MSTORE 32 0 RETURN'))), 0n);
      }
    });
    assert.equal(count, 1);
  });

  test('uses one EVM for each concurrent execution, and caches four', () => {
    const count = countEvms(() => {
      for (let round = 0; round < 3; round++) {
        const executions = [1, 2, 3, 4, 5].map((n) =>
          beginProgram(`100000 loop: 1 SWAP1 SUB DUP1 @loop JUMPI ${n} 0 MSTORE 32 0 RETURN`),
        );
        for (const execution of executions) assert.equal(execution.next().done, false);
        assert.deepEqual(executions.map(finish).map(BigInt), [1n, 2n, 3n, 4n, 5n]);
      }
    });
    assert.equal(count, 7);
  });

  test('does not reuse an EVM after a fault of this program', () => {
    const broken = new Simulator(
      new StoredChain(
        Object.create(reader, {
          config: { value: reader.config },
          getHeader: { value: reader.getHeader.bind(reader) },
          getCode: { value: () => undefined },
          findAccount: { value: reader.findAccount.bind(reader) },
          findSlot: { value: reader.findSlot.bind(reader) },
        }) as ChainReader,
      ),
    );
    const request = { blockNumber: reader.head.header.number, isPending: false, call: { to: REVERTER } };
    const count = countEvms(() => {
      for (let i = 0; i < 3; i++) {
        const job = { kind: 'call', store: opened.store, gasLimit: 100_000n, request } as const;
        assert.throws(() => finish(executeJob(broken, job) as Execution<string>), /missing code/);
      }
    });
    assert.equal(count, 3);
  });

  test('computes a long hash in pieces, and can abandon it between them', () => {
    // The same number of bytes at another place has the same hash.
    const source = '0x100000 0 SHA3 0x100000 7 SHA3 EQ 0 MSTORE 32 0 RETURN';
    const large = new Simulator(new StoredChain(reader));
    const job = {
      kind: 'call',
      store: opened.store,
      gasLimit: 0n,
      request: {
        blockNumber: reader.head.header.number,
        isPending: false,
        call: { to: PROGRAM, gas: GAS },
        ...withProgram(source),
      },
    } as const;
    const givenUp = executeJob(large, job);
    for (let i = 0; i < 3; i++) assert.deepEqual(givenUp.next(), { done: false, value: 'sliceUsed' });
    givenUp.return('');
    const execution = executeJob(large, job);
    let pauses = 0;
    let step = execution.next();
    for (; !step.done; step = execution.next()) pauses++;
    assert.equal(BigInt(step.value as string), 1n);
    assert.ok(pauses >= 12, `${pauses} pauses`);
  });

  test('reads overrides, access lists and authorizations in pieces, and can abandon them between pieces', () => {
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
    const words = Array.from({ length: 2_000 }, (_, i) => word(i));
    const authorization = {
      chainId: '0x0',
      address: PROGRAM,
      nonce: '0x0',
      yParity: '0x0',
      r: '0x1',
      s: '0x1',
    };
    const slots = Object.fromEntries(words.map((slot) => [slot, word(1)]));
    const accounts = Object.fromEntries(
      words.map((key) => [`0x${key.slice(26)}`, { balance: '0x1' }] as const),
    );
    const plans: readonly (readonly [least: number, call: CallObject, overrides?: StateOverrides])[] = [
      [15, { to: REVERTER }, { [PROGRAM]: { stateDiff: slots } }],
      [15, { to: REVERTER }, { [PROGRAM]: { state: slots } }],
      [15, { to: REVERTER }, accounts],
      // Each slot is read and warmed.
      [6, { to: REVERTER, gas: GAS, accessList: [{ address: PROGRAM, storageKeys: words }] }],
      [5, { to: REVERTER, gas: GAS, authorizationList: new Array(40).fill(authorization) }],
      [3, { to: REVERTER, gas: GAS, blobVersionedHashes: new Array(2_000).fill(`0x01${word(1).slice(4)}`) }],
    ];
    for (const [least, call, overrides] of plans) {
      const request = { ...call, data: encodeCall('ok()') };
      const execution = begin(request, overrides);
      let pauses = 0;
      let step = execution.next();
      for (; !step.done; step = execution.next()) pauses++;
      assert.equal(BigInt(step.value), 42n);
      assert.ok(pauses >= least, `${pauses} pauses`);
      const givenUp = begin(request, overrides);
      for (let i = 0; i < least - 1; i++) assert.equal(givenUp.next().done, false);
      let end = givenUp.return('');
      while (!end.done) end = givenUp.next();
      assertUsable();
    }
  });

  test('reads, sorts, compares and encodes the provided list of an access list search in pieces', () => {
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
    const storageKeys = Array.from({ length: 6_000 }, (_, i) => word((i * 7_919) % 6_007));
    const call = { to: REVERTER, data: encodeCall('ok()'), gas: GAS };
    const search = (accessList: CallObject['accessList']): number => {
      const execution = begin(
        accessList === undefined ? call : { ...call, accessList },
        undefined,
        'accessList',
      );
      let pauses = 0;
      let step = execution.next();
      for (; !step.done; step = execution.next()) pauses++;
      const sorted = [...storageKeys].sort();
      const expected = accessList === undefined ? [] : [{ address: PROGRAM, storageKeys: sorted }];
      assert.deepEqual(JSON.parse(step.value).accessList, expected);
      return pauses;
    };
    const unlisted = search(undefined);
    const pauses = search([{ address: PROGRAM, storageKeys }]) - unlisted;
    // Each slot is read twice, collected twice, compared, warmed and encoded, and sorted with 12 comparisons.
    assert.ok(pauses >= (6 * 6_000 + 12 * 6_000) / 512, `${pauses} pauses`);
  });

  /** Simulates a block. @returns pauses, number of accounts and slots looked up in all, and the most between two pauses */
  function simulateBlock(block: BlockStateCalls): { pauses: number; all: number; most: number } {
    let lookups = 0;
    const counting = Object.create(reader, {
      config: { value: reader.config },
      head: { value: reader.head },
      getHeader: { value: reader.getHeader.bind(reader) },
      getCode: { value: reader.getCode.bind(reader) },
      getAccountNode: { value: reader.getAccountNode.bind(reader) },
      getStorageNode: { value: reader.getStorageNode.bind(reader) },
      findSlot: {
        value: (key: Uint8Array, number: number) => {
          lookups++;
          return reader.findSlot(key, number);
        },
      },
      findAccount: {
        value: (address: Uint8Array, number: number) => {
          lookups++;
          return reader.findAccount(address, number);
        },
      },
    }) as ChainReader;
    const execution = executeJob(new Simulator(new StoredChain(counting), MEMORY_LIMIT), {
      kind: 'blocks',
      store: opened.store,
      gasLimit: 30_000_000n,
      request: {
        blockNumber: reader.head.header.number,
        isPending: false,
        simulation: { blockStateCalls: [block] },
      },
    });
    let [pauses, all, most] = [0, 0, 0];
    let step = execution.next();
    for (; !step.done; step = execution.next()) {
      pauses++;
      all += lookups;
      most = Math.max(most, lookups);
      lookups = 0;
    }
    return { pauses, all, most };
  }

  test('pays withdrawals, and computes their state and roots, in pieces', () => {
    const count = 2_000;
    const withdrawals = Array.from({ length: count }, (_, i) => ({
      index: '0x0',
      validatorIndex: '0x0',
      address: `0x${(i + 1_000).toString(16).padStart(40, '0')}`,
      amount: '0x1',
    }));
    const { pauses, all, most } = simulateBlock({ blockOverrides: { withdrawals } });
    assert.ok(all >= count, `${all} accounts were looked up`);
    assert.ok(most <= 160, `${most} accounts were looked up in one piece`);
    // Withdrawals are decoded, paid, encoded and hashed by 64; hashed and sealed by 128; written to the state trie by 32; and sorted.
    assert.ok(pauses >= (3 * count) / 64 + count / 64 + count / 32, `${pauses} pauses`);
  });

  test('collects overrides of a simulated block in pieces', () => {
    const count = 2_000;
    const names = Array.from({ length: count }, (_, i) => (i + 1_000).toString(16));
    const balances = Object.fromEntries(
      names.map((name) => [`0x${name.padStart(40, '0')}`, { balance: '0x1' }]),
    );
    const word = (name: string): string => `0x${name.padStart(64, '0')}`;
    const stateDiff = Object.fromEntries(names.map((name) => [word(name), word('1')]));
    for (const stateOverrides of [balances, { [PROGRAM]: { stateDiff } }]) {
      const { all, most } = simulateBlock({ stateOverrides });
      assert.ok(all >= count, `${all} accounts and slots were looked up`);
      assert.ok(most <= 160, `${most} accounts and slots were looked up in one piece`);
    }
  });

  test('rolls a run back in pieces, when it fails and when it is over', () => {
    const large = new Simulator(new StoredChain(reader));
    const source = '0 loop: 1 ADD DUP1 DUP1 TSTORE DUP1 60000 GT @loop JUMPI';
    const run = (end: string, kind: CallJob['kind']): Execution<string> =>
      executeJob(large, {
        kind,
        store: opened.store,
        gasLimit: 30_000_000n,
        request: {
          blockNumber: reader.head.header.number,
          isPending: false,
          call: { to: PROGRAM },
          ...withProgram(`${source} ${end}`),
        },
      }) as Execution<string>;
    const execution = run('STOP', 'call');
    for (let i = 0; i < 150; i++) assert.equal(execution.next().done, false);
    let pieces = 0;
    let step = execution.return('');
    for (; !step.done; step = execution.next()) pieces++;
    assert.ok(pieces >= 1, `${pieces} pieces`);
    assert.equal(finish(run('STOP', 'call')), '0x');
    assert.ok(BigInt(finish(run('STOP', 'estimate'))) > 6_000_000n);
    assert.throws(
      () => finish(run('0 0 REVERT', 'call')),
      chainError('reverted', 'execution reverted', '0x'),
    );
  });

  test('an execution waits while others use the memory, and can be abandoned while it waits', () => {
    const large = new Simulator(new StoredChain(reader));
    const memory = new ExecutionMemory({
      threads: 1,
      thread: 1,
      ownerShare: 0.5,
      exemption: createExemptionFlag(),
    });
    const run = (): Execution<string> =>
      executeJob(
        large,
        {
          kind: 'call',
          store: opened.store,
          gasLimit: 0n,
          request: {
            blockNumber: reader.head.header.number,
            isPending: false,
            call: { to: PROGRAM, gas: GAS },
            ...withProgram(
              '0 loop: 0x100000 ADD 1 DUP2 MSTORE DUP1 0x2000000 GT @loop JUMPI MSIZE 0 MSTORE 32 0 RETURN',
            ),
          },
        },
        memory.lease('x'),
      ) as Execution<string>;
    const executions = Array.from({ length: 6 }, run);
    const results = new Map<Execution<string>, string>();
    const waited = new Set<Execution<string>>();
    while (results.size < executions.length) {
      for (const execution of executions) {
        if (results.has(execution)) continue;
        let step = execution.next();
        if (!step.done && step.value === 'memoryAwaited' && waited.size < executions.length) {
          waited.add(execution);
          // The first execution that waits is abandoned.
          if (waited.size === 1) step = execution.return('0x0');
        }
        if (step.done) results.set(execution, step.value);
      }
    }
    assert.ok(waited.size >= 2 && waited.size < executions.length, `${waited.size} waited`);
    const sizes = [...results.values()].filter((result) => BigInt(result) === 2n ** 25n + 32n);
    assert.equal(sizes.length, executions.length - 1);
  });

  test('does not cache an EVM that a call has made large', () => {
    const large = new Simulator(new StoredChain(reader));
    const run = (bytes: string): string =>
      finish(
        executeJob(large, {
          kind: 'call',
          store: opened.store,
          gasLimit: 0n,
          request: {
            blockNumber: reader.head.header.number,
            isPending: false,
            call: { to: PROGRAM, gas: GAS },
            ...withProgram(`1 ${bytes} MSTORE`),
          },
        }) as Execution<string>,
      );
    assert.equal(
      countEvms(() => ['0', '0x1000000', '0'].forEach(run)),
      1,
    );
    assert.equal(
      countEvms(() => ['0x2800000', '0', '0'].forEach(run)),
      1,
    );
  });

  test('copies large return data in pieces, without loss', () => {
    const large = new Simulator(new StoredChain(reader));
    const bytes = 3_000_000;
    const execution = executeJob(large, {
      kind: 'call',
      store: opened.store,
      gasLimit: 0n,
      request: {
        blockNumber: reader.head.header.number,
        isPending: false,
        call: { to: PROGRAM, gas: GAS },
        ...withProgram(`1 ${bytes - 32} MSTORE 2 ${bytes / 2} MSTORE ${bytes} 0 RETURN`),
      },
    });
    let pauses = 0;
    let step = execution.next();
    for (; !step.done; step = execution.next()) pauses++;
    assert.ok(pauses >= 5, `${pauses} pauses`);
    const output = step.value as unknown as Uint8Array;
    assert.equal(output.length, bytes);
    assert.deepEqual([output[bytes - 1], output[bytes / 2 + 31]], [1, 2]);
    assert.equal(
      output.reduce((sum, byte) => sum + byte, 0),
      3,
    );
  });

  test('announces a precompile that may take long', () => {
    // EIP-152: the first four bytes are the number of rounds.
    const source = '0x00030d40 224 SHL 0 MSTORE 64 0 213 0 9 GAS STATICCALL 0 MSTORE 32 0 RETURN';
    const execution = beginProgram(source);
    assert.deepEqual(execution.next(), { done: false, value: 'longStepAhead' });
    assert.equal(BigInt(finish(execution)), 1n);
    const direct = begin({
      to: `0x${'9'.padStart(40, '0')}`,
      data: `0x00030d40${'00'.repeat(209)}`,
      gas: GAS,
    });
    assert.deepEqual(direct.next(), { done: false, value: 'longStepAhead' });
    assert.equal(finish(direct).length, 130);
    const givenUp = beginProgram(source);
    givenUp.next();
    givenUp.return('');
    assertUsable();
  });

  test('counts the host’s work for an execution against its slices', () => {
    const countPauses = (execution: Execution<string>): number => {
      let count = 0;
      while (!execution.next().done) count++;
      return count;
    };
    // None uses the gas of one slice; the second reads the store 15 times.
    const loop = (body: string): string => `15 loop: ${body} 1 SWAP1 SUB DUP1 @loop JUMPI`;
    assert.equal(countPauses(beginProgram(loop('0 SLOAD POP'))), 0);
    assert.ok(countPauses(beginProgram(loop('DUP1 BALANCE POP'))) > 0);
    const recover = '0 0 128 0 1 GAS STATICCALL POP';
    assert.ok(countPauses(beginProgram(loop(recover))) > 10);
  });

  test('memory above the limit is out of gas, and the next call is answered', () => {
    const programs = {
      'one frame': '0x100000 MLOAD',
      'many frames':
        '0x40000 MLOAD POP 0 0 0 0 0 ADDRESS GAS CALL ISZERO @deepest JUMPI 0 0 RETURN deepest: 0x100000 MLOAD',
      'transient slots': '0 loop: 1 ADD 1 DUP2 TSTORE @loop JUMP',
      logs: 'loop: 0x80000 0 LOG0 @loop JUMP',
      'undo steps': '0 loop: 1 ADD DUP1 0 TSTORE @loop JUMP',
      'initialisation code': '0xc000 0x40000 0 CREATE POP 0x100000 MLOAD',
    };
    for (const [name, source] of Object.entries(programs)) {
      assert.throws(() => finish(beginProgram(source)), OVER_LIMIT, name);
      assertUsable();
    }
    const data = `0x${'00'.repeat(MEMORY_LIMIT)}`;
    assert.throws(() => finish(beginProgram('STOP', { data })), OVER_LIMIT);
    assert.throws(() => finish(beginProgram('STOP', { data }, 'estimate')), OVER_LIMIT);
    assert.throws(() => finish(beginProgram('0x100000 MLOAD', {}, 'estimate')), OVER_LIMIT);
    assertUsable();
  });

  test('grants memory up to the limit, for all frames together', () => {
    assert.equal(BigInt(finish(beginProgram('0xfff00 MLOAD 0 MSTORE 32 0 RETURN'))), 0n);
    // A frame that exceeds the memory limit ends the whole message: its caller must not mistake our limit for a failure of the callee.
    const outer = '0 0 0 0 0 ADDRESS GAS CALL 1 ADD 0 MSTORE 32 0 RETURN';
    const source = `CALLER ADDRESS EQ @inner JUMPI 0x80000 MLOAD POP ${outer} inner: SIZE MLOAD STOP`;
    assert.equal(BigInt(finish(beginProgram(source.replace('SIZE', '0x7f000')))), 2n);
    assert.throws(() => finish(beginProgram(source.replace('SIZE', '0x80000'))), /memory limit/);
  });
});
