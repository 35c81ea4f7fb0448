import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailures } from './load/plan.ts';
import { countClean, countUnclean, findRollingLack, runRollingRestart } from './rolling-restart.ts';

/** A load so small that a busy machine answers it in time, too. */
const LOAD = { http: { connections: 8, perSecond: 40 }, webSocket: { connections: 12, perSecond: 40 } };
const name = findRollingLack('haproxy') === undefined ? 'haproxy' : 'nginx';
const skip = findRollingLack(name) ?? false;
test(`no request fails while one of three replicas of two workers restarts behind ${name}`, {
  skip,
}, async () => {
  const { http, webSocket, exits } = await runRollingRestart(name, 1, LOAD);
  assert.equal(describeFailures([http, webSocket]), 'none');
  assert.ok(http.right > 0 && webSocket.right > 0);
  assert.ok(countClean(webSocket) > 0, 'it had WebSockets');
  assert.equal(countUnclean(webSocket), 0, JSON.stringify(webSocket.closes));
  assert.deepEqual(exits, [0]);
});
