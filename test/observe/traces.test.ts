import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTraceParent } from '../../src/observe/trace-parent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('a trace context is parsed according to the W3C specification', () => {
  const expected = { traceId: TRACE, spanId: SPAN };
  assert.deepEqual(parseTraceParent(`00-${TRACE}-${SPAN}-01`), { ...expected, isSampled: true });
  assert.deepEqual(parseTraceParent(`00-${TRACE}-${SPAN}-00`), { ...expected, isSampled: false });
  assert.deepEqual(parseTraceParent(`00-${TRACE}-${SPAN}-02`), { ...expected, isSampled: false });
  assert.deepEqual(parseTraceParent(`cc-${TRACE}-${SPAN}-03-more`), { ...expected, isSampled: true });
});

for (const text of [
  undefined,
  '',
  'nonsense',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01x`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
]) {
  test(`refuses the trace context ${text}`, () => assert.equal(parseTraceParent(text), undefined));
}
