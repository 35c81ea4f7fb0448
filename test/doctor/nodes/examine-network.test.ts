import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Examination, ExaminedNode, Support } from '../../../src/doctor/nodes/examination.ts';
import { reportNetwork } from '../../../src/doctor/nodes/examine-network.ts';
import type { ExaminationReport } from '../../../src/doctor/nodes/network-report.ts';
import { poolOptionsSchema } from '../../../src/pool/options.ts';

const YES: Support = { state: 'yes' };
const NO: Support = { state: 'no', reason: 'error -32601: no such method' };
const GENESIS = `0x${'1'.repeat(64)}`;

const HEALTHY: ExaminedNode = {
  name: 'healthy',
  tier: 1,
  answers: true,
  identity: { chainId: 1n, genesisHash: GENESIS, clientVersion: 'Geth/v1', knowsHashParameters: true },
  latencyMs: 1,
  sync: undefined,
  latest: { number: 100n, hash: `0x${'2'.repeat(64)}`, timestamp: 1_200n, ageSeconds: 3 },
  tags: { earliest: YES, finalized: YES, safe: YES, pending: YES },
  features: {
    eth_call: YES,
    callAtHash: YES,
    stateOverrides: YES,
    eth_estimateGas: YES,
    estimateAtBlock: YES,
    estimateAtHash: YES,
    eth_getBlockReceipts: YES,
    receiptsByHash: YES,
    eth_getTransactionByBlockNumberAndIndex: YES,
    eth_getUncleByBlockNumberAndIndex: YES,
  },
  reads: { eth_getBalance: YES, eth_getProof: YES, eth_simulateV1: YES },
  also: {},
  rollup: {},
  reverts: 'standard',
  batches: { answered: 1_000 },
  announcements: { state: 'coming' },
};
const SILENT: Examination = {
  name: 'gone',
  tier: 1,
  answers: false,
  fault: { kind: 'unreachable', reason: 'no connection' },
};

function named(name: string, changes: Partial<ExaminedNode> = {}): ExaminedNode {
  return { ...HEALTHY, ...changes, name };
}

/** A node at a lower height of the same chain, with a block every 12 seconds. */
function behind(name: string, blocks: number): ExaminedNode {
  const number = 100n - BigInt(blocks);
  const latest = { number, hash: `0x${'3'.repeat(64)}`, timestamp: number * 12n, ageSeconds: 3 };
  return named(name, { latest });
}

function ofChain(name: string, chainId: bigint, genesisHash: string = GENESIS): ExaminedNode {
  return named(name, { identity: { ...HEALTHY.identity, chainId, genesisHash } });
}

function report(examinations: readonly Examination[], pool: object = {}): ExaminationReport {
  return reportNetwork(examinations, poolOptionsSchema.parse(pool));
}

function linesOf({ findings }: ExaminationReport): string[] {
  return findings.map(({ severity, upstream, problem }) => `${severity} ${upstream ?? '-'}: ${problem}`);
}

test('two healthy nodes cause no findings', () => {
  const found = report([named('one'), named('two')]);
  assert.deepEqual(found.findings, []);
  assert.ok(found.isServable);
  assert.deepEqual(found.identity, { chainId: 1n, genesisHash: GENESIS });
  assert.deepEqual(
    found.nodes.map(({ standing, lag }) => [standing, lag]),
    [
      ['usable', 0],
      ['usable', 0],
    ],
  );
});

test('a network without an answering node cannot be served', () => {
  const found = report([SILENT]);
  assert.equal(found.isServable, false);
  assert.deepEqual(linesOf(found), ['error -: no node is available', 'error gone: no connection']);
});

test('a node of another chain is reported, by chain id or by genesis block', () => {
  const other = `0x${'5'.repeat(64)}`;
  const found = report([named('one'), ofChain('two', 5n), named('three'), ofChain('four', 1n, other)]);
  assert.deepEqual(linesOf(found), [
    'error two: chain id 5, the others report 1',
    `error four: genesis block ${other}, the others report ${GENESIS}`,
  ]);
  assert.deepEqual(
    found.nodes.map(({ standing }) => standing),
    ['usable', 'otherChain', 'usable', 'otherChain'],
  );
});

test('the configured chain overrides the majority', () => {
  const found = report([named('one'), ofChain('two', 5n), named('three')], { chainId: 5 });
  assert.deepEqual(linesOf(found), [
    'error one: chain id 1, pool expects 5',
    'error three: chain id 1, pool expects 5',
    'note -: only one node is available',
  ]);
  assert.equal(report([named('one')], { chainId: 5 }).isServable, false);
});

test('a tie between genesis blocks makes all nodes disputed unless pool.genesisHash is set', () => {
  const other = `0x${'5'.repeat(64)}`;
  const found = report([named('one'), ofChain('two', 1n, other)]);
  assert.deepEqual(linesOf(found), [`error -: no majority for a genesis block: ${GENESIS}, ${other}`]);
  assert.match(found.findings[0]?.advice ?? '', /set pool\.genesisHash/);
  assert.equal(found.isServable, false);
  assert.deepEqual(
    found.nodes.map(({ standing }) => standing),
    ['disputed', 'disputed'],
  );
  const decided = report([named('one'), ofChain('two', 1n, other)], { genesisHash: other });
  assert.deepEqual(
    decided.nodes.map(({ standing }) => standing),
    ['otherChain', 'usable'],
  );
});

test('a development network with one node gets no advice to add nodes', () => {
  assert.deepEqual(linesOf(report([named('one')])), ['note -: only one node is available']);
  assert.deepEqual(linesOf(report([named('one')], { development: true })), []);
});

test('a tie between chain ids is reported', () => {
  assert.equal(
    linesOf(report([named('one'), ofChain('two', 5n)]))[0],
    'error -: the nodes do not agree on a chain id',
  );
});

test('a node that does not report its head is not used', () => {
  const found = report([named('one', { latest: undefined, features: {} })]);
  assert.equal(found.isServable, false);
  assert.equal(found.nodes[0]?.standing, 'headless');
});

test('lag is measured against the best node, and reported only beyond a few blocks', () => {
  const found = report([behind('one', 17), behind('two', 2), named('three')]);
  assert.deepEqual(
    found.nodes.map(({ lag }) => lag),
    [17, 2, 0],
  );
  assert.deepEqual(linesOf(found), ['warning one: 17 blocks behind three']);
});

test('a served head behind that of the best node is reported', () => {
  const lines = linesOf(report([behind('one', 5), behind('two', 6), named('three')]));
  assert.equal(lines[0], 'warning -: the network serves a head 5 blocks behind that of three');
  const far = report([behind('one', 17), behind('two', 18), named('three')]);
  assert.deepEqual(linesOf(far), [
    'warning one: 17 blocks behind three',
    'warning two: 18 blocks behind three',
  ]);
  assert.match(far.findings[0]?.advice ?? '', /no vote in the head/);
});

test('an old head is noted', () => {
  const latest = { ...HEALTHY.latest, ageSeconds: 7_300 } as ExaminedNode['latest'];
  const old = { latest };
  assert.deepEqual(linesOf(report([named('one', old), named('two', old)])), [
    'note -: the newest block is 2h old',
  ]);
});

test('tags unknown to nodes are reported unless they have a substitute', () => {
  const tags = { ...HEALTHY.tags, safe: { state: 'no', reason: 'null' } } as const;
  const without = [named('one', { tags }), named('two', { tags })];
  assert.deepEqual(linesOf(report(without)), ['warning -: safe is not known to any node']);
  assert.deepEqual(linesOf(report(without, { tags: { safe: 'finalized' } })), []);
  assert.deepEqual(linesOf(report([named('one', { tags }), named('two')])), [
    'note -: safe is known, but not to one',
  ]);
  assert.deepEqual(linesOf(report([named('one'), named('two')], { tags: { safe: 'latest' } })), [
    'note -: the nodes know safe, but pool.tags.safe is latest',
  ]);
});

const features = (changes: ExaminedNode['features']): Partial<ExaminedNode> => ({
  features: { ...HEALTHY.features, ...changes },
});
const NO_RECEIPTS = features({ eth_getBlockReceipts: NO, receiptsByHash: NO });
const rows: { name: string; changes: Partial<ExaminedNode>; line: string }[] = [
  {
    name: 'no eth_getBlockReceipts',
    changes: NO_RECEIPTS,
    line: 'warning bad: no eth_getBlockReceipts (error -32601: no such method)',
  },
  {
    name: 'no eth_getBlockReceipts and small batches',
    changes: { ...NO_RECEIPTS, batches: { answered: 10, reason: 'batch too large' } },
    line: 'error bad: no eth_getBlockReceipts (error -32601: no such method)',
  },
  {
    name: 'small batches',
    changes: { batches: { answered: 10, reason: 'batch too large' } },
    line: 'note bad: it answers batches of 10 at most (batch too large)',
  },
  {
    name: 'receipts by number only',
    changes: features({ receiptsByHash: NO }),
    line: 'note bad: no eth_getBlockReceipts by hash',
  },
  {
    name: 'no overrides',
    changes: features({ stateOverrides: { state: 'no', reason: 'they are ignored' } }),
    line: 'error bad: no state overrides in eth_call (they are ignored)',
  },
  {
    name: 'no block hashes, against its name',
    changes: features({ callAtHash: NO }),
    line: 'error bad: refuses block hashes in calls (EIP-1898) (error -32601: no such method)',
  },
  {
    name: 'reverts without data',
    changes: { reverts: 'dataLost' },
    line: 'warning bad: reverts have no data',
  },
  {
    name: 'reads that it lacks',
    changes: { reads: { ...HEALTHY.reads, eth_getProof: NO, eth_simulateV1: NO } },
    line: 'warning bad: no eth_getProof, eth_simulateV1 (error -32601: no such method)',
  },
  {
    name: 'methods that the network names and it lacks',
    changes: { also: { debug_traceCall: NO, trace_block: YES } },
    line: 'warning bad: no debug_traceCall (error -32601: no such method)',
  },
  {
    name: 'no announcements where they should be',
    changes: { announcements: { state: 'failing', reason: 'its chain id is 5' } },
    line: 'warning bad: it announces no heads (its chain id is 5)',
  },
  {
    name: 'no genesis block',
    changes: { identity: { ...HEALTHY.identity, genesisHash: undefined } },
    line: 'note bad: it does not have the genesis block',
  },
  {
    name: 'what could not be tried',
    changes: {
      ...features({ eth_call: { state: 'unclear', reason: 'no answer within 5 s' } }),
      reverts: 'unclear',
    },
    line: 'note bad: could not be tested: eth_call, reverts (no answer within 5 s)',
  },
];
for (const { name, changes, line } of rows) {
  test(`a weakness of a node is reported: ${name}`, () => {
    assert.deepEqual(linesOf(report([named('good'), named('good too'), named('bad', changes)])), [line]);
  });
}

test('a client without known support for block hashes gets no finding about hash parameters', () => {
  const identity = { ...HEALTHY.identity, knowsHashParameters: false };
  const node = named('besu', { ...features({ callAtHash: NO, estimateAtHash: NO }), identity });
  assert.deepEqual(report([node, named('one')]).findings, []);
});

test('a feature that no node has is an error of the network', () => {
  const node = named('one', features({ eth_getUncleByBlockNumberAndIndex: NO }));
  assert.equal(linesOf(report([node]))[0], 'error -: no node has eth_getUncleByBlockNumberAndIndex');
});

test('a read method that no node has is a warning of the network', () => {
  const without = { reads: { ...HEALTHY.reads, eth_getProof: NO } };
  const found = report([named('one', without), named('two', { ...without, also: { trace_block: NO } })]);
  assert.equal(linesOf(found)[0], 'warning -: no node has eth_getProof');
});

test('findings are ordered by severity, and each has advice', () => {
  const { findings, isServable } = report([named('one', { reverts: 'dataLost' }), SILENT]);
  assert.deepEqual(
    findings.map(({ severity }) => severity),
    ['error', 'error', 'warning', 'note'],
  );
  assert.equal(findings[0]?.problem, 'too few operators report a chain id: 1 of 2');
  assert.equal(isServable, false);
  assert.equal(report([named('one'), SILENT], { chainId: 1 }).isServable, true);
  for (const { advice } of findings) assert.ok(advice.length > 0);
});

test('a syncing node is reported with its progress, and a node at its sync target is not', () => {
  const syncing = { ...behind('one', 90), sync: { target: 100n } };
  const found = report([syncing, named('two', { sync: { target: 100n } }), named('three', { tier: 2 })]);
  assert.deepEqual(linesOf(found), [
    'warning one: it is syncing: block 10 of 100',
    'warning one: 90 blocks behind two',
  ]);
  const lost = report([named('one', { sync: { target: undefined } }), named('two')]);
  assert.deepEqual(linesOf(lost), ['warning one: it is syncing: block 100']);
});

test('the finding on agreement compares the required operators with those available', () => {
  const count = (examinations: readonly Examination[], agreement: 'bridge' | { voices: number }) =>
    linesOf(reportNetwork(examinations, poolOptionsSchema.parse({}), ['a', 'a', 'b', 'c'], agreement)).filter(
      (line) => line.includes('agreement'),
    );
  const all: readonly Examination[] = ['one', 'two', 'three', 'four'].map((name) => named(name));
  const needs = (voices: number, there: number): string =>
    `agreement needs the same answer from ${voices} of the 3 configured operators, and nodes of ${there} are available`;
  assert.deepEqual(count(all, 'bridge'), [`note -: ${needs(3, 3)}`]);
  assert.deepEqual(count(all.with(0, SILENT), 'bridge'), [`note -: ${needs(3, 3)}`]);
  assert.deepEqual(count(all.with(3, SILENT), 'bridge'), [`error -: ${needs(3, 2)}`]);
  assert.deepEqual(count(all.with(3, SILENT), { voices: 2 }), [`note -: ${needs(2, 2)}`]);
});
