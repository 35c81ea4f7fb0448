import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { GAS_PRICE_ORACLE_RUNTIME } from '../../scripts/contracts/op-stack/gas-price-oracle.ts';
import { loadFamilies } from '../../src/rollup/family-table.ts';
import { OP_STACK_ORACLE } from '../../src/rollup/op-stack/marks.ts';
import { findUnknownFunctions, listSelectors } from '../../src/rollup/unknown-functions.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { SCOPE } from './scripted-chain.ts';

/** `isJovian()`, which is known, and `isKarst()`, of a future fork. */
const [KNOWN, NEW] = ['105d0b81', '98444a37'];
/**
 * A dispatcher as solc writes it, DUP1 PUSH4 EQ PUSH2 JUMPI per function (a DUP2 before EQ in the second); then a PUSH4 that is compared with nothing, and
 * data of a PUSH that looks like a comparison.
 */
const CODE = `0x60e01c8063${KNOWN}146100105780${`63${NEW}8114`}61002057634e487b7160e01b6663deadbeef14`;

const open = (codes: Readonly<Record<string, string>>, slot = `0x${'00'.repeat(32)}`) =>
  createFakeChain({
    state: {
      getCode: async (address) => JSON.stringify(codes[address] ?? '0x'),
      getStorageAt: async () => JSON.stringify(slot),
    },
  });

test('listSelectors returns the selectors that a dispatcher compares', () => {
  assert.deepEqual(listSelectors(hexToBytes(CODE)), [`0x${KNOWN}`, `0x${NEW}`]);
});

test('unknown functions are found in an oracle, also behind a proxy', async () => {
  const { address } = OP_STACK_ORACLE;
  assert.deepEqual(await findUnknownFunctions(open({ [address]: CODE }), OP_STACK_ORACLE, SCOPE), [
    `0x${NEW}`,
  ]);
  const implementation = `0x${'ab'.repeat(20)}`;
  const proxied = open({ [implementation]: CODE }, `0x${'00'.repeat(12)}${'ab'.repeat(20)}`);
  assert.deepEqual(await findUnknownFunctions(proxied, OP_STACK_ORACLE, SCOPE), [`0x${NEW}`]);
});

test('all functions of the built-in oracle are known', () => {
  const unknown = listSelectors(GAS_PRICE_ORACLE_RUNTIME).filter(
    (selector) => !OP_STACK_ORACLE.selectors.has(selector),
  );
  assert.deepEqual(unknown, []);
});

test('the checked oracle of each family is one that its marks name', async () => {
  for (const { oracle, marks } of await loadFamilies())
    if (oracle !== undefined) assert.ok(marks.some(({ says }) => says.includes(oracle.address)));
});
