import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recoverPublicKey } from '../../../src/primitives/secp256k1.ts';
import { openVerification } from '../../../src/upstream/verifying/open-verification.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import { askNode } from '../../support/faults/ask-node.ts';
import { type RunningService, startService } from '../../support/service.ts';

const HEAD = 40n;
/** After this time what did not recompute is looked at again. */
const RECHECK_MS = 60_000;

let node: RunningService;

before(async () => {
  node = await startService({ networks: { devnet: { hosts: ['localhost'], builtin: 'devnet' } } });
});
after(() => node.close());

test('what no node’s blocks recomputed at the start is verified once a node’s do', {
  timeout: 60_000,
}, async (t) => {
  let isLying = true;
  let asked = 0;
  const log = createRecordingLog();
  const verification = openVerification({
    network: 'test',
    verify: 'auto',
    log,
    upstreams: [],
    recoverPublicKey,
    condemn: () => {},
    isWitnessed: () => false,
    head: () => ({ number: HEAD }) as never,
    ask: async ({ call: { method, params } }) => {
      asked++;
      const url = `http://${node.authority}/devnet/v3/demo`;
      const answer = await askNode(url, { method, params: JSON.parse(params) as unknown[] });
      assert.ok('result' in answer);
      const { result } = answer;
      return JSON.stringify(
        isLying && method.startsWith('eth_getBlockBy') ? { ...(result as object), gasLimit: '0x1' } : result,
      );
    },
  });
  const stateOf = (subject: string): string | undefined =>
    verification.describe().verification?.rows.find((row) => row.subject === subject)?.state;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await verification.calibrate();
    assert.equal(stateOf('header'), 'unverifiable');
    isLying = false;
    t.mock.timers.tick(RECHECK_MS - 1);
    const before = asked;
    t.mock.timers.tick(1);
    while (stateOf('header') !== 'verified') await new Promise((resolve) => setImmediate(resolve));
    assert.ok(asked > before);
    assert.deepEqual(['header', 'transactions', 'receipts'].map(stateOf), [
      'verified',
      'verified',
      'verified',
    ]);
    const told = log.lines.filter((line) => line.includes('it is known what'));
    assert.equal(told.length, 2);
  } finally {
    t.mock.timers.reset();
    verification.close();
  }
});
