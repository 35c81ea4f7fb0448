import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockReference, Chain } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { LateChain } from '../../src/cli/late-chain.ts';
import { createScriptedChain, makeHeader, SCOPE } from '../rollup/scripted-chain.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const UNAVAILABLE = new ChainError('unavailable', 'layer 1 cannot be asked');

function createChain() {
  const { chain } = createScriptedChain({ headers: { latest: makeHeader({ number: 5n }) } });
  let closed = 0;
  chain.close = async () => void closed++;
  return { chain, closed: () => closed };
}

test('it is opened at once, once, and again only after it has failed', async () => {
  const { chain, closed } = createChain();
  const outcomes: (() => Promise<Chain>)[] = [
    () => Promise.reject(new Error('down')),
    () => Promise.reject(new Error('still down')),
    async () => chain,
  ];
  let opened = 0;
  const late = new LateChain(() => (outcomes[opened++] as () => Promise<Chain>)());
  assert.equal(opened, 1);
  await assert.rejects(late.getHeader(LATEST, SCOPE), UNAVAILABLE);
  await assert.rejects(late.getHeader(LATEST, SCOPE), UNAVAILABLE);
  assert.equal((await late.getHeader(LATEST, SCOPE))?.number, 5n);
  assert.equal((await late.getHeader(LATEST, SCOPE))?.number, 5n);
  assert.equal(opened, 3);
  await late.close();
  assert.equal(closed(), 1);
});

test('what opens after it was closed is closed', async () => {
  const { chain, closed } = createChain();
  let open: (opened: Chain) => void = () => {};
  const late = new LateChain(() => new Promise((resolve) => (open = resolve)));
  await late.close();
  assert.equal(closed(), 0);
  open(chain);
  await new Promise(setImmediate);
  assert.equal(closed(), 1);
});
