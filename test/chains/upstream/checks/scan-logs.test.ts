import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scanLogs } from '../../../../src/chains/upstream/checks/scan-logs.ts';

const readAll = (text: string): unknown[] =>
  [...scanLogs(text)].flatMap((log) => (log === undefined ? [] : [JSON.parse(log)]));

describe('logs in the text of receipts', () => {
  it('are found at their place in receipts, and nothing else is', () => {
    const receipts = [
      { logsBloom: '0x', l2ToL1Logs: [{ key: 'no log' }], logs: [{ data: '0x1' }, { data: '0x2' }] },
      { logs: [], extra: { logs: [{ data: 'no log' }] } },
      { logs: [{ topics: ['0x1'], more: { logs: [{}] } }], note: 'logs' },
    ];
    const expected = receipts.flatMap(({ logs }): unknown[] => logs);
    assert.deepEqual(readAll(JSON.stringify(receipts)), expected);
    assert.deepEqual(readAll(JSON.stringify(receipts, undefined, 2)), expected);
  });

  it('are found in lists of logs', () => {
    assert.deepEqual(readAll('[[{"a":1},{"b":[{}]}],[{"c":3}]]'), [{ a: 1 }, { b: [{}] }, { c: 3 }]);
    assert.deepEqual(readAll('[[]]'), []);
    assert.deepEqual(readAll('[]'), []);
    assert.deepEqual(readAll('null'), []);
  });

  it('are found whatever strings, objects and lists contain', () => {
    const log = fc.dictionary(fc.string(), fc.jsonValue());
    const receipt = fc.record({ a: fc.jsonValue(), logs: fc.array(log), b: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(receipt), fc.nat(2), (receipts, blanks) => {
        const expected = receipts.flatMap(({ logs }) => logs);
        const text = JSON.stringify(receipts, undefined, blanks);
        const parsed = JSON.parse(JSON.stringify(expected));
        assert.deepEqual(readAll(text), parsed);
        const lists = JSON.stringify(receipts.map(({ logs }) => logs));
        assert.deepEqual(readAll(lists), parsed);
      }),
    );
  });

  it('are searched for with pauses', () => {
    const text = JSON.stringify([{ data: ['x'.repeat(100_000), 'y'.repeat(100_000)], logs: [{}] }]);
    assert.deepEqual([...scanLogs(text)], [undefined, undefined, '{}']);
  });
});
