import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OperatorVoices, type Speaker } from '../../../../src/chains/upstream/agreement/operator-voices.ts';
import type { Candidate, HeadReport } from '../../../../src/pool/heads/electorate.ts';
import { NetworkHead } from '../../../../src/pool/heads/network-head.ts';
import type { HeadHindrance } from '../../../../src/pool/heads/network-head-options.ts';
import { TestChain } from '../../../support/block-tree.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { makeCandidates, makeHeadOptions, viewChain, viewNothing } from '../../../support/head-views.ts';

const HEAD_AGE_MS = 60_000;
const PATIENCE_MS = 1_000;
const honest = TestChain.create('a', 140);
const forged = honest.fork('f', 100, 30);

type Node = Speaker & { tracker: HeadReport; isAway: boolean; isOutOfUse: boolean };

function createNode(operator: string): Node {
  return {
    operator,
    standing: 'verified',
    isAway: false,
    isOutOfUse: false,
    hasMismatch: false,
    identity: undefined,
    tracker: viewNothing(),
  };
}

function createNetwork(operators: readonly string[], needed: number, patienceMs: number | undefined) {
  const clock = new FakeClock();
  const nodes = operators.map(createNode);
  const voices = new OperatorVoices(nodes, needed);
  const hindrances: (HeadHindrance | undefined)[] = [];
  const missing: bigint[] = [];
  let candidates: readonly Candidate[] = [];
  const head = new NetworkHead(
    makeHeadOptions(clock, () => candidates, {
      headAgeMs: HEAD_AGE_MS,
      agreement: {
        has: (block) => voices.has(block),
        onMissing: ({ number }) => missing.push(number),
        patienceMs,
      },
      onExpiry: (_, hindrance) => hindrances.push(hindrance),
      // The newest blocks are as old as the clock.
      wallTime: () => Number(honest.at(139).timestamp) * 1_000 + clock.now(),
    }),
  );
  /** Moves each node to a block of a chain, or makes it unavailable. */
  const see = (...views: readonly (HeadReport | undefined)[]): bigint | undefined => {
    for (const [i, view] of views.entries()) {
      const node = nodes[i] as Node;
      node.isAway = view === undefined;
      if (view !== undefined) node.tracker = view;
    }
    candidates = makeCandidates(nodes.filter(({ isAway }) => !isAway).map(({ tracker }) => tracker));
    head.update();
    return head.head?.number;
  };
  return { clock, head, voices, nodes, see, hindrances, missing };
}

const at = (tip: number): HeadReport => viewChain(honest, tip);
const lie = (tip: number): HeadReport => viewChain(forged, tip);
const FIVE = ['a', 'b', 'c', 'd', 'e'];

describe('voices of operators', () => {
  test('count nodes of one operator as one voice, and nodes that contradict each other as none', () => {
    const { voices, see } = createNetwork(['own', 'own', 'other'], 2, undefined);
    assert.equal(voices.total, 2);
    see(at(110), at(110), lie(110));
    assert.equal(voices.count(honest.at(110)), 1);
    assert.equal(voices.count(honest.at(100)), 2);
    see(at(110), lie(110), at(110));
    assert.deepEqual([voices.count(honest.at(110)), voices.count(forged.at(110))], [1, 0]);
  });

  test('count only reported hashes, of nodes in service', () => {
    const { voices, nodes, see } = createNetwork(['a', 'b', 'c'], 2, undefined);
    see(at(110), viewChain(honest, 112, 1), at(105));
    // The second node has blocks 111 and 112 only: block 110 was not requested from it.
    assert.equal(voices.count(honest.at(110)), 1);
    assert.equal(voices.listSilent(honest.at(110)).length, 1);
    see(at(110), undefined, at(110));
    assert.deepEqual([voices.count(honest.at(110)), voices.speaking], [2, 2]);
    (nodes[2] as Node).isOutOfUse = true;
    assert.deepEqual([voices.count(honest.at(110)), voices.speaking], [1, 1]);
  });
});

describe('a head with agreement', () => {
  test('is the highest block that the share and enough operators have', () => {
    const { see, missing } = createNetwork(FIVE, 4, undefined);
    assert.equal(see(at(110), at(109), at(108), at(108), at(107)), 108n);
    assert.equal(see(at(110), at(110), at(110), at(109), at(107)), 109n);
    // The required share has block 110: it is requested from the other nodes.
    assert.ok(missing.includes(110n));
  });

  test('is not served while too few operators have it, however many nodes are left', () => {
    const { see, head, hindrances } = createNetwork(['a', 'b', 'c'], 3, undefined);
    assert.equal(see(at(105), at(105), at(105)), 105n);
    assert.equal(head.served?.number, 105n);
    assert.equal(see(at(105), at(105), undefined), 105n);
    assert.deepEqual([head.served, head.hindrance], [undefined, 'voices']);
    see(at(105), at(105), at(106));
    assert.deepEqual([head.served?.number, hindrances], [105n, ['voices', undefined]]);
  });

  test('does not follow a majority of the available nodes, not even at the start', () => {
    const { see, head } = createNetwork(['a', 'b', 'c'], 3, undefined);
    assert.equal(see(lie(120), lie(120), undefined), undefined);
    see(at(105), at(105), at(105));
    assert.equal(see(lie(120), lie(120), undefined), 105n);
    assert.deepEqual([head.served, head.hindrance, head.unagreed?.number], [undefined, 'voices', 120n]);
  });

  test('is not moved back by a share with too few operators', () => {
    const { see, head } = createNetwork(FIVE, 3, undefined);
    see(at(105), at(105), at(105), at(105), at(105));
    // Two of the remaining three report other blocks above block 100, which all of them have.
    assert.equal(see(lie(108), lie(108), at(106), undefined, undefined), 105n);
    assert.equal(head.head?.hash, honest.at(105).hash);
  });

  test('expires when for long the share has had blocks that too few operators have', () => {
    const { see, head, clock } = createNetwork(FIVE, 4, undefined);
    const views = [lie(110), lie(110), at(112), at(112), at(112)];
    see(at(100), at(100), at(100), at(100), at(100));
    assert.equal(see(...views), 100n);
    clock.advanceNow(HEAD_AGE_MS - 1);
    see(...views);
    assert.equal(head.served?.number, 100n);
    clock.advanceNow(1);
    assert.equal(head.hindrance, 'stalled');
    // A quorum is on the same chain again.
    assert.equal(see(lie(110), at(112), at(112), at(112), at(112)), 112n);
    assert.equal(head.served?.number, 112n);
  });

  test('follows a reorg that enough operators have', () => {
    const { see, head } = createNetwork(['a', 'b', 'c'], 2, undefined);
    see(at(105), at(105), at(105));
    assert.equal(see(lie(106), lie(106), at(105)), 106n);
    assert.equal(head.head?.hash, forged.at(106).hash);
  });

  test('follows, if optional, the share after a delay, and agreement as soon as it exists', () => {
    const { see, head, clock } = createNetwork(['a', 'b', 'c'], 3, PATIENCE_MS);
    assert.equal(see(at(105), at(105), at(104)), 104n);
    clock.advanceNow(PATIENCE_MS);
    assert.equal(head.head?.number, 105n);
    // Later blocks are followed at once while the quorum stays short.
    assert.equal(see(at(106), at(106), at(104)), 106n);
    assert.equal(head.hindrance, undefined);
    assert.equal(see(at(107), at(107), at(107)), 107n);
    assert.equal(see(at(108), at(108), at(107)), 107n);
  });
});
