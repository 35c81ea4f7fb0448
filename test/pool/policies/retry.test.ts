import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../../src/chain/errors.ts';
import { type FaultKind, UpstreamFault } from '../../../src/pool/fault.ts';
import { retry } from '../../../src/pool/policies/retry.ts';
import type { Handler } from '../../../src/pool/upstream-request.ts';
import { TokenBucket } from '../../../src/util/token-bucket.ts';
import { createExchange, createScope } from '../support/exchange.ts';

/** Handler that fails this often, then answers. */
function createFailing(
  times: number,
  error: () => Error,
): { readonly handler: Handler; readonly at: number[] } {
  const at: number[] = [];
  const handler: Handler = async () => {
    at.push(performance.now());
    if (at.length <= times) throw error();
    return '"0x1"';
  };
  return { handler, at };
}

const down =
  (kind: FaultKind = 'unreachable', retryAfterMs?: number) =>
  (): Error =>
    new UpstreamFault(kind, 'scripted', retryAfterMs);

/** Less than a whole token does not suffice. */
const budget = (tokens = 100): TokenBucket => new TokenBucket({ capacity: tokens + 0.1 });

describe('retry', () => {
  it('retries transient faults in further rounds', async () => {
    const { handler, at } = createFailing(2, down());
    assert.equal(await retry(2, budget())(handler)(createExchange()), '"0x1"');
    assert.equal(at.length, 3);
  });

  it('retries for at most the allowed number of rounds', async () => {
    const { handler, at } = createFailing(9, down());
    await assert.rejects(retry(2, budget())(handler)(createExchange()), { kind: 'unreachable' });
    assert.equal(at.length, 3);
  });

  it('does not retry answers or permanent faults', async () => {
    const errors: readonly Error[] = [
      new ChainError('reverted', 'execution reverted', '0x'),
      new ChainError('invalid', 'invalid argument'),
      ...(['unknown', 'unsupported', 'pruned', 'tooLarge', 'unauthorized', 'aborted'] as const).map((kind) =>
        down(kind)(),
      ),
    ];
    for (const error of errors) {
      const { handler, at } = createFailing(9, () => error);
      await assert.rejects(retry(2, budget())(handler)(createExchange()), error);
      assert.equal(at.length, 1, error.message);
    }
  });

  it('each retry costs a token, which only answers earn', async () => {
    const tokens = budget(2);
    const failing = createFailing(Number.POSITIVE_INFINITY, down());
    const ask = retry(10, tokens)(failing.handler);
    await assert.rejects(ask(createExchange()), { kind: 'unreachable' });
    assert.equal(failing.at.length, 3);
    await assert.rejects(ask(createExchange()), { kind: 'unreachable' });
    assert.equal(failing.at.length, 4);
    const well = createFailing(0, down());
    const askWell = retry(10, tokens)(well.handler);
    for (let i = 0; i < 10; i++) await askWell(createExchange());
    await assert.rejects(ask(createExchange()), { kind: 'unreachable' });
    assert.equal(failing.at.length, 6);
  });

  it('waits for the retry delay that nodes request', async () => {
    const { handler, at } = createFailing(1, down('rateLimited', 300));
    await retry(1, budget())(handler)(createExchange());
    // Timers may fire a millisecond early.
    assert.ok((at[1] as number) - (at[0] as number) >= 298);
  });

  it('does not wait beyond the deadline', async () => {
    const { handler, at } = createFailing(9, down('rateLimited', 60_000));
    await assert.rejects(retry(2, budget())(handler)(createExchange()), { kind: 'rateLimited' });
    assert.equal(at.length, 1);
    const late = createFailing(9, down());
    const scope = createScope(1);
    await assert.rejects(retry(2, budget())(late.handler)(createExchange({}, scope)), {
      kind: 'unreachable',
    });
    assert.equal(late.at.length, 1);
  });

  it('a client that cancels ends the delay', async () => {
    const caller = new AbortController();
    const { handler, at } = createFailing(9, down('rateLimited', 10_000));
    const result = retry(2, budget())(handler)(createExchange({}, createScope(60_000, caller.signal)));
    setImmediate(() => caller.abort());
    await assert.rejects(result, { kind: 'aborted' });
    assert.equal(at.length, 1);
  });
});
