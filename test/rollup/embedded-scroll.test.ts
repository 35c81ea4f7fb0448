/** The Scroll family over the embedded chain: the oracle that it calls is a contract executed by the engine. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { SCROLL_ORACLE, SCROLL_ORACLE_RUNTIME, SCROLL_SLOTS } from '../../scripts/contracts/scroll-oracle.ts';
import { encodeSizedTransaction } from '../../src/rollup/estimate/signing-payload.ts';
import { loadFamily } from '../../src/rollup/family-table.ts';
import { recogniseFamily } from '../../src/rollup/recognise-family.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { ALICE, createGenesis, limitTo, type OpenedChain, openBuiltChain } from '../support/test-chain.ts';
import { makeSources } from './scripted-chain.ts';

const LATEST = { kind: 'tag', tag: 'latest' } as const;
const LEAST_TIP = 1_000_000n;
const PRECISION = 1_000_000_000n;
const PRICES = {
  l1BaseFee: 9_000_000_000n,
  l1BlobBaseFee: 3_000_000n,
  commitScalar: 230_759_955_285n,
  blobScalar: 417_565_260n,
};

let opened: OpenedChain;
before(async () => {
  const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
  const storage = Object.fromEntries(
    Object.entries(SCROLL_SLOTS).map(([name, slot]) => [
      word(BigInt(slot)),
      word(PRICES[name as keyof typeof PRICES]),
    ]),
  );
  const genesis = createGenesis({
    revision: 'cancun',
    alloc: { [SCROLL_ORACLE]: { balance: '0', code: bytesToHex(SCROLL_ORACLE_RUNTIME), storage } },
  });
  opened = await openBuiltChain(genesis, new ChainBuilder(genesis));
});
after(async () => {
  await opened.close();
  assert.deepEqual(opened.faults, []);
});

test('the chain is recognised as scroll', async () => {
  assert.equal((await recogniseFamily(opened.chain, limitTo(5_000))).row?.name, 'scroll');
});

test('an estimate covers the Curie fee of the same transaction with its signature', async () => {
  const family = (await loadFamily('scroll')).create(makeSources(opened.chain));
  const header = await opened.chain.blocks.getHeader(LATEST);
  const baseFee = header?.baseFeePerGas as bigint;
  for (const length of [0, 1, 68, 3_000]) {
    const call = { from: bytesToHex(ALICE), to: `0x${'b0'.repeat(20)}`, data: `0x${'c5'.repeat(length)}` };
    const { gasLimit, priorityFeePerGas } = await family.estimateGas({ call, block: LATEST }, limitTo(5_000));
    const fees = {
      maxFeePerGas: `0x${(2n * baseFee + LEAST_TIP).toString(16)}`,
      maxPriorityFeePerGas: `0x${LEAST_TIP.toString(16)}`,
    };
    const sized = encodeSizedTransaction(
      { ...call, ...fees },
      { chainId: 1_337n, nonce: 0n, gasLimit, gasPrice: baseFee },
    );
    const { l1BaseFee, l1BlobBaseFee, commitScalar, blobScalar } = PRICES;
    const owed = (commitScalar * l1BaseFee + blobScalar * BigInt(sized.length) * l1BlobBaseFee) / PRECISION;
    assert.equal(priorityFeePerGas, LEAST_TIP + (owed + gasLimit - 1n) / gasLimit);
  }
});
