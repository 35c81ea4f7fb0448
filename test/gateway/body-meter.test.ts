import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Denial } from '../../src/access/limits/account.ts';
import type { Limiter } from '../../src/access/limits/limiter.ts';
import type { Session } from '../../src/gateway/admission.ts';
import { BodyMeter } from '../../src/gateway/body-meter.ts';
import { CallGuard } from '../../src/gateway/call-guard.ts';
import { CallWatch } from '../../src/gateway/call-watch.ts';
import { CreditScale } from '../../src/gateway/credit-scale.ts';
import { WORK_CREDITS } from '../../src/methods/work-credits.ts';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import { RpcError } from '../../src/rpc/errors.ts';

const SESSION = { network: { name: 'n' }, principal: { id: 'p', name: 'p' } } as unknown as Session;
const DENIAL: Denial = { reason: 'credits', allowed: 0, current: 0, retryAfterMs: 5_000 };

/** Opens a meter for a key with `left` credits. */
function openMeter(left: number, table: Readonly<Record<string, number>> = {}) {
  const taken: [credits: number, calls: number | undefined][] = [];
  const limiter = {
    takeForKey(_principal: unknown, credits: number, _now: number, calls?: number): Denial | undefined {
      if (credits > left) return DENIAL;
      left -= credits;
      taken.push([credits, calls]);
      return undefined;
    },
  } as unknown as Limiter;
  const scale = new CreditScale(table);
  const recorder = new CallRecorder(new Set());
  const watch = new CallWatch(recorder, scale);
  return { meter: new BodyMeter({ guard: new CallGuard(limiter, scale), scale, watch }, SESSION), taken };
}

test('verification work of nodes costs credits of the key, but no calls', async () => {
  const { meter, taken } = openMeter(10_000);
  await meter.pay(100, 3);
  const credits = 100 * WORK_CREDITS.execution_provenKey + 3 * WORK_CREDITS.execution_roundTrip;
  assert.deepEqual(taken, [[credits, 0]]);
});

test('a key with too few credits is refused with the bound, and is not charged', () => {
  const { meter, taken } = openMeter(100);
  assert.throws(
    () => meter.pay(1_000, 1),
    (error) => error instanceof RpcError && error.rowName === 'creditsSpent' && error.bound === 'key.credits',
  );
  assert.deepEqual(taken, []);
});

test('a configured table of credits sets the cost', async () => {
  const { meter, taken } = openMeter(100, { execution_provenKey: 0, execution_roundTrip: 7 });
  await meter.pay(1_000, 0);
  await meter.pay(1_000, 2);
  assert.deepEqual(taken, [[14, 0]]);
});
