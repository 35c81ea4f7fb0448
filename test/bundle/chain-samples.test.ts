/** Bundles of recorded blocks of many chains, each with its own forms of headers and transactions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Members } from '../../packages/proofs/findings.ts';
import { BundleError, decodeBundle } from '../../src/bundle/format.ts';
import { prove } from '../../src/bundle/prove.ts';
import type { HeaderView } from '../../src/chain/chain.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { readSamples, type Sample } from '../packages/proofs/samples.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { SKIP_REASON } from '../support/vectors.ts';

const samples = readSamples();

/** Makes a bundle for a request about a recorded block, from the recorded data alone. */
async function proveOf({ block, receipts }: Sample, method: string, ...rest: string[]): Promise<string> {
  const transactions = block['transactions'] as readonly Members[];
  const header = { number: BigInt(String(block['number'])), hash: String(block['hash']) };
  const chain = createFakeChain({
    blocks: {
      getHeader: () => header as HeaderView,
      getBlock: () => JSON.stringify(block),
      getReceipts: () => JSON.stringify(receipts),
    },
    transactions: {
      getTransaction: (reference) =>
        JSON.stringify(transactions[Number('index' in reference && reference.index)]),
    },
  });
  const question = { method, params: [String(block['number']), ...rest] };
  return (await prove(question, { chain, scope: new RequestScope(Number.POSITIVE_INFINITY) })).text;
}

/** Header families that verification encodes but cannot decode. */
const UNREAD: ReadonlySet<string> = new Set(['tempo']);

test('bundles of recorded blocks', { skip: samples === undefined && SKIP_REASON }, async (t) => {
  for (const sample of samples ?? []) {
    const { expected, family, name, block, receipts } = sample;
    const transactions = block['transactions'];
    if (!expected.header.startsWith('OK') || !expected.transactions.startsWith('OK')) continue;
    const isReadable = !UNREAD.has(family);
    if (Array.isArray(transactions) && transactions.length > 0) {
      await t.test(`${name}: a transaction is provable`, () =>
        expectProof(isReadable && areWhole(transactions), () =>
          proveOf(sample, 'eth_getTransactionByBlockNumberAndIndex', '0x0'),
        ),
      );
    }
    if (receipts === undefined) continue;
    await t.test(`${name}: receipts are provable`, () =>
      expectProof(isReadable && areWhole(receipts) && expected.receipts.startsWith('OK'), () =>
        proveOf(sample, 'eth_getBlockReceipts'),
      ),
    );
  }
});

/** Some recordings lack members that every node reports. */
function areWhole(objects: readonly Members[]): boolean {
  return objects.every(({ from }) => from != null);
}

async function expectProof(isProvable: boolean, work: () => Promise<string>): Promise<void> {
  if (isProvable) assert.ok('result' in decodeBundle(await work()).answer);
  else await assert.rejects(work, BundleError);
}
