import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CallRequest, CallScope } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { EngineChain } from '../../src/engine/engine-chain.ts';
import type { ExecutionPoolOptions } from '../../src/engine/execution/execution-pool.ts';
import { ExecutionPool } from '../../src/engine/execution/execution-pool.ts';
import { limitTo, type OpenedChain, openBuiltChain } from '../support/test-chain.ts';
import { buildCallChain, chainError, encodeCall, PROGRAM, REVERTER, withProgram } from './call-harness.ts';

const LATEST = { kind: 'tag', tag: 'latest' } as const;
const ENDLESS: CallRequest = {
  block: LATEST,
  call: { to: PROGRAM, gas: '0xffffffff' },
  ...withProgram('loop: @loop JUMP'),
};
const SHORT: CallRequest = { block: LATEST, call: { to: REVERTER, data: encodeCall('ok()') } };
const PATIENCE_MS = 60_000;

const OPTIONS = { threads: 1, heavyThreads: 7, heavyAfterMs: 20, queueLimit: 64, heapMb: 128 } as const;

describe('execution pool', () => {
  let opened: OpenedChain;
  before(async () => {
    const [genesis, builder] = await buildCallChain({ revision: 'osaka' });
    opened = await openBuiltChain(genesis, builder);
  });
  after(() => opened.close());

  /** A pool of its own over the same store. */
  async function usePool(
    options: Partial<ExecutionPoolOptions>,
    use: (chain: EngineChain, pool: ExecutionPool, faults: string[]) => Promise<void>,
  ): Promise<void> {
    const faults: string[] = [];
    const pool = new ExecutionPool({ ...OPTIONS, onFault: (fault) => faults.push(fault), ...options });
    const chain = new EngineChain(opened.store, pool);
    try {
      await use(chain, pool, faults);
    } finally {
      await pool.close();
      await chain.close();
    }
  }

  const isTimeout = (error: unknown): boolean =>
    error instanceof ChainError &&
    error.kind === 'timeout' &&
    /^execution aborted \(timeout = /.test(error.message);

  /** Ended while it ran, or never begun. */
  const isLate = (error: unknown): boolean =>
    isTimeout(error) || (error instanceof ChainError && error.kind === 'busy');

  test('a call past its time limit is ended, and the next one is answered', async () => {
    await usePool({}, async (chain, pool, faults) => {
      await chain.call(SHORT, limitTo(PATIENCE_MS));
      for (let i = 0; i < 3; i++) {
        await assert.rejects(
          chain.call(ENDLESS, limitTo(300)),
          chainError('timeout', 'execution aborted (timeout = 0.3s)'),
        );
        assert.equal(BigInt(JSON.parse(await chain.call(SHORT, limitTo(PATIENCE_MS)))), 42n);
      }
      await assert.rejects(chain.estimateGas(ENDLESS, limitTo(300)), isTimeout);
      await assert.rejects(
        chain.call(SHORT, limitTo(0)),
        chainError('busy', 'too many executions are waiting'),
      );
      assert.ok(pool.size <= 2);
      assert.deepEqual(faults, []);
    });
  });

  test('endless calls do not hold up short ones', async () => {
    // Room for more than the endless ones: on a busy machine a short call may be slow enough to count as heavy.
    await usePool({ heavyThreads: 20 }, async (chain) => {
      const controller = new AbortController();
      const endings: string[] = [];
      const endless = Array.from({ length: 10 }, () =>
        chain.call(ENDLESS, limitTo(PATIENCE_MS, controller.signal)).catch((error: ChainError) => {
          endings.push(error.kind);
        }),
      );
      for (let i = 0; i < 10; i++) {
        await chain.call(SHORT, limitTo(PATIENCE_MS));
        endings.push('short');
      }
      controller.abort();
      await Promise.all(endless);
      assert.deepEqual(endings, [...Array(10).fill('short'), ...Array(10).fill('aborted')]);
    });
  });

  test('with the queue full, or more heavy calls than may be, calls are refused as busy', async () => {
    await usePool({ heavyThreads: 0, queueLimit: 3 }, async (chain) => {
      await chain.call(SHORT, limitTo(PATIENCE_MS));
      const outcomes: string[] = [];
      const calls = Array.from({ length: 6 }, (_, i) =>
        chain.call(ENDLESS, limitTo(2_000)).catch((error: ChainError) => {
          outcomes.push(`${i} ${error.kind}`);
        }),
      );
      await Promise.all(calls);
      // One runs, three wait, two are refused before any of them turns out to be heavy.
      assert.deepEqual(outcomes.slice(0, 2), ['4 busy', '5 busy']);
      assert.deepEqual(outcomes.slice(2).sort(), ['0 busy', '1 busy', '2 busy', '3 busy']);
    });
  });

  test('threads that are ended while they start do not take the process down', async () => {
    await usePool({ threads: 2, heavyThreads: 8 }, async (chain, _pool, faults) => {
      for (let round = 0; round < 12; round++) {
        const limits = [30 + 25 * round, 40 + 35 * round];
        await Promise.all(limits.map((ms) => assert.rejects(chain.call(ENDLESS, limitTo(ms)), isLate)));
      }
      assert.deepEqual(faults, []);
    });
    // Closed before they are ready.
    await usePool({ threads: 2 }, async () => undefined);
  });

  test('when the caller goes away the execution ends', async () => {
    await usePool({ heavyThreads: 1 }, async (chain, _pool, faults) => {
      const controller = new AbortController();
      const running = chain.call(ENDLESS, limitTo(PATIENCE_MS, controller.signal));
      const next = chain.call(SHORT, limitTo(PATIENCE_MS));
      controller.abort();
      await assert.rejects(running, chainError('aborted', 'the caller has gone'));
      assert.equal(BigInt(JSON.parse(await next)), 42n);
      assert.deepEqual(faults, []);
    });
  });

  test('closing ends what runs and what waits, and takes nothing more', async () => {
    await usePool({ heavyThreads: 1 }, async (chain, pool) => {
      const calls = [ENDLESS, ENDLESS, SHORT].map((request) => chain.call(request, limitTo(PATIENCE_MS)));
      const outcomes = Promise.allSettled(calls);
      await pool.close();
      for (const outcome of await outcomes) {
        assert.equal(outcome.status, 'rejected');
        assert.equal((outcome as PromiseRejectedResult).reason.kind, 'aborted');
      }
      await assert.rejects(
        chain.call(SHORT, limitTo(PATIENCE_MS)),
        chainError('aborted', 'the server is stopping'),
      );
      assert.equal(pool.size, 0);
      await pool.close();
    });
  });

  test('a thread out of memory fails its own call only', async () => {
    // Every log keeps its topics and object on the heap.
    const logs = withProgram('loop: 0 0 LOG0 @loop JUMP');
    await usePool({ heapMb: 64 }, async (chain, _pool, faults) => {
      const request: CallRequest = { block: LATEST, call: { to: PROGRAM, gas: '0xffffffff' }, ...logs };
      await assert.rejects(chain.call(request, limitTo(PATIENCE_MS)), chainError('failed', 'out of memory'));
      assert.equal(BigInt(JSON.parse(await chain.call(SHORT, limitTo(PATIENCE_MS)))), 42n);
      assert.deepEqual(faults, []);
    });
  });

  test('however high the gas limit, memory stays within bounds', async () => {
    await usePool({}, async (chain, _pool, faults) => {
      const gas = '0xffffffffffffffff';
      const far = `0x${(2n ** 40n).toString(16)}`;
      const touch = { block: LATEST, call: { to: PROGRAM, gas }, ...withProgram(`1 ${far} MSTORE`) };
      await assert.rejects(chain.call(touch, limitTo(PATIENCE_MS)), chainError('failed', 'out of gas'));
      const refused = {
        block: LATEST,
        call: { to: PROGRAM, gas, value: `0x${'f'.repeat(64)}` },
        ...withProgram('STOP'),
      };
      await assert.rejects(
        chain.call(refused, limitTo(PATIENCE_MS)),
        (error: ChainError) => error.kind === 'failed',
      );
      assert.deepEqual(faults, []);
    });
  });

  test('a store that is not there is an error of the call, not an endless restart', async () => {
    const faults: string[] = [];
    const pool = new ExecutionPool({ ...OPTIONS, onFault: (fault) => faults.push(fault) });
    const scope: CallScope = limitTo(PATIENCE_MS);
    const job = {
      kind: 'call',
      store: `${opened.store}-missing`,
      gasLimit: 0n,
      request: { blockNumber: 0n, isPending: false, call: {} },
    } as const;
    await assert.rejects(pool.run(job, scope), /the execution failed unexpectedly/);
    assert.equal(pool.size, 1);
    assert.equal(faults.length, 1);
    assert.match(faults[0] as string, /there is no chain store in/);
    await pool.close();
  });
});
