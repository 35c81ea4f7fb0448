import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recoverPublicKey } from '../../../src/primitives/secp256k1.ts';
import { Verifier } from '../../../src/upstream/verifying/verifier.ts';
import type { Finding } from '../../../src/verification/findings.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import { answer, createNode } from '../support/scripted-node.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const BLOCK = { number: 100n, hash: HASH };
const WRONG: Finding = {
  subject: 'receipts',
  kind: 'contradicts',
  text: 'the receipts do not make the root',
};
const STRANGE: Finding = { subject: 'transactions', kind: 'unknown', text: 'a type that is not known here' };

function open(count: number) {
  const nodes = Array.from({ length: count }, () => createNode(answer('"0x1"')).upstream);
  for (const node of nodes) node.standing = 'verified';
  const condemned: string[] = [];
  const verifier = new Verifier({
    network: 'test',
    mode: 'auto',
    upstreams: nodes,
    recoverPublicKey,
    log: createRecordingLog(),
    head: () => undefined,
    onDoubt: () => {},
    condemn: (upstream, evidence) => void condemned.push(`${nodes.indexOf(upstream)} ${evidence}`),
  });
  verifier.calibration.isDone = true;
  verifier.calibration.noteVerified('receipts');
  const judge = (node: number, ...found: readonly Finding[]): void =>
    verifier.judge(BLOCK, found, ['receipts'], nodes[node]);
  return { verifier, judge, condemned };
}

describe('an answer that its block refutes', () => {
  it('is a fault; its node is quarantined once another one was right about the same', () => {
    const { judge, condemned, verifier } = open(3);
    assert.throws(
      () => judge(0, WRONG),
      /the answer is refuted by its block: the receipts do not make the root/,
    );
    assert.deepEqual(condemned, []);
    judge(1);
    assert.deepEqual(condemned, [`0 of block ${HASH}: the receipts do not make the root`]);
    judge(2);
    assert.equal(condemned.length, 1);
    assert.deepEqual(verifier.counts, { verified: 2, unproven: 0, refuted: 1 });
  });

  it('is refused however many nodes give it', () => {
    const { judge, condemned } = open(3);
    for (const node of [0, 1, 2, 0]) assert.throws(() => judge(node, WRONG));
    assert.deepEqual(condemned, []);
  });

  it('is the chain’s where nothing has shown that it can be verified, and nodes agree', () => {
    const { judge, verifier } = open(3);
    const derived: Finding = { subject: 'gasUsed', kind: 'contradicts', text: 'other gas' };
    assert.throws(() => judge(0, derived));
    judge(1, derived);
    assert.equal(verifier.calibration.stateOf('gasUsed'), 'unverifiable');
    judge(2, derived);
  });
});

describe('a form that is not known', () => {
  it('is accepted when two nodes give it, and the block is not proven', () => {
    const { judge, verifier } = open(2);
    assert.throws(() => judge(0, STRANGE));
    judge(1, STRANGE);
    judge(0, STRANGE);
    assert.equal(verifier.whyUnproven(BLOCK, ['transactions']), 'a type that is not known here');
    assert.equal(verifier.whyUnproven(BLOCK, ['receipts']), undefined);
  });

  it('is accepted of the only node', () => {
    const { judge, verifier } = open(1);
    judge(0, STRANGE);
    assert.notEqual(verifier.whyUnproven(BLOCK, ['transactions']), undefined);
  });
});

it('nothing is judged before recent blocks have been looked at', () => {
  const { judge, verifier } = open(1);
  verifier.calibration.isDone = false;
  judge(0, WRONG);
  assert.match(verifier.whyUnproven(BLOCK, ['header']) ?? '', /not known yet/);
});

it('tells of blocks that it forgets what is not proven of', () => {
  const { verifier } = open(1);
  const forgotten: string[] = [];
  verifier.onForgotten = (hash) => void forgotten.push(hash);
  const hashes = Array.from({ length: 4_097 }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`);
  for (const hash of hashes) {
    verifier.noteUnproven(hash, 'transactions', 'too large');
    verifier.noteUnproven(hash, 'receipts', 'too large');
  }
  assert.deepEqual(forgotten, hashes.slice(0, 1));
});
