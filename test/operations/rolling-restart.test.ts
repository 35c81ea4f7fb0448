import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailures } from './load/plan.ts';
import { countClean, countUnclean, findRollingLack, runRollingRestart } from './rolling-restart.ts';

const name = findRollingLack('haproxy') === undefined ? 'haproxy' : 'nginx';
const skip = findRollingLack(name) ?? false;
test(`one of three replicas of two workers is restarted behind ${name}: no request fails`, {
  skip,
}, async () => {
  const { http, webSocket, exits } = await runRollingRestart(name, 1);
  assert.equal(describeFailures([http, webSocket]), 'none');
  assert.ok(http.right > 0 && webSocket.right > 0);
  assert.ok(countClean(webSocket) > 0, 'it had WebSockets');
  assert.equal(countUnclean(webSocket), 0, JSON.stringify(webSocket.closes));
  assert.deepEqual(exits, [0]);
});
