/** The short form of `npm run check -- sends`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GETH_SKIP } from '../../geth/node/geth-program.ts';
import { runSends } from './sends.ts';

test('transfers of four kinds of wallet are mined, and visible to the wallets', {
  skip: GETH_SKIP,
}, async () => {
  const { mined, faults } = await runSends(24, 4, 1);
  assert.deepEqual(faults, []);
  assert.equal(mined, 24);
});
