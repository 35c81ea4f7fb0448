import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { BUILTIN, createConfig, FACTS, hashOf, makeBundles, type Row } from './bundles.ts';
import { verifyAgain } from './second-verifier.ts';

const { uncleBlock = 0, everyTypeBlock = 0, calls } = FACTS['devnet'] ?? {};
const quantity = (value: number): string => `0x${value.toString(16)}`;
const ROWS: readonly Omit<Row, 'network'>[] = [
  { method: 'eth_getBlockReceipts', params: [quantity(everyTypeBlock)] },
  { method: 'eth_getBlockReceipts', params: ['0x3'] },
  { method: 'eth_getTransactionByBlockNumberAndIndex', params: [quantity(everyTypeBlock), '0x2'] },
  { method: 'eth_getTransactionByBlockNumberAndIndex', params: [quantity(everyTypeBlock), '0x77'] },
  { method: 'eth_getUncleByBlockNumberAndIndex', params: [quantity(uncleBlock), '0x0'] },
  { method: 'eth_getUncleByBlockNumberAndIndex', params: ['latest', '0x0'] },
  { method: 'eth_call', params: [calls?.tokenBalance, quantity(everyTypeBlock)] },
  // Call for an owner without tokens, whose slot is not set.
  {
    method: 'eth_call',
    params: [{ ...calls?.tokenBalance, data: `0x70a08231${'5'.padStart(64, '0')}` }, 'latest'],
  },
];

test('an independent verifier written from the documentation accepts each bundle, but not under another hash', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const config = createConfig(BUILTIN, folder.path);
  const rows = ROWS.map((row) => ({ network: 'devnet', ...row }));
  const texts = await makeBundles(config, rows);
  for (const [index, row] of ROWS.entries()) {
    await t.test(`${row.method} ${JSON.stringify(row.params)}`, async () => {
      const text = texts[index] as string;
      await verifyAgain(text, hashOf(text));
      await assert.rejects(verifyAgain(text, `0x${'1'.repeat(64)}`), /^Error: refused/);
    });
  }
});
