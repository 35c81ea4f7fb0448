import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLogger } from '../../src/observe/logger.ts';

const MODULE = fileURLToPath(new URL('../../src/observe/logger.js', import.meta.url));

test('writes one JSON object per line at and above its level', () => {
  const lines: string[] = [];
  const log = createLogger('warn', { sink: { write: (line) => void lines.push(line) } });
  log.info({}, 'unseen');
  log.warn({ network: 'devnet' }, 'seen');
  assert.equal(lines.length, 1);
  const entry = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.equal(entry['msg'], 'seen');
  assert.equal(entry['network'], 'devnet');
  assert.equal(entry['level'], 40);
  assert.equal(log.isLevelEnabled('info'), false);
  assert.equal(log.isLevelEnabled('error'), true);
});

test('format pretty writes a readable line, with the same limits per message', () => {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line) };
  const log = createLogger('info', { sink, format: 'pretty', perMinute: 1, process: 7 });
  for (let i = 0; i < 3; i++) log.warn({ network: 'devnet' }, 'seen');
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d\.\d{3} WARN {2}seen {2}process=7 network=devnet\n$/);
});

test('format auto writes JSON where stderr is not a terminal', () => {
  const script = `import { createLogger } from ${JSON.stringify(MODULE)};
    createLogger('info', { format: 'auto' }).info({}, 'seen');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  assert.equal(JSON.parse(stderr).msg, 'seen');
});

const ENDS: Readonly<Record<string, string>> = {
  'nothing is left to do': '',
  'it calls exit': 'process.exit(0);',
  'an exception is not caught': "throw new Error('end');",
  'a promise is not looked after': "Promise.reject(new Error('end'));",
};

for (const [how, statement] of Object.entries(ENDS)) {
  test(`no line is lost when the process ends because ${how}`, () => {
    const script = `import { createLogger } from ${JSON.stringify(MODULE)};
      const log = createLogger('info', { perMinute: 1_000 });
      for (let i = 0; i < 100; i++) log.info({ i, text: 'x'.repeat(100) }, 'counted');
      ${statement}`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    const lines = stderr.split('\n').filter((line) => line.startsWith('{"level":30'));
    // A write in progress may complete after the lines that are written at exit.
    const counted = lines.map((line) => JSON.parse(line).i as number).sort((one, next) => one - next);
    assert.deepEqual(
      counted,
      Array.from({ length: 100 }, (_, i) => i),
    );
  });
}
