import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../../src/chain/errors.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { keepDeadline } from '../../../src/pool/policies/keep-deadline.ts';
import type { Handler } from '../../../src/pool/upstream-request.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { createExchange, createScope } from '../support/exchange.ts';

const failing =
  (error: Error): Handler =>
  () =>
    Promise.reject(error);

const over = performance.now() - 1;
const past = new RequestScope(over, undefined, over - 5_000);

describe('keepDeadline', () => {
  it('sends nothing for a client without time left', async () => {
    let calls = 0;
    const ask = keepDeadline()(async () => {
      calls++;
      return '1';
    });
    await assert.rejects(ask(createExchange({}, past)), {
      name: 'ChainError',
      kind: 'timeout',
      message: 'execution aborted (timeout = 5s) (bound: call.time)',
    });
    assert.equal(calls, 0);
  });

  it('a fault after the deadline becomes a timeout, an answer does not', async () => {
    const deadline = performance.now() + 5;
    const scope = new RequestScope(deadline, undefined, deadline - 1_500);
    const late =
      (error: Error): Handler =>
      async () => {
        while (performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 1));
        throw error;
      };
    const fault = keepDeadline()(late(new UpstreamFault('unreachable', 'scripted')));
    await assert.rejects(fault(createExchange({}, scope)), {
      kind: 'timeout',
      message: 'execution aborted (timeout = 1.5s) (bound: call.time)',
    });
    const again = createScope(10_000);
    const revert = keepDeadline()(late(new ChainError('reverted', 'execution reverted', '0x')));
    await assert.rejects(revert(createExchange({}, again)), { kind: 'reverted' });
  });

  it('reports a cancelled client as aborted, and rethrows other faults', async () => {
    const aborted = keepDeadline()(failing(new UpstreamFault('aborted', 'scripted')));
    await assert.rejects(aborted(createExchange()), { name: 'ChainError', kind: 'aborted' });
    const down = keepDeadline()(failing(new UpstreamFault('unreachable', 'scripted')));
    await assert.rejects(down(createExchange()), { name: 'UpstreamFault', kind: 'unreachable' });
  });
});
