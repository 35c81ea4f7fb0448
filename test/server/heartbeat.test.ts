import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import fc from 'fast-check';
import { Heartbeat } from '../../src/server/heartbeat.ts';

test('each member is checked once per interval, and only a few at once', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(300), fc.nat(300), (ticks, members, leavers) => {
        const interval = ticks * 100;
        const heartbeat = new Heartbeat(interval);
        const beats = Array.from({ length: members }, () => 0);
        let [atOnce, most] = [0, 0];
        const all = beats.map((_, i) => ({
          beat(): void {
            (beats[i] as number)++;
            most = Math.max(most, ++atOnce);
          },
        }));
        for (const member of all) heartbeat.add(member);
        const left = all.slice(0, leavers);
        for (const member of left) heartbeat.delete(member);
        for (let ms = 0; ms < 3 * interval; ms++) {
          atOnce = 0;
          mock.timers.tick(1);
        }
        heartbeat.stop();
        mock.timers.tick(interval);
        assert.deepEqual(beats, [...left.map(() => 0), ...all.slice(left.length).map(() => 3)]);
        if (interval >= 1_600) assert.ok(most <= Math.ceil(members / 32), `${most}`);
      }),
      { numRuns: 20 },
    );
  } finally {
    mock.timers.reset();
  }
});
