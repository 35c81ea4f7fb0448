import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Finding } from '../../../../packages/proofs/findings.ts';
import { recoverPublicKey } from '../../../../scripts/chains/secp256k1.ts';
import { type VerificationTarget, Verifier } from '../../../../src/chains/upstream/verifying/verifier.ts';
import { Refutation } from '../../../../src/pool/fault.ts';
import type { BlockHeader } from '../../../../src/pool/heads/block.ts';
import { createRecordingLog } from '../../../gateway/recording-log.ts';
import { answer, createNode } from '../../../pool/support/scripted-node.ts';
import { setNode } from '../../../pool/support/set-node.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const BLOCK = { number: 100n, hash: HASH };
const WRONG: Finding = {
  subject: 'receipts',
  kind: 'contradicts',
  text: 'the receipts do not hash to the root',
};
const STRANGE: Finding = {
  subject: 'transactions',
  kind: 'unknown',
  text: 'an unknown type',
  evidence: 'type 0x55',
};

function open(count: number) {
  const nodes = Array.from({ length: count }, () => createNode(answer('"0x1"')).upstream);
  for (const node of nodes) setNode(node, { standing: 'verified' });
  const condemned: string[] = [];
  const verifier = new Verifier({
    network: 'test',
    mode: 'auto',
    upstreams: nodes,
    recoverPublicKey,
    log: createRecordingLog(),
    head: () => ({ ...BLOCK, parentHash: HASH, timestamp: 0n }) as BlockHeader,
    refute: (upstream, evidence) => void condemned.push(`${nodes.indexOf(upstream)} ${evidence}`),
  });
  verifier.calibration.finish();
  verifier.calibration.noteShown('receipts', 1n);
  const judgeOf = (block: VerificationTarget, node: number, ...found: readonly Finding[]): void =>
    verifier.classify(block, found, ['receipts'], nodes[node]);
  const classify = (node: number, ...found: readonly Finding[]): void => judgeOf(BLOCK, node, ...found);
  const accept = ({ subject, text }: Finding) =>
    verifier.acceptRules(new Refutation(HASH, subject, text), undefined);
  return { verifier, classify, judgeOf, accept, condemned };
}

describe('an answer that its block refutes', () => {
  it('is a fault; its node is quarantined once another node was right about the same block', () => {
    const { classify, condemned, verifier } = open(3);
    assert.throws(
      () => classify(0, WRONG),
      /the answer is refuted by its block: the receipts do not hash to the root/,
    );
    assert.deepEqual(condemned, []);
    classify(1);
    assert.deepEqual(condemned, [`0 about block ${HASH}: the receipts do not hash to the root`]);
    classify(2);
    assert.equal(condemned.length, 1);
    assert.deepEqual(verifier.counts, { verified: 2, unproven: 0, refuted: 1 });
  });

  it('is refused however many nodes return it', () => {
    const { classify, condemned } = open(3);
    for (const node of [0, 1, 2, 0]) assert.throws(() => classify(node, WRONG));
    assert.deepEqual(condemned, []);
  });

  it('is accepted if nothing has shown that it can be verified, and every node returns it', () => {
    const { classify, accept, verifier } = open(3);
    const derived: Finding = { subject: 'gasUsed', kind: 'contradicts', text: 'other gas', evidence: '1 2' };
    for (const node of [0, 1]) assert.throws(() => classify(node, derived));
    assert.equal(accept(derived), undefined);
    assert.throws(() => classify(2, derived));
    assert.notEqual(accept(derived), undefined);
    assert.equal(verifier.whyUnverifiable(BLOCK, ['gasUsed']), 'other gas');
    classify(2, derived);
  });
});

describe('an unknown form', () => {
  it('is accepted if every node returns it, and makes the block unverifiable; for later blocks two nodes are enough', () => {
    const { classify, judgeOf, accept, verifier } = open(3);
    for (const node of [0, 1]) assert.throws(() => classify(node, STRANGE));
    assert.equal(accept(STRANGE), undefined);
    assert.throws(() => classify(2, STRANGE));
    assert.notEqual(accept(STRANGE), undefined);
    classify(0, STRANGE);
    assert.equal(verifier.whyUnverifiable(BLOCK, ['transactions']), STRANGE.text);
    assert.equal(verifier.whyUnverifiable(BLOCK, ['receipts']), undefined);
    const next = { number: 101n, hash: `0x${'ac'.repeat(32)}` };
    const other: Finding = { ...STRANGE, evidence: 'type 0x56' };
    for (const node of [0, 1]) assert.throws(() => judgeOf(next, node, other));
    assert.throws(() => judgeOf(next, 0, STRANGE));
    judgeOf(next, 1, STRANGE);
    assert.equal(verifier.whyUnverifiable(next, ['transactions']), STRANGE.text);
  });

  it('is accepted from the only node', () => {
    const { classify, verifier } = open(1);
    classify(0, STRANGE);
    assert.notEqual(verifier.whyUnverifiable(BLOCK, ['transactions']), undefined);
  });
});

it('nothing is refuted before verification is calibrated', () => {
  const { classify, verifier } = open(1);
  verifier.calibration.reset();
  classify(0, WRONG);
  assert.match(verifier.whyUnverifiable(BLOCK, ['header']) ?? '', /not calibrated yet/);
});

it('onForgotten reports the blocks whose unverifiable marks are dropped', () => {
  const { verifier } = open(1);
  const forgotten: string[] = [];
  verifier.onForgotten = (hash) => void forgotten.push(hash);
  const hashes = Array.from({ length: 4_097 }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`);
  for (const hash of hashes) {
    verifier.markUnverifiable(hash, 'transactions', 'too large');
    verifier.markUnverifiable(hash, 'receipts', 'too large');
  }
  assert.deepEqual(forgotten, hashes.slice(0, 1));
});
