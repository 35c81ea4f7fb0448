import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members, type Subject } from '../../../packages/proofs/findings.ts';
import { KnownTransactions } from '../../../packages/proofs/known-transactions.ts';
import { isMembers } from '../../../packages/proofs/members.ts';
import { compareLogs, LogMatcher, listMatching } from '../../../packages/proofs/verify-logs.ts';
import { verifySender } from '../../../packages/proofs/verify-transaction.ts';
import { recoverPublicKey } from '../../../scripts/chains/secp256k1.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { readSamples, type Sample, verifySample } from './samples.ts';

const samples = readSamples();

/** Headers that the index recomputes and this project cannot: Kaia first empties the seals within the extra data. */
const WITHOUT_FORM: ReadonlySet<string> = new Set(['klaytn-private-1078']);
/** Samples recorded by programs that omit members they do not need, unlike answers of nodes. */
const WITHOUT_MEMBERS: ReadonlySet<string> = new Set([
  'berachain-6925006',
  'mainnet-23587691-witness',
  'mainnet-239782',
  'mainnet-483920',
  'optimism-l2geth-87673',
  'optimism-l2geth-985465',
  'optimism-sepolia-26207961',
  'polygon-20062432',
  'scroll-14919992',
  'scroll-devnet-5343513301-35',
  'scroll-devnet-5343513301-36',
]);
test('recomputed roots agree with the index of the samples', {
  skip: samples === undefined && SKIP_REASON,
}, () => {
  let roots = 0;
  for (const sample of samples ?? []) {
    if (sample.block['hash'] == null) continue;
    const { findings, facts } = verifySample(sample.block, sample.receipts);
    const { header, transactions, receipts, withdrawals } = sample.expected;
    const hasForm = !WITHOUT_FORM.has(sample.name);
    roots += compare(sample, 'header', header, hasForm && !findings.has('header'), hasForm);
    roots += compare(sample, 'transactions', transactions, facts !== undefined, true);
    if (hasForm)
      roots += compare(
        sample,
        'receipts',
        receipts,
        !findings.has('receipts'),
        sample.receipts !== undefined,
      );
    roots += compare(sample, 'withdrawals', withdrawals, !findings.has('withdrawals'), facts !== undefined);
  }
  assert.ok(roots > 150, `${roots} roots were compared`);
});

/** @returns number of compared roots */
function compare(
  { name }: Sample,
  subject: string,
  expected: string,
  isCorrect: boolean,
  isChecked: boolean,
): 0 | 1 {
  if (!isChecked || !/^(OK|FAIL)/.test(expected)) return 0;
  assert.equal(isCorrect, expected.startsWith('OK'), `${subject} of ${name}: the index says ${expected}`);
  return 1;
}

test('blocks whose roots all recompute have no findings', {
  skip: samples === undefined && SKIP_REASON,
}, () => {
  let blocks = 0;
  for (const { name, block, receipts, expected } of samples ?? []) {
    const told = [expected.header, expected.transactions, expected.receipts];
    if (told.some((cell) => /^(FAIL|n\/a)/.test(cell)) || block['transactions'] === undefined) continue;
    const { findings } = verifySample(block, receipts);
    const all = findings.list.map(({ subject }) => subject);
    assert.equal(all.includes('members'), WITHOUT_MEMBERS.has(name), name);
    const subjects = all.filter((subject) => subject !== 'members');
    assert.deepEqual(subjects, [], `${name}: ${JSON.stringify(findings.list)}`);
    blocks++;
  }
  assert.ok(blocks > 45, `${blocks} blocks were compared`);
});

test('recovered senders match the samples', { skip: samples === undefined && SKIP_REASON }, () => {
  let senders = 0;
  for (const { name, block, expected } of samples ?? []) {
    if (!expected.header.startsWith('OK') || !Array.isArray(block['transactions'])) continue;
    const tools = { findings: new Findings(), writer: new RlpWriter() };
    for (const transaction of (block['transactions'] as readonly unknown[]).slice(0, 5)) {
      if (!isMembers(transaction)) continue;
      verifySender(transaction, tools, recoverPublicKey);
      senders++;
    }
    assert.deepEqual(tools.findings.list, [], name);
  }
  assert.ok(senders > 100, `${senders} senders were compared`);
});

test('logs of the samples match their receipts and blooms', {
  skip: samples === undefined && SKIP_REASON,
}, () => {
  const all = new LogMatcher({ addresses: [], topics: [] });
  let compared = 0;
  let excluded = 0;
  for (const { name, block, receipts = [] } of samples ?? []) {
    const { findings, header, facts } = verifySample(block, receipts);
    if (header === undefined || facts === undefined || receipts.length === 0) continue;
    if (['receipts', 'place', 'logIndex'].some((subject) => findings.has(subject as Subject))) continue;
    const logs = receipts.flatMap(({ logs }) => logs as readonly Members[]);
    const expected = listMatching(receipts, { header, transactions: KnownTransactions.of(facts) }, all);
    assert.equal(
      compareLogs(logs, expected, () => header),
      undefined,
      name,
    );
    if (logs.length === 0) continue;
    assert.match(compareLogs(logs.slice(1), expected, () => header)?.text ?? '', /missing/, name);
    compared += logs.length;
    for (const { address, topics } of logs) {
      const addresses = [String(address).toLowerCase()];
      const positions = (topics as readonly string[]).map((topic) => [topic]);
      assert.ok(new LogMatcher({ addresses, topics: positions }).mayMatch(header.logsBloom), name);
    }
    const other = { addresses: [header.parentHash.slice(0, 42)], topics: [] };
    if (!new LogMatcher(other).mayMatch(header.logsBloom)) excluded++;
  }
  assert.ok(compared > 1_000, `${compared} logs were compared`);
  assert.ok(excluded > 10, `${excluded} blooms excluded an address`);
});
