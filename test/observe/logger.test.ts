import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../src/observe/logger.ts';

test('writes one JSON object a line, from its level on', () => {
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
