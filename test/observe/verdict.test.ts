import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeStatus } from '../../src/observe/merge-status.ts';
import type { NetworkReport, StatusReport } from '../../src/observe/status-report.ts';
import { computeVerdict, type VerdictFacts, type VerdictState } from '../../src/observe/verdict.ts';
import { ServiceHealth } from '../../src/server/health.ts';

const AT = 1_700_000_000_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Network = VerdictFacts['networks'][number];
type Row = {
  readonly what: string;
  readonly networks: readonly Network[];
  /** Whether each process is draining; by default, one process serves. */
  readonly draining?: readonly boolean[];
  readonly state: VerdictState;
  readonly summary: string;
  readonly reasons?: readonly string[];
};

function headAged(ageMs: number): Pick<Network, 'head'> {
  return { head: { number: 7, hash: '0x07', timestamp: AT - ageMs } };
}

const DEAD: Pick<Network, 'outage'> = { outage: 'the only node does not answer' };
const FRESH = headAged(3 * SECOND);
const SHORT = { needed: 2, operators: 3, voices: 1, isMissing: true } as const;

const ROWS: readonly Row[] = [
  {
    what: 'one network',
    networks: [{ name: 'dev', ...FRESH }],
    state: 'healthy',
    summary: 'Network dev answers',
  },
  {
    what: 'two networks, one without nodes and without a block time',
    networks: [
      { name: 'a', ...FRESH, blockTime: 12_000 },
      { name: 'b', ...headAged(900 * MINUTE) },
    ],
    state: 'healthy',
    summary: 'Both networks answer',
  },
  {
    what: 'a network of nodes at the start, with a block time that is not known yet and a fresh head',
    networks: [{ name: 'a', source: 'upstream', ...headAged(10 * MINUTE) }],
    state: 'healthy',
    summary: 'Network a answers',
  },
  {
    what: 'a network of nodes that stopped long before the start',
    networks: [{ name: 'a', source: 'upstream', ...headAged(1_112 * 1_440 * MINUTE) }],
    state: 'impaired',
    summary: 'Network a answers, with warnings',
    reasons: ['a: the newest block is 1,112 days old: the chain has stopped, or its nodes are far behind'],
  },
  {
    what: 'old heads of a development node and of an embedded chain',
    networks: [
      { name: 'a', source: 'upstream', isDevelopment: true, ...headAged(900 * MINUTE) },
      { name: 'b', source: 'embedded', ...headAged(900 * MINUTE) },
    ],
    state: 'healthy',
    summary: 'Both networks answer',
  },
  {
    what: 'a head exactly at the limit of ten blocks',
    networks: ['a', 'b', 'c'].map((name) => ({ name, ...headAged(2 * MINUTE), blockTime: 12_000 })),
    state: 'healthy',
    summary: 'All 3 networks answer',
  },
  {
    what: 'a head beyond the limit of ten blocks',
    networks: [
      { name: 'a', ...FRESH, blockTime: 12_000 },
      { name: 'b', ...FRESH },
      { name: 'base', ...headAged(14 * MINUTE), blockTime: 2_000 },
    ],
    state: 'impaired',
    summary: 'All 3 networks answer, with warnings: base',
    reasons: ['base: the head is 14 minutes old, a block usually takes 2 s'],
  },
  {
    what: 'a head that is late for a fast chain only after a minute',
    networks: [{ name: 'fast', ...headAged(59 * SECOND), blockTime: 250 }],
    state: 'healthy',
    summary: 'Network fast answers',
  },
  {
    what: 'the only network late',
    networks: [{ name: 'fast', ...headAged(61 * SECOND), blockTime: 250 }],
    state: 'impaired',
    summary: 'Network fast answers, with warnings',
    reasons: ['fast: the head is 1 minute old, a block usually takes less than a second'],
  },
  {
    what: 'the only network dead',
    networks: [{ name: 'mainnet', ...DEAD }],
    state: 'failing',
    summary: 'Network mainnet cannot answer',
    reasons: ['mainnet: the only node does not answer'],
  },
  {
    what: 'two dead networks beside three, and a late head, which is reported after the outages',
    networks: [
      { name: 'late', ...headAged(3 * 60 * MINUTE), blockTime: 2_000 },
      { name: 'mainnet', ...DEAD, ...headAged(900 * MINUTE), blockTime: 2_000 },
      { name: 'a', ...FRESH },
      { name: 'base', outage: '2 nodes do not answer' },
      { name: 'b', ...FRESH },
    ],
    state: 'failing',
    summary: '2 of 5 networks cannot answer: mainnet, base',
    reasons: [
      'mainnet: the only node does not answer',
      'base: 2 nodes do not answer',
      'late: the head is 3 hours old, a block usually takes 2 s',
    ],
  },
  {
    what: 'more dead networks than a summary names',
    networks: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, ...DEAD })),
    state: 'failing',
    summary: 'None of the 5 networks can answer: a, b, c, 2 more',
    reasons: ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: the only node does not answer`),
  },
  {
    what: 'agreement of too few operators, demanded and not demanded, and a contradicted anchor',
    networks: [
      { name: 'a', ...FRESH, agreement: { ...SHORT, isDemanded: true } },
      { name: 'b', ...FRESH, agreement: { ...SHORT, isDemanded: false }, anchor: { state: 'contradicted' } },
    ],
    state: 'impaired',
    summary: 'Both networks answer, with warnings: a, b',
    reasons: [
      'a: 1 of 2 needed operators have the newest block, so answers about new blocks are refused',
      'b: 1 of 2 needed operators have the newest block, so answers are the word of one node',
      'b: no node has the block that layer 1 commits to',
    ],
  },
  {
    what: 'a network that only one of two processes can answer',
    networks: [
      { name: 'a', ...FRESH, partialOutage: { processes: 1, total: 2, reason: 'no head' } },
      { name: 'b' },
    ],
    draining: [false, false],
    state: 'impaired',
    summary: 'Both networks answer, with warnings: a',
    reasons: ['a: 1 of 2 processes cannot answer: no head'],
  },
  {
    what: 'one of two processes draining',
    networks: [
      { name: 'a', ...FRESH },
      { name: 'b', ...FRESH },
    ],
    draining: [false, true],
    state: 'impaired',
    summary: 'Both networks answer, with warnings',
    reasons: ['1 of 2 processes is draining'],
  },
  {
    what: 'all processes draining, beside a dead network',
    networks: [
      { name: 'a', ...FRESH },
      { name: 'b', ...DEAD },
    ],
    draining: [true, true],
    state: 'draining',
    summary: 'The service is draining',
    reasons: ['b: the only node does not answer'],
  },
];

for (const { what, networks, draining = [false], state, summary, reasons = [] } of ROWS) {
  const processes = draining.map((isDraining) => ({ isDraining }));
  test(`verdict: ${what}`, () => {
    const verdict = computeVerdict({ at: AT, processes, networks });
    assert.deepEqual([verdict.state, verdict.summary], [state, summary]);
    const listed = verdict.problems.map(({ network, reason }) =>
      network === undefined ? reason : `${network}: ${reason}`,
    );
    assert.deepEqual(listed, reasons);
  });

  test(`/health/ready agrees with the verdict: ${what}`, () => {
    const down = networks.filter(({ outage }) => outage !== undefined);
    const readiness = {
      answerable: networks.filter((network) => !down.includes(network)).map(({ name }) => name),
      unanswerable: Object.fromEntries(down.map(({ name, outage }) => [name, outage ?? ''])),
    };
    const health = new ServiceHealth({ ready: 'all' }, () => readiness);
    if (state === 'draining') health.beginDraining();
    const isReady = state === 'healthy' || state === 'impaired';
    assert.equal(health.ready.status, isReady ? 200 : 503);
  });
}

function makeReport(pid: number, network: Partial<NetworkReport>): StatusReport {
  return {
    version: '1.2.3',
    at: AT,
    process: {
      pid,
      startedAt: AT,
      isDraining: false,
      connections: 0,
      webSockets: 0,
      inFlight: 0,
      queued: 0,
      eventLoopDelay: 1,
      residentBytes: 1,
      heapBytes: 1,
    },
    networks: [
      {
        name: 'main',
        hosts: [],
        source: 'upstream',
        upstreams: [],
        subscriptions: { open: 0, sent: 0 },
        seconds: [],
        ...network,
      },
    ],
    cache: { hits: 0, misses: 0, bytes: 0 },
    keys: [],
    errors: [],
  };
}

test('a network is down only if no process answers, and answers of all processes count by trust', () => {
  const verification = { isCalibrated: true, verified: ['header'], untested: [], unverifiable: [] };
  const one = makeReport(1, {
    ...headAged(SECOND),
    verification: { ...verification, trust: { proven: 3, agreed: 2, single: 1 } },
  });
  const other = makeReport(2, {
    ...DEAD,
    head: { number: 9, hash: '0x09', timestamp: AT },
    verification: { ...verification, trust: { proven: 30, agreed: 20, single: 10 } },
  });
  const { networks, verdict } = mergeStatus([one, other]);
  assert.equal(networks[0]?.outage, undefined);
  assert.equal(networks[0]?.head?.number, 7);
  assert.deepEqual(networks[0]?.partialOutage, { processes: 1, total: 2, reason: DEAD.outage });
  assert.deepEqual(networks[0]?.verification?.trust, { proven: 33, agreed: 22, single: 11 });
  assert.equal(verdict.state, 'impaired');
  const all = mergeStatus([other, other]);
  assert.deepEqual([all.networks[0]?.outage, all.networks[0]?.partialOutage], [DEAD.outage, undefined]);
  assert.deepEqual([all.verdict.state, all.verdict.summary], ['failing', 'Network main cannot answer']);
});

test('a service whose server of keys does not answer one of its processes is impaired', () => {
  const networks = [{ name: 'dev', ...FRESH }];
  const away = { isDraining: false, isStoreAway: true } as const;
  const { state, summary, problems } = computeVerdict({
    at: AT,
    processes: [{ isDraining: false }, away],
    networks,
  });
  assert.deepEqual([state, summary], ['impaired', 'Network dev answers, with warnings']);
  assert.deepEqual(
    problems.map(({ kind, network }) => [kind, network]),
    [['store', undefined]],
  );
  assert.match(problems[0]?.reason ?? '', /^the server of access\.valkey does not answer: /);
});
