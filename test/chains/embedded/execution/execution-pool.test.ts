import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { EngineChain } from '../../../../src/chains/embedded/engine-chain.ts';
import type { ExecutionPoolOptions } from '../../../../src/chains/embedded/execution/execution-pool.ts';
import { DEFAULT_POOL, ExecutionPool } from '../../../../src/chains/embedded/execution/execution-pool.ts';
import { HeavyCalls } from '../../../../src/chains/embedded/execution/heavy-calls.ts';
import type { Job } from '../../../../src/chains/embedded/execution/job.ts';
import type { SimulationKind } from '../../../../src/chains/embedded/simulation/call-environment.ts';
import { StoredChain } from '../../../../src/chains/embedded/simulation/simulated-chain.ts';
import {
  type Simulation,
  type SimulationRequest,
  Simulator,
} from '../../../../src/chains/embedded/simulation/simulator.ts';
import { openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import type { RequestScope } from '../../../../src/util/request-scope.ts';
import { VALID_INPUTS } from '../../../packages/evm/interpreter/precompiles/inputs.ts';
import { limitTo, type OpenedChain, openBuiltChain, ownedBy } from '../../../support/test-chain.ts';
import { spin } from '../../../support/watch-turns.ts';
import { buildCallChain, chainError, encodeCall, PROGRAM, REVERTER, withProgram } from '../call-harness.ts';

const LATEST = { kind: 'tag', tag: 'latest' } as const;
const GAS = '0xffffffff';
/** Hashes 22 GB, which takes about a minute. */
const ENDLESS: CallRequest = {
  block: LATEST,
  call: { to: PROGRAM, gas: GAS },
  ...withProgram('loop: 10240 0 SHA3 POP @loop JUMP'),
};
const SHORT: CallRequest = { block: LATEST, call: { to: REVERTER, data: encodeCall('ok()') } };
/** Counts its calldata's first word down to zero, then returns it. */
const COUNTDOWN = withProgram(
  '0 CALLDATALOAD loop: 1 SWAP1 SUB DUP1 @loop JUMPI 0 CALLDATALOAD 0 MSTORE 32 0 RETURN',
);
const PATIENCE_MS = 60_000;
/** Two pairs, and code that doubles them in memory to 16,384. */
const PAIRS = VALID_INPUTS.get(8) as Uint8Array;
const DOUBLED = 13;
const DOUBLINGS = Array.from(
  { length: DOUBLED },
  (_, i) => `${PAIRS.length << i} 0 ${PAIRS.length << i} MCOPY`,
).join('\n');

/** Counts executions that begin on its thread. */
class CountingSimulator extends Simulator {
  opened = 0;

  override open(request: SimulationRequest, kind: SimulationKind): Simulation {
    this.opened++;
    return super.open(request, kind);
  }
}

const OPTIONS = { ...DEFAULT_POOL, threads: 1, queueLimit: 64 } as const;

function countDown(from: number): CallRequest {
  const data = `0x${from.toString(16).padStart(64, '0')}`;
  return { block: LATEST, call: { to: PROGRAM, gas: GAS, data }, ...COUNTDOWN };
}

describe('execution pool', () => {
  let opened: OpenedChain;
  before(async () => {
    const [genesis, builder] = await buildCallChain({ revision: 'prague' });
    opened = await openBuiltChain(genesis, builder);
  });
  after(() => opened.close());

  type Send = (request: CallRequest, scope?: RequestScope) => Promise<string>;

  /** Runs `use` with a separate pool over the same store. */
  async function usePool(
    options: Partial<ExecutionPoolOptions>,
    use: (ask: Send, pool: ExecutionPool, faults: string[], chain: EngineChain) => Promise<void>,
  ): Promise<void> {
    const faults: string[] = [];
    const pool = new ExecutionPool({ ...OPTIONS, onFault: (fault) => faults.push(fault), ...options });
    const chain = new EngineChain(opened.store, pool);
    const ask: Send = async (request, scope = limitTo(PATIENCE_MS)) =>
      JSON.parse((await chain.execution.call(request, scope)) as string) as string;
    try {
      await use(ask, pool, faults, chain);
    } finally {
      await pool.close();
      await chain.close();
    }
  }

  const isTimeout = (error: unknown): boolean =>
    error instanceof ChainError &&
    error.kind === 'timeout' &&
    /^execution aborted \(timeout = /.test(error.message);

  test('answers a short call synchronously, without a thread', async () => {
    await usePool({}, async (_ask, pool, faults, chain) => {
      const answer = chain.execution.call(SHORT, limitTo(PATIENCE_MS));
      assert.equal(typeof answer, 'string');
      assert.equal(BigInt(JSON.parse(answer as string)), 42n);
      const failing = { ...SHORT, ...withProgram('INVALID'), call: { to: PROGRAM } };
      assert.throws(
        () => chain.execution.call(failing, limitTo(PATIENCE_MS)),
        chainError('failed', 'invalid opcode: INVALID'),
      );
      assert.equal(pool.size, 0);
      assert.deepEqual(faults, []);
    });
  });

  test('moves a long call to a thread, with the same answer', async () => {
    await usePool({}, async (ask, pool, faults, chain) => {
      const answer = chain.execution.call(countDown(3_000_000), limitTo(PATIENCE_MS));
      assert.ok(answer instanceof Promise);
      assert.equal(BigInt(JSON.parse((await answer) as string)), 3_000_000n);
      assert.equal(pool.size, 1);
      // Calls of the same shape begin there at once; the short ones among them still succeed.
      assert.equal(BigInt(await ask(countDown(1))), 1n);
      const scope = limitTo(PATIENCE_MS);
      const failing = { ...ENDLESS, call: { to: PROGRAM, gas: '0x1c9c380' } };
      await assert.rejects(
        async () => chain.execution.call(failing, scope),
        chainError('failed', 'out of gas'),
      );
      await assert.rejects(
        async () => chain.execution.estimateGas(failing, scope),
        chainError('failed', 'gas required exceeds allowance (30000000)'),
      );
      assert.equal(pool.size, 1);
      assert.deepEqual(faults, []);
    });
  });

  test('starts calls of a repeatedly heavy shape on a thread, with the same answers', async () => {
    const pool = new ExecutionPool({ ...OPTIONS, onFault: (fault) => assert.fail(fault) });
    const reader = openChainReader(opened.store);
    const simulator = new CountingSimulator(new StoredChain(reader));
    const count = (from: number): Promise<string> => {
      const { call, stateOverrides } = countDown(from);
      const request = { blockNumber: 0n, isPending: false, call, stateOverrides: stateOverrides ?? {} };
      const job: Job = { kind: 'call', store: opened.store, gasLimit: 0n, request };
      return Promise.resolve(pool.run(job, simulator, limitTo(PATIENCE_MS))) as Promise<string>;
    };
    // Three heavy calls are enough to move the shape, but that record expires when the machine is slow.
    let isMoved = false;
    for (let i = 0; i < 100 && !isMoved; i++) {
      const before = simulator.opened;
      assert.equal(BigInt(await count(1_000_000)), 1_000_000n);
      isMoved = simulator.opened === before;
    }
    assert.ok(isMoved);
    assert.ok(simulator.opened >= 3);
    // Light calls of the same shape run there too, until one is tried here.
    const tried = simulator.opened;
    for (let i = 0; i < 100 && simulator.opened === tried; i++) assert.equal(BigInt(await count(1)), 1n);
    assert.ok(simulator.opened > tried);
    await pool.close();
    await reader.close();
  });

  test('charges slices of failing calls to their owner while other owners send', async () => {
    class SlowSimulator extends CountingSimulator {
      override open(request: SimulationRequest, kind: SimulationKind): Simulation {
        spin(1);
        return super.open(request, kind);
      }
    }
    const pool = new ExecutionPool({ ...OPTIONS, onFault: (fault) => assert.fail(fault) });
    const reader = openChainReader(opened.store);
    const simulator = new SlowSimulator(new StoredChain(reader));
    const fail = async (owner: string): Promise<void> => {
      const { stateOverrides } = withProgram('INVALID');
      const request = {
        blockNumber: 0n,
        isPending: false,
        call: { to: PROGRAM },
        stateOverrides: stateOverrides ?? {},
      };
      const job: Job = { kind: 'call', store: opened.store, gasLimit: 1_000_000n, request };
      const run = async (): Promise<unknown> =>
        pool.run(job, simulator, ownedBy(owner, limitTo(PATIENCE_MS)));
      await assert.rejects(run, chainError('failed', 'invalid opcode: INVALID'));
    };
    await fail('other');
    let isMoved = false;
    for (let i = 0; i < 100 && !isMoved; i++) {
      const before = simulator.opened;
      await fail('greedy');
      isMoved = simulator.opened === before;
    }
    assert.ok(isMoved, `${simulator.opened} slices`);
    await pool.close();
    await reader.close();
  });

  test('ends a call at its time limit, and answers the next one on the same thread', async () => {
    await usePool({}, async (ask, pool, faults, chain) => {
      for (let i = 0; i < 3; i++) {
        await assert.rejects(
          ask(ENDLESS, limitTo(300)),
          chainError('timeout', 'execution aborted (timeout = 0.3s) (bound: call.time)'),
        );
        assert.equal(BigInt(await ask(SHORT)), 42n);
        assert.equal(BigInt(await ask(countDown(1_000_000))), 1_000_000n);
      }
      await assert.rejects(async () => chain.execution.estimateGas(ENDLESS, limitTo(300)), isTimeout);
      await assert.rejects(
        ask(SHORT, limitTo(0)),
        chainError('busy', 'too many executions are waiting (bound: executions.waiting)'),
      );
      assert.equal(pool.size, 1);
      assert.deepEqual(faults, []);
    });
  });

  test('answers short calls and another owner’s long call beside endless ones', async () => {
    await usePool({}, async (ask) => {
      const controller = new AbortController();
      const endings: string[] = [];
      const endless = Array.from({ length: 10 }, () =>
        ask(ENDLESS, limitTo(PATIENCE_MS, controller.signal)).catch((error: ChainError) => {
          endings.push(error.kind);
        }),
      );
      for (let i = 0; i < 10; i++) {
        await ask(SHORT);
        endings.push('short');
      }
      await ask(countDown(500_000), ownedBy('other', limitTo(PATIENCE_MS)));
      endings.push('long');
      controller.abort();
      await Promise.all(endless);
      assert.deepEqual(endings, [...Array(10).fill('short'), 'long', ...Array(10).fill('aborted')]);
    });
  });

  test('queues calls above the running limit, and refuses calls as busy if the queue is full', async () => {
    await usePool({ runningLimit: 1, queueLimit: 6 }, async (ask, _pool, faults) => {
      const outcomes: string[] = [];
      const calls = Array.from({ length: 6 }, (_, i) =>
        ask(ENDLESS, limitTo(1_500)).catch((error: ChainError) => {
          outcomes.push(`${i} ${error.kind}`);
        }),
      );
      await Promise.all(calls);
      // One runs, three wait past the deadline (one caller may fill half of the queue), two are refused before.
      assert.deepEqual(outcomes.slice(0, 2), ['4 busy', '5 busy']);
      const late = outcomes.slice(2).sort();
      assert.match(late[0] as string, /^0 timeout$/);
      // The first call's place is free afterwards; the call that gets it in time depends on milliseconds.
      assert.ok(late.slice(1).every((outcome) => /^[123] (busy|timeout)$/.test(outcome)));
      assert.deepEqual(faults, []);
    });
  });

  test('does not let one owner occupy all slots', async () => {
    await usePool({ runningLimit: 3 }, async (ask) => {
      const controller = new AbortController();
      const endings: string[] = [];
      const flood = Array.from({ length: 5 }, () =>
        ask(ENDLESS, ownedBy('greedy', limitTo(PATIENCE_MS, controller.signal))).catch(
          (error: ChainError) => {
            endings.push(error.kind);
          },
        ),
      );
      assert.equal(
        BigInt(await ask(countDown(1_000_000), ownedBy('other', limitTo(PATIENCE_MS)))),
        1_000_000n,
      );
      endings.push('other');
      controller.abort();
      await Promise.all(flood);
      assert.deepEqual(endings, ['other', ...Array(5).fill('aborted')]);
    });
  });

  test('a call occupies its slot until its thread has finished with it', async () => {
    await usePool({ runningLimit: 1 }, async (ask, pool, faults) => {
      const controller = new AbortController();
      await assert.rejects(ask(ENDLESS, limitTo(300)), isTimeout);
      const gone = ask(ENDLESS, limitTo(PATIENCE_MS, controller.signal));
      // Answers do not wait for the thread; places do.
      assert.equal(pool.describe().running, 1);
      assert.equal(pool.describe().queued, 1);
      while (pool.describe().queued > 0) await new Promise(setImmediate);
      assert.equal(pool.describe().running, 1);
      controller.abort();
      await assert.rejects(gone, chainError('aborted', 'the caller has cancelled the request'));
      assert.equal(pool.describe().running, 1);
      while (pool.describe().running > 0) await new Promise(setImmediate);
      assert.equal(BigInt(await ask(countDown(1_000_000))), 1_000_000n);
      assert.deepEqual(faults, []);
    });
  });

  /** Precompile calls that would each take many seconds without pauses. */
  const EXPENSIVE: readonly (readonly [name: string, request: CallRequest])[] = [
    ['BLAKE2F', directly(9, `0xff000000${'00'.repeat(209)}`)],
    [
      'pairings',
      {
        block: LATEST,
        call: { to: PROGRAM, gas: GAS, data: bytesToHex(PAIRS) },
        ...withProgram(`${PAIRS.length} 0 0 CALLDATACOPY ${DOUBLINGS}
          0 0 ${PAIRS.length << DOUBLED} 0 8 GAS STATICCALL STOP`),
      },
    ],
  ];

  function directly(precompile: number, data: string): CallRequest {
    return { block: LATEST, call: { to: `0x${precompile.toString(16).padStart(40, '0')}`, gas: GAS, data } };
  }

  for (const [name, request] of EXPENSIVE) {
    test(`ends ${name} at the time limit, without delaying another call of the thread`, async () => {
      await usePool({}, async (ask, pool, faults) => {
        const expensive = assert.rejects(
          ask(request, ownedBy('greedy', limitTo(1_000))),
          chainError('timeout', 'execution aborted (timeout = 1s) (bound: call.time)'),
        );
        const other = ask(countDown(1_000_000), ownedBy('other', limitTo(PATIENCE_MS)));
        assert.equal(BigInt(await other), 1_000_000n);
        await expensive;
        while (pool.describe().running > 0) await new Promise(setImmediate);
        assert.equal(pool.size, 1);
        assert.deepEqual(faults, []);
      });
    });
  }

  test('one owner’s calls leave other owners their share of the threads', async () => {
    await usePool({ threads: 2 }, async (ask, pool) => {
      const controller = new AbortController();
      const endings: string[] = [];
      const flood = Array.from({ length: 12 }, () =>
        ask(ENDLESS, ownedBy('greedy', limitTo(PATIENCE_MS, controller.signal))).catch(
          (error: ChainError) => {
            endings.push(error.kind);
          },
        ),
      );
      // One owner has half of the places and a part of the queue.
      assert.equal(pool.describe().running, 7);
      assert.equal(pool.describe().queued, 5);
      for (let i = 0; i < 3; i++) {
        const scope = ownedBy(`other ${i}`, limitTo(PATIENCE_MS));
        assert.equal(BigInt(await ask(countDown(1_000_000), scope)), 1_000_000n);
        endings.push('other');
      }
      controller.abort();
      await Promise.all(flood);
      assert.deepEqual(endings, [...Array(3).fill('other'), ...Array(12).fill('aborted')]);
    });
  });

  test('does not let one owner fill the queue', async () => {
    await usePool({ runningLimit: 1, queueLimit: 4 }, async (ask) => {
      const controller = new AbortController();
      const scope = ownedBy('greedy', limitTo(PATIENCE_MS, controller.signal));
      const flood = Array.from({ length: 3 }, () =>
        assert.rejects(ask(ENDLESS, scope), chainError('aborted', 'the caller has cancelled the request')),
      );
      await assert.rejects(
        ask(ENDLESS, scope),
        chainError('busy', 'too many executions are waiting (bound: executions.waiting)'),
      );
      const other = ask(countDown(1_000_000), ownedBy('other', limitTo(PATIENCE_MS)));
      controller.abort();
      await Promise.all(flood);
      assert.equal(BigInt(await other), 1_000_000n);
    });
  });

  test('ends an execution, waiting or running, when its client cancels', async () => {
    await usePool({ runningLimit: 1 }, async (ask, _pool, faults) => {
      const controller = new AbortController();
      const scope = limitTo(PATIENCE_MS, controller.signal);
      const calls = [ask(ENDLESS, scope), ask(ENDLESS, scope)];
      const next = ask(countDown(1_000_000));
      const gone = calls.map((call) =>
        assert.rejects(call, chainError('aborted', 'the caller has cancelled the request')),
      );
      controller.abort();
      await Promise.all(gone);
      assert.equal(BigInt(await next), 1_000_000n);
      await assert.rejects(
        ask(ENDLESS, scope),
        chainError('aborted', 'the caller has cancelled the request'),
      );
      assert.deepEqual(faults, []);
    });
  });

  test('close ends running and waiting calls, and refuses new ones', async () => {
    await usePool({ runningLimit: 2 }, async (ask, pool, faults) => {
      const outcomes = Promise.allSettled([ENDLESS, ENDLESS, ENDLESS].map((request) => ask(request)));
      await pool.close();
      for (const outcome of await outcomes) {
        assert.equal(outcome.status, 'rejected');
        assert.equal((outcome as PromiseRejectedResult).reason.kind, 'aborted');
      }
      for (const request of [SHORT, ENDLESS]) {
        await assert.rejects(ask(request), chainError('aborted', 'the server is stopping'));
      }
      assert.equal(pool.size, 0);
      await pool.close();
      assert.deepEqual(faults, []);
    });
  });

  test('threads that are terminated while they start do not crash the process', async () => {
    for (let round = 0; round < 6; round++) {
      await usePool({ threads: 2 }, async (ask, pool, faults) => {
        const calls = [ENDLESS, ENDLESS].map((request) => assert.rejects(ask(request), ChainError));
        await pool.close();
        await Promise.all(calls);
        assert.deepEqual(faults, []);
      });
    }
  });

  test('ends an idle thread, and starts another one for the next call', async () => {
    await usePool({ idleMs: 0 }, async (ask, pool, faults) => {
      for (let round = 0; round < 2; round++) {
        assert.equal(BigInt(await ask(countDown(1_000_000))), 1_000_000n);
        while (pool.size > 0) await new Promise(setImmediate);
      }
      assert.deepEqual(faults, []);
    });
  });

  test('fails the calls of a crashed thread as faults, and starts another thread for the next call', async () => {
    // The thread's modules alone exceed this heap.
    await usePool({ heapMb: 4 }, async (ask, pool, faults) => {
      await ask(SHORT);
      for (let round = 1; round <= 2; round++) {
        const calls = [ENDLESS, ENDLESS].map((request) =>
          assert.rejects(ask(request), /the execution failed unexpectedly/),
        );
        assert.equal(pool.size, 1);
        await Promise.all(calls);
        assert.equal(pool.size, 0);
        // The failed thread and each of the calls are reported.
        assert.equal(faults.length, 3 * round);
        assert.match(faults[3 * round - 3] as string, /ERR_WORKER_OUT_OF_MEMORY/);
      }
      assert.equal(BigInt(await ask(SHORT)), 42n);
    });
  });

  test('a missing store fails the call, not the thread', async () => {
    const faults: string[] = [];
    const calls = new HeavyCalls(OPTIONS, (fault) => faults.push(fault));
    const job = {
      kind: 'call',
      store: `${opened.store}-missing`,
      gasLimit: 0n,
      request: { blockNumber: 0n, isPending: false, call: {} },
    } as const;
    for (let i = 1; i <= 2; i++) {
      await assert.rejects(
        calls.run(job, { owner: '', lane: '' }, limitTo(PATIENCE_MS)),
        /the execution failed unexpectedly/,
      );
      assert.equal(faults.length, i);
      assert.match(faults[0] as string, /there is no chain store in/);
      assert.equal(calls.size, 1);
    }
    await calls.close();
  });
});
