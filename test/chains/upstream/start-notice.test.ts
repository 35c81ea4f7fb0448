import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartNotice } from '../../../src/chains/upstream/start-notice.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';

const MINUTE = 60_000;

test('a network that is down at the start is logged after a second, then at a bounded rate, and once it is served', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const log = createRecordingLog();
  let reason = 'the only node does not answer';
  const notice = new StartNotice({ network: 'mine', log, explain: () => reason });
  const lines = () => log.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  t.mock.timers.tick(999);
  assert.equal(log.lines.length, 0);
  t.mock.timers.tick(1);
  assert.deepEqual([lines()[0]?.['network'], lines()[0]?.['reason']], ['mine', reason]);
  // Lines in a day: after 1, 2, 4, 8, 16 and 32 minutes, and then every hour.
  for (let minutes = 0; minutes < 24 * 60; minutes++) t.mock.timers.tick(MINUTE);
  assert.ok(log.lines.length > 24 && log.lines.length < 32, `${log.lines.length} lines`);
  reason = '2 nodes do not answer';
  t.mock.timers.tick(60 * MINUTE);
  assert.equal(lines().at(-1)?.['reason'], reason);
  const before = log.lines.length;
  notice.end({ chainId: '1', head: '5' });
  notice.end({ chainId: '1', head: '6' });
  t.mock.timers.tick(120 * MINUTE);
  assert.equal(log.lines.length, before + 1);
  const { message, head, chainId } = lines().at(-1) ?? {};
  assert.deepEqual([message, chainId, head], ['network is served by its nodes', '1', '5']);
});

test('a network that is served within the first second is never logged as down', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const log = createRecordingLog();
  const notice = new StartNotice({ network: 'mine', log, explain: assert.fail });
  t.mock.timers.tick(500);
  notice.end({ chainId: '1', head: '5' });
  t.mock.timers.tick(MINUTE);
  assert.equal(log.lines.length, 1);
});
