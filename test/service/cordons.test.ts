/** Cordons of one process, as operators change them at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cordons } from '../../src/service/cordons.ts';
import type { ObservedChain } from '../../src/service/open-chain.ts';

const NAME = { network: 'mainnet', node: 'a' };
const DONE = { outcome: 'done' };

test('a change of a node waits for a cordon that has begun', async () => {
  const events: string[] = [];
  let refuse = (): void => {};
  const nodes = {
    has: () => true,
    cordon(_: string, isForced: boolean): Promise<string | undefined> {
      events.push(isForced ? 'forced' : 'waits');
      if (isForced) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        refuse = () => {
          events.push('refused');
          resolve('no other node has the head of the network');
        };
      });
    },
    uncordon: () => void events.push('uncordoned'),
  };
  const chains = new Map([['mainnet', { nodes } as unknown as ObservedChain]]);
  const cordons = new Cordons();
  const first = cordons.cordon(() => chains, NAME, false);
  const second = cordons.cordon(() => chains, NAME, true);
  const third = cordons.uncordon(() => chains, NAME);
  await new Promise(setImmediate);
  refuse();
  assert.equal((await first).outcome, 'conflict');
  assert.deepEqual(await Promise.all([second, third]), [DONE, DONE]);
  assert.deepEqual(events, ['waits', 'refused', 'forced', 'uncordoned']);
});
