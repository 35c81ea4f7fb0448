import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBuffer } from '../../src/observe/line-buffer.ts';
import { createLogger } from '../../src/observe/logger.ts';

test('lines are written in one batch after a delay', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const written: string[] = [];
  const lines = new LineBuffer({ write: (text) => void written.push(text) }, 100);
  lines.write('one\n');
  lines.write('two\n');
  assert.deepEqual(written, []);
  t.mock.timers.tick(100);
  assert.deepEqual(written, ['one\ntwo\n']);
  lines.write('three\n');
  t.mock.timers.tick(100);
  assert.deepEqual(written, ['one\ntwo\n', 'three\n']);
});

test('a batch is bounded in bytes, and a longer line is written separately', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const written: string[] = [];
  const lines = new LineBuffer({ write: (text) => void written.push(text) }, 10);
  for (const line of ['1234\n', '5678\n', '9\n', 'é'.repeat(4), `${'x'.repeat(20)}\n`, '0\n'])
    lines.write(line);
  assert.deepEqual(written, ['1234\n5678\n', `9\n${'é'.repeat(4)}`, `${'x'.repeat(20)}\n`]);
  assert.equal(lines.take(), '0\n');
  t.mock.timers.tick(1_000);
  assert.equal(written.length, 3);
});

for (const format of ['json', 'pretty'] as const) {
  test(`an error is written immediately, with the lines before it, as ${format}`, () => {
    const written: string[] = [];
    const lines = new LineBuffer({ write: (text) => void written.push(text) }, 4_096);
    const log = createLogger('info', { sink: lines, format });
    log.info({}, 'first');
    log.warn({}, 'second');
    assert.equal(written.length, 0);
    log.error({}, 'third');
    assert.deepEqual(
      written.map((text) =>
        text
          .split('\n')
          .filter(Boolean)
          .map((line) => (format === 'json' ? JSON.parse(line).msg : line.split(' ').at(-1))),
      ),
      [['first', 'second', 'third']],
    );
    assert.equal(lines.take(), '');
  });
}
