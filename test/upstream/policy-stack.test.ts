import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Directed,
  type Exchange,
  type Policy,
  PolicyStack,
  type Routed,
} from '../../src/upstream/routed-call.ts';
import { createExchange } from './support/exchange.ts';

/** Whether the compiler takes a policy of the first type where one of the second is expected. */
type Fits<Given, Expected> = Given extends Expected ? true : false;

describe('PolicyStack', () => {
  it('passes an exchange through its policies from the outside in', async () => {
    const passed: string[] = [];
    const name =
      (text: string): Policy =>
      (next) =>
      (exchange) => {
        passed.push(text);
        return next(exchange);
      };
    const handler = PolicyStack.of(name('first'))
      .around(name('second'))
      .around(name('third'))
      .over(async () => '1');
    assert.equal(await handler(createExchange()), '1');
    assert.deepEqual(passed, ['first', 'second', 'third']);
  });

  it('does not compile where a policy needs what is not decided yet, or would lose what is', () => {
    const needsRoute: Fits<Policy<Routed>, Policy<Exchange>> = false;
    const needsUpstream: Fits<Policy<Directed>, Policy<Routed>> = false;
    const losesRoute: Fits<Policy<Exchange>, Policy<Routed>> = false;
    const decidesRoute: Fits<Policy<Exchange, Routed>, Policy<Exchange, Routed>> = true;
    assert.deepEqual([needsRoute, needsUpstream, losesRoute, decidesRoute], [false, false, false, true]);
  });
});
