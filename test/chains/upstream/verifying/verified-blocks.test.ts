import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecoverPublicKey } from '../../../../packages/ethereum/primitives/signature.ts';
import { type Members, SUBJECTS } from '../../../../packages/proofs/findings.ts';
import { recoverPublicKey } from '../../../../scripts/chains/secp256k1.ts';
import { VerifiedBlocks } from '../../../../src/chains/upstream/verifying/verified-blocks.ts';
import { Verifier } from '../../../../src/chains/upstream/verifying/verifier.ts';
import { Refutation } from '../../../../src/pool/fault.ts';
import { createRecordingLog } from '../../../gateway/recording-log.ts';
import { readSamples } from '../../../packages/proofs/samples.ts';
import { SKIP_REASON } from '../../../support/vectors.ts';

/** A mainnet block with more transactions than are recovered per block. */
const sample = readSamples()?.find(
  ({ block, expected }) =>
    expected.header === 'OK' &&
    Array.isArray(block['transactions']) &&
    block['transactions'].length > 20 &&
    block['transactions'].every(({ type }: Members) => type === '0x0' || type === '0x2'),
);

/** A verifier with this key recovery. */
function createVerifier(recover: RecoverPublicKey = recoverPublicKey): Verifier {
  return new Verifier({
    network: 'test',
    mode: 'auto',
    upstreams: [],
    recoverPublicKey: recover,
    log: createRecordingLog(),
    head: () => undefined,
    refute: () => {},
  });
}

test('senders of a block are sampled, at least one of each block, however many blocks there are', {
  skip: sample === undefined && SKIP_REASON,
}, () => {
  let recovered = 0;
  const verifier = createVerifier((...signature) => {
    recovered++;
    return recoverPublicKey(...signature);
  });
  verifier.calibration.finish();
  for (const subject of SUBJECTS) verifier.calibration.noteShown(subject, 1n);
  const blocks = new VerifiedBlocks(verifier);
  const { block } = sample as NonNullable<typeof sample>;
  const named = { number: BigInt(String(block['number'])), hash: String(block['hash']) };
  const text = JSON.stringify(block);
  for (let i = 0; i < 100; i++) {
    const before = recovered;
    assert.equal(blocks.check(named, text, true, undefined), text);
    assert.ok(recovered - before >= 1 && recovered - before <= 4, `${recovered - before} senders`);
  }
  const transactions = (block['transactions'] as readonly Members[]).map((transaction) => ({
    ...transaction,
    from: `0x${'12'.repeat(20)}`,
  }));
  const lie = JSON.stringify({ ...block, transactions });
  assert.throws(() => blocks.check(named, lie, true, undefined), Refutation);
});

test('uncles are bounded by their number, not by that of their blocks', () => {
  const blocks = new VerifiedBlocks(createVerifier());
  const uncles = new Array(10_000).fill(`0x${'11'.repeat(32)}`);
  blocks.noteUncles('first', uncles);
  assert.equal(blocks.unclesOf('first')?.length, uncles.length);
  blocks.noteUncles('second', uncles);
  assert.equal(blocks.unclesOf('first'), undefined);
  assert.equal(blocks.unclesOf('second')?.length, uncles.length);
});
