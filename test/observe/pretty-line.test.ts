import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { formatPrettyLine } from '../../src/observe/pretty-line.ts';

/** Formats without the time, whose zone is that of the machine. */
function format(fields: object, isColoured = false): string {
  const time = '2026-11-28T12:00:00.123Z';
  const line = formatPrettyLine(`${JSON.stringify({ level: 40, time, ...fields })}\n`, isColoured);
  assert.match(stripVTControlCharacters(line), /^\d\d:\d\d:00\.123 /);
  return line.slice(line.indexOf(' ') + 1);
}

test('a line has level, message and fields, and members of objects are fields', () => {
  assert.equal(
    format({
      network: 'a',
      key: { id: '1a', name: 'my app' },
      ms: 3,
      none: null,
      list: ['x', 1],
      msg: 'slow request',
    }),
    'WARN  slow request  network=a key.id=1a key.name="my app" ms=3 none=null list=["x",1]\n',
  );
  assert.equal(format({ level: 30, msg: 'ready' }), 'INFO  ready\n');
  assert.equal(format({ level: 50, msg: 'm', empty: '', pair: 'a=b' }), 'ERROR m  empty="" pair="a=b"\n');
});

test('a text cannot control the terminal, add a line or imitate a field', () => {
  const hostile = 'a\n12:00:00.000 INFO  forged\x1b[2J\x9b2J\u202e\u2028\x07 b=1';
  const line = format({ reason: hostile, [`na\x1bme`]: 1, nested: { deep: [hostile] }, msg: `m\x1b[0m` });
  assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  assert.ok(line.endsWith('\n'));
  assert.match(line, / reason="a\\n12:00:00\.000 INFO {2}forged\\u001b\[2J\\u\{9b\}2J\\u\{202e\}/);
  assert.match(line, / na\\u\{1b\}me=1 /);
});

test('colours surround time, level and names only', () => {
  const coloured = format({ network: 'a', msg: 'm' }, true);
  assert.ok(coloured.endsWith('\x1b[33mWARN \x1b[0m m  \x1b[2mnetwork=\x1b[0ma\n'));
  assert.equal(stripVTControlCharacters(coloured), format({ network: 'a', msg: 'm' }));
});
