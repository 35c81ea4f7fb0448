import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recoverPublicKey } from '../../../../scripts/chains/secp256k1.ts';
import { TrustRules } from '../../../../src/chains/upstream/verifying/trust.ts';
import { Verifier } from '../../../../src/chains/upstream/verifying/verifier.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { createRecordingLog } from '../../../gateway/recording-log.ts';

const POSITION = { number: 100n, hash: `0x${'ab'.repeat(32)}` };
const EARLY = /not verified, .*: the request came before verification was calibrated: send it again/;

function open(mode: 'auto' | 'require') {
  const verifier = new Verifier({
    network: 'test',
    mode,
    upstreams: [],
    recoverPublicKey,
    log: createRecordingLog(),
    head: () => undefined,
    refute: () => {},
  });
  return { calibration: verifier.calibration, trust: new TrustRules(verifier, () => true) };
}

const begin = (): RequestScope => new RequestScope(performance.now() + 60_000);

/** Waits for the clock to advance: scopes are compared by it. */
function pass(): void {
  for (const now = performance.now(); performance.now() === now; );
}

describe('an answer that was requested before verification was calibrated', () => {
  const notes = {
    'of a block': ({ trust }, scope) => trust.note(scope, POSITION, false, ['receipts']),
    'of logs': ({ trust }, scope) => trust.noteLogs(scope, POSITION, true, undefined),
  } satisfies Record<string, (opened: ReturnType<typeof open>, scope: RequestScope) => void>;

  for (const [what, note] of Object.entries(notes)) {
    it(`${what} is not verified, though answers of its kind are verifiable by now`, () => {
      for (const mode of ['auto', 'require'] as const) {
        const opened = open(mode);
        const early = begin();
        pass();
        opened.calibration.finish();
        opened.calibration.noteShown('receipts', 1n);
        if (mode === 'require') assert.throws(() => note(opened, early), EARLY);
        else {
          note(opened, early);
          assert.notEqual(early.trust, 'proven');
        }
        const late = begin();
        note(opened, late);
        assert.equal(late.trust, 'proven');
      }
    });
  }

  it('is verified if it was executed locally on verified state', () => {
    const { calibration, trust } = open('require');
    const early = begin();
    pass();
    calibration.finish();
    trust.noteExecuted(early, POSITION, false, undefined);
    assert.equal(early.trust, 'proven');
  });

  it('is not verified if only a later block has shown how', () => {
    const { calibration, trust } = open('auto');
    calibration.finish();
    calibration.noteUnverifiable('receipts', 'other rules', 50n);
    pass();
    const early = begin();
    pass();
    calibration.noteShown('receipts', 90n);
    trust.note(early, POSITION, false, ['receipts']);
    assert.equal(early.trust, 'agreed');
    pass();
    const late = begin();
    // No more is compared than before.
    pass();
    calibration.noteShown('receipts', 95n);
    calibration.finish();
    trust.note(late, POSITION, false, ['receipts']);
    assert.equal(late.trust, 'proven');
  });
});
