/** Logs of an answer that read like those of the receipts but differ. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import type { KnownBlock } from '../../../packages/proofs/known-transactions.ts';
import { type VerifiedHeader, verifyBody, verifyHeader } from '../../../packages/proofs/verify-block.ts';
import { compareLogs, LogMatcher, listMatching } from '../../../packages/proofs/verify-logs.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { readSamples } from './samples.ts';

type Log = Readonly<Record<string, unknown>> & { readonly topics: readonly string[] };

const samples = (readSamples() ?? []).filter(
  ({ expected, receipts }) => expected.transactions === 'OK' && receipts !== undefined,
);

/** Changes of a log that move the same characters, or hex of the same value, to another place. */
const CHANGES: readonly ((log: Log) => object)[] = [
  ({ topics }) => ({ topics: topics.length > 1 ? [topics.join()] : [...topics, ''] }),
  ({ topics: [first = '', ...rest] }) => ({ topics: first === '' ? [''] : [`${first},${rest.join()}`] }),
  ({ topics }) => ({ topics: topics.join() }),
  ({ topics }) => ({ topics: [topics] }),
  ({ data, topics }) => ({ topics: [...topics, data], data: '' }),
  ({ address, topics: [first = '', ...rest] }) => ({ address: `${String(address)} ${first}`, topics: rest }),
  ({ address }) => ({ address: String(address).replace('0x', '0X') }),
  ({ transactionHash }) => ({ transactionHash: String(transactionHash).replace('0x', '0X') }),
  ({ data }) => ({ data: `${String(data)} ` }),
  ({ data }) => ({ data: [data] }),
  ({ logIndex }) => ({ logIndex: [logIndex] }),
  ({ logIndex }) => ({ logIndex: ` ${String(logIndex)}` }),
];

test('logs with the same characters in other places do not match the receipts', {
  skip: samples.length === 0 && SKIP_REASON,
}, () => {
  let changed = 0;
  for (const { name, block, receipts = [] } of samples) {
    const tools = { findings: new Findings(), writer: new RlpWriter() };
    const header = verifyHeader(block, String(block['hash']), tools);
    const transactions = header && verifyBody(block, header, tools);
    if (header === undefined || transactions === undefined) continue;
    const matcher = new LogMatcher({ addresses: [], topics: [] });
    const expected = listMatching(receipts, { header, transactions }, matcher);
    const logs = receipts.flatMap((receipt) => receipt['logs'] as readonly Log[]);
    const compare = (told: readonly Members[]) => compareLogs(told, expected, () => header);
    if (compare(logs) !== undefined) continue;
    for (const [at, log] of logs.slice(0, 12).entries())
      for (const [i, change] of CHANGES.entries()) {
        const members = change(log);
        const told = logs.map((each, place) => (place === at ? { ...each, ...members } : each));
        assert.ok(compare(told) !== undefined, `${name}: log ${at}, change ${i}`);
        changed++;
      }
  }
  assert.ok(changed > 500, `${changed} changes`);
});

/** @returns logs that count how many of them are read */
function countLooks(
  count: number,
  make: (index: number) => Members,
): { told: Members[]; looked: Set<number> } {
  const looked = new Set<number>();
  const told = Array.from({ length: count }, (_, index) => ({
    ...make(index),
    get data() {
      looked.add(index);
      return LONG_DATA;
    },
  }));
  return { told, looked };
}

const LONG_DATA = `0x${'ab'.repeat(200_000)}`;
const HASH = `0x${'11'.repeat(32)}`;
const LOG = {
  address: `0x${'22'.repeat(20)}`,
  topics: [HASH],
  transactionHash: HASH,
  transactionIndex: '0x0',
  blockNumber: '0x5',
  blockHash: HASH,
};

test('reading stops once the logs are longer than those in the receipts', () => {
  const header = { hash: HASH, number: 5n, timestamp: 1n } as VerifiedHeader;
  const known = { header, transactions: { facts: [{ hash: HASH }] } } as unknown as KnownBlock;
  const matcher = new LogMatcher({ addresses: [], topics: [] });
  const expected = listMatching(
    [{ logs: [LOG, LOG].map((log) => ({ ...log, data: LONG_DATA })) }],
    known,
    matcher,
  );
  const compare = (told: readonly Members[]) => compareLogs(told, expected, () => header);
  const index = (logIndex: number) => ({ ...LOG, logIndex: `0x${logIndex.toString(16)}` });
  const right = countLooks(2, index);
  assert.equal(compare(right.told), undefined);
  const many = countLooks(60, index);
  assert.match(compare(many.told)?.text ?? '', /longer than those in the receipts/);
  assert.ok(many.looked.size <= 3, `${many.looked.size} logs are looked at`);
  assert.match(compare(countLooks(2, () => index(1)).told)?.text ?? '', /missing/);
  assert.match(compare(countLooks(2, (at) => index(1 - at)).told)?.text ?? '', /order/);
  const upper = [0, 1].map((at) => ({ ...index(at), data: LONG_DATA.toUpperCase().replace('0X', '0x') }));
  assert.equal(compare(upper), undefined);
});
