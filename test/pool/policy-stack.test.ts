import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { describe, it } from 'node:test';
import type { GroupHandler } from '../../src/pool/group.ts';
import { createPolicy, type Policy, PolicyStack } from '../../src/pool/policy-stack.ts';
import type { PolicySteps } from '../../src/pool/policy-steps.ts';
import type { Directed, Handler, RequestContext, RoutedRequest } from '../../src/pool/upstream-request.ts';
import { createExchange } from './support/exchange.ts';

/** Whether the compiler accepts a policy of the first type where the second is expected. */
type Fits<Given, Expected> = Given extends Expected ? true : false;

describe('PolicyStack', () => {
  it('passes a request context through its policies from the outside in', async () => {
    const passed: string[] = [];
    const name = (text: string): Policy => {
      const wrap =
        (next: Handler): Handler =>
        (context) => {
          passed.push(text);
          return next(context);
        };
      return Object.assign(wrap, { group: (next: GroupHandler) => next });
    };
    const handler = PolicyStack.of(name('first'))
      .around(name('second'))
      .around(name('third'))
      .over(async () => '1');
    assert.equal(await handler(createExchange()), '1');
    assert.deepEqual(passed, ['first', 'second', 'third']);
  });

  it('rejects at compile time a policy that needs a missing member of the context, or would lose one', () => {
    const needsRoute: Fits<Policy<RoutedRequest>, Policy<RequestContext>> = false;
    const needsUpstream: Fits<Policy<Directed>, Policy<RoutedRequest>> = false;
    const losesRoute: Fits<Policy<RequestContext>, Policy<RoutedRequest>> = false;
    const decidesRoute: Fits<
      Policy<RequestContext, RoutedRequest>,
      Policy<RequestContext, RoutedRequest>
    > = true;
    assert.deepEqual([needsRoute, needsUpstream, losesRoute, decidesRoute], [false, false, false, true]);
  });
});

describe('policies created from steps', () => {
  /** Policy that records what it observes and changes nothing. */
  const watch = (name: string, seen: string[]): Policy =>
    createPolicy({
      begin(context) {
        seen.push(`${name} begins`);
        return context;
      },
      onResult(_, result) {
        seen.push(`${name} sees ${String(result)}`);
        return result;
      },
      onError(_, error) {
        seen.push(`${name} sees ${String(error)}`);
        return error;
      },
    });

  it('begin from the outside in, and handle the outcome from the inside out', async () => {
    const seen: string[] = [];
    const stack = PolicyStack.of(watch('a', seen)).around(watch('b', seen)).around(watch('c', seen));
    assert.equal(await stack.over(async () => '1')(createExchange()), '1');
    assert.deepEqual(seen, ['a begins', 'b begins', 'c begins', 'c sees 1', 'b sees 1', 'a sees 1']);
    seen.length = 0;
    await assert.rejects(stack.over(() => Promise.reject(new Error('no')))(createExchange()), {
      message: 'no',
    });
    assert.deepEqual(seen.slice(3), ['c sees Error: no', 'b sees Error: no', 'a sees Error: no']);
  });

  it('share one promise, in a stack with policies that are functions', async () => {
    const seen: string[] = [];
    const plain: Policy = Object.assign(
      (next: Handler): Handler =>
        (context) =>
          next(context),
      {
        group: (next: GroupHandler) => next,
      },
    );
    const handler = PolicyStack.of(watch('a', seen))
      .around(plain)
      .around(watch('b', seen))
      .around(watch('c', seen))
      .over(async () => '1');
    assert.equal(await handler(createExchange()), '1');
    assert.deepEqual(seen.slice(3), ['c sees 1', 'b sees 1', 'a sees 1']);
    const made: string[] = [];
    const hook = createHook({ init: (_, type) => void made.push(type) }).enable();
    const outcome = Promise.resolve('1');
    const answer = PolicyStack.of(watch('a', seen))
      .around(watch('b', seen))
      .over(() => outcome)(createExchange());
    hook.disable();
    assert.equal(await answer, '1');
    assert.deepEqual(made, ['PROMISE', 'PROMISE']);
  });

  it('report an answer or error of begin only to the outer policies', async () => {
    const begins = [
      async () => '2',
      () => {
        throw new Error('refused');
      },
    ];
    for (const begin of begins) {
      const seen: string[] = [];
      const decides = createPolicy({
        begin,
        onResult: () => assert.fail('sees its own answer'),
        onError: () => assert.fail('sees its own error'),
        recover: () => assert.fail('recovers from its own error'),
      });
      const inside: Policy = createPolicy({ begin: () => assert.fail('is asked') });
      const handler = PolicyStack.of(watch('out', seen))
        .around(decides)
        .around(inside)
        .over(() => assert.fail('is asked'));
      await handler(createExchange()).catch(() => {});
      assert.deepEqual(seen.slice(1), [begin === begins[0] ? 'out sees 2' : 'out sees Error: refused']);
    }
  });

  it('may replace a result synchronously or asynchronously, or by an error, for the outer policies', async () => {
    const replacements: readonly (readonly [NonNullable<PolicySteps<RequestContext>['onResult']>, string])[] =
      [
        [() => '2', 'out sees 2'],
        [async () => '3', 'out sees 3'],
        [
          () => {
            throw new Error('wrong');
          },
          'out sees Error: wrong',
        ],
        [(context, _, next) => next(context), 'out sees 1'],
      ];
    for (const [onResult, expected] of replacements) {
      const seen: string[] = [];
      const handler = PolicyStack.of(watch('out', seen))
        .around(createPolicy<RequestContext>({ onResult }))
        .over(async () => '1');
      await handler(createExchange()).catch(() => {});
      assert.deepEqual(seen.slice(1), [expected]);
    }
  });

  it('may replace an error, and recover by calling the inner handler again', async () => {
    const seen: string[] = [];
    let requested = 0;
    const again = createPolicy<RequestContext>({
      onError: () => new Error('replaced'),
      recover: (context, error, next) =>
        (error as Error).message === 'replaced' && requested < 2 ? next(context) : undefined,
    });
    const handler = PolicyStack.of(watch('out', seen))
      .around(again)
      .around(watch('in', seen))
      .over(async () => {
        if (++requested % 2 === 1) throw new Error('first');
        return '1';
      });
    assert.equal(await handler(createExchange()), '1');
    assert.deepEqual(seen, [
      'out begins',
      'in begins',
      'in sees Error: first',
      'in begins',
      'in sees 1',
      'out sees 1',
    ]);
    await assert.rejects(handler(createExchange()), { message: 'replaced' });
  });

  it('treat an exception of the innermost handler as an error', async () => {
    const seen: string[] = [];
    const handler = PolicyStack.of(watch('out', seen)).over(() => {
      throw new Error('thrown');
    });
    await assert.rejects(handler(createExchange()), { message: 'thrown' });
    assert.deepEqual(seen.slice(1), ['out sees Error: thrown']);
  });
});
