import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { MAIN } from '../../scripts/program-files.ts';
import { type Bundle, BundleError, decodeBundle, encodeBundle } from '../../src/bundle/format.ts';
import { verifyBundle } from '../../src/bundle/verify-bundle.ts';
import type { Config } from '../../src/config/config.ts';
import { changeAt, type Path } from '../packages/proofs/liars.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import {
  BUILTIN,
  createConfig,
  FACTS,
  type Facts,
  hashOf,
  listNodes,
  makeBundle,
  makeBundles,
  type Row,
  SEVEN,
} from './bundles.ts';
import {
  countBytes,
  forgeMembers,
  isDamageRefused,
  judgeForgery,
  type Outcome,
  verifyChanged,
} from './flips.ts';

const run = promisify(execFile);
/** Number of values in each bundle that are replaced by hostile ones. */
const HOSTILE_PLACES = 40;
const folder = makeTemporaryFolder();
let node: RunningService;
let embedded: Config;
/** Bundles of `SEVEN` from embedded chains; `theirs` is from nodes. */
let own: string[];
let theirs: string[];

before(async () => {
  // The node's own limit on calls must not end before that of its client.
  const hosts = Object.entries(BUILTIN).map(([name, row]) => [
    name,
    { hosts: [name], callTimeout: '60s', ...row },
  ]);
  node = await startService({ networks: Object.fromEntries(hosts) });
  embedded = createConfig(BUILTIN, folder.path);
  own = await makeBundles(embedded, SEVEN);
  theirs = await makeBundles(createConfig(listNodes(node.authority), folder.path), SEVEN);
});
after(async () => {
  await node.close();
  folder.remove();
});

/** Runs the command on a bundle, in a separate process that has only the file. */
async function verify(text: string, hash: string): Promise<{ code: number; out: string; err: string }> {
  const file = join(folder.path, `${Math.random()}.json`);
  writeFileSync(file, text);
  const options = { env: { PATH: process.env['PATH'] }, cwd: folder.path };
  return run(process.execPath, [MAIN, 'verify', file, '--hash', hash], options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

test('bundles of each of the seven methods, from embedded chains and from nodes, are verified offline', async (t) => {
  for (const [index, { network, method }] of SEVEN.entries()) {
    await t.test(`${method} of ${network}`, async () => {
      const text = own[index] as string;
      const { code, out, err } = await verify(text, hashOf(text));
      assert.equal(err, '');
      assert.equal(code, 0);
      assert.match(out, new RegExp(`^verified: ${method} at block \\d+\n  hash    ${hashOf(text)}\n`));
      const [a, b] = [decodeBundle(text), decodeBundle(theirs[index] as string)];
      assert.deepEqual([b.answer, b.evidence], [a.answer, a.evidence]);
    });
  }
});

test('verify refuses another hash and a damaged file, and rejects a malformed hash', async () => {
  const [text = ''] = own;
  const other = await verify(text, `0x${'1'.repeat(64)}`);
  assert.equal(other.code, 1);
  assert.match(other.err, /^refused: the bundle is about block 0x[0-9a-f]{64}, not 0x1{64}\n$/);
  const damaged = await verify(text.replace('"eth_call"', '"eth_calk"'), hashOf(text));
  assert.deepEqual([damaged.code, damaged.err.slice(0, 28)], [1, 'refused: the file is damaged']);
  const { code } = await verify(text, 'latest');
  assert.equal(code, 2);
});

test('prove and verify work on the command line, and report unusable arguments', async () => {
  const question = ['eth_getTransactionByBlockNumberAndIndex', '["0x3","0x0"]', '--network', 'devnet'];
  const environment = { PATH: process.env['PATH'], PORTCULLIS_DATA_DIR: join(folder.path, 'data') };
  const { stdout } = await run(process.execPath, [MAIN, 'prove', ...question], { env: environment });
  const { code, out } = await verify(stdout, hashOf(stdout));
  assert.equal(code, 0);
  assert.match(out, /^verified: eth_getTransactionByBlockNumberAndIndex at block 3\n/);
  assert.match(out, /\neverything in the answer is proven\n$/);
  const unproven = run(
    process.execPath,
    [MAIN, 'prove', 'eth_call', '[{},"pending"]', '--network', 'devnet'],
    {
      env: environment,
    },
  );
  await assert.rejects(unproven, { code: 1, stderr: /^portcullis: a pending block has no hash/ });
  for (const [args, stderr] of [
    [
      ['eth_getBlockReceipts'],
      /^portcullis: the parameters of eth_getBlockReceipts are invalid: missing value/,
    ],
    [['eth_getLogs', '[{}]'], /^portcullis: eth_getLogs cannot be bundled/],
  ] as const) {
    const wrong = run(process.execPath, [MAIN, 'prove', ...args, '--network', 'devnet'], {
      env: environment,
    });
    await assert.rejects(wrong, { code: 2, stderr });
  }
  const file = join(folder.path, 'read.json');
  writeFileSync(file, stdout);
  const options = ['--hash', hashOf(stdout), '--chain-id', '0x5'];
  await assert.rejects(run(process.execPath, [MAIN, 'verify', file, ...options], { env: environment }), {
    code: 2,
    stderr: /^portcullis: eth_getTransactionByBlockNumberAndIndex executes nothing: remove --chain-id/,
  });
});

test('verify escapes control characters of a bundle for the terminal', async () => {
  const bundle = decodeBundle(own[3] as string);
  const name = '\u009b2J\n\u202e\u2028';
  const answer = {
    result: { ...('result' in bundle.answer && (bundle.answer.result as object)), [name]: 1 },
  };
  const text = encodeBundle({ ...bundle, answer, told: { ...bundle.told, members: [name] } });
  const { code, out } = await verify(text, bundle.block.hash);
  assert.equal(code, 0);
  assert.match(out, /\n {2}member {2}\?2J\?\?\?\n$/);
});

test('a bundle with millions of hex digits is decoded', () => {
  const bundle = decodeBundle(own[0] as string);
  const codes = [`0x${'00'.repeat(10_000_000)}`];
  const text = encodeBundle({ ...bundle, evidence: { ...bundle.evidence, codes } });
  assert.equal(decodeBundle(text).evidence.codes[0]?.length, 20_000_002);
});

test('a file with too many levels or values is refused before it is parsed', async () => {
  const [text = ''] = own;
  const nested = text.replace(
    /"params":\[/,
    (found) => `${found}${'['.repeat(100_000)}${']'.repeat(100_000)},`,
  );
  const { code, err } = await verify(nested, hashOf(text));
  assert.deepEqual(
    [code, err],
    [1, 'refused: the file is not a bundle: its lists and objects are nested more than 64 levels deep\n'],
  );
  for (const item of ['0', '[]', '{}', '""', '"\\\\"', '"\\""']) {
    const many = `[${`${item},`.repeat(4_000_001)}${item}]`;
    assert.throws(() => decodeBundle(many), {
      name: 'BundleError',
      message: /it has more than 4000000 values$/,
    });
  }
  // Brackets and commas in strings do not count.
  const quoted = JSON.stringify({ a: '[{,'.repeat(5_000_000), b: '\\"[[', c: '"]'.repeat(100) });
  assert.throws(() => decodeBundle(quoted), { message: /^the file is not a bundle: (?!it has|its lists)/ });
});

test('a bundle with any value replaced is accepted or refused, and never crashes verification', async () => {
  const deep = JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`) as unknown;
  const odd: readonly unknown[] = [
    ...[null, true, -1, 0.5, 1e300, '', '0x', '0x0', '0x1', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(600)}`],
    ...[[], {}, [null], { toString: 1, valueOf: 1 }, JSON.parse('{"__proto__":{"a":1}}'), deep, 'latest'],
  ];
  const outcomes = { refused: 0, accepted: 0 };
  for (const text of own) {
    const hash = hashOf(text);
    const paths = [...listPaths(JSON.parse(text))];
    const stride = Math.ceil(paths.length / HOSTILE_PLACES);
    for (const [i, path] of paths.entries()) {
      if (i % stride !== 0) continue;
      const value = odd[(i / stride) % odd.length];
      const forged = forgeMembers(text, (members) => changeAt(members, path, () => value));
      outcomes[(await verifyChanged(forged, hash)) === undefined ? 'refused' : 'accepted']++;
    }
  }
  assert.ok(outcomes.refused > HOSTILE_PLACES, JSON.stringify(outcomes));
});

/** Lists the paths of everything in a value except the value itself. */
function* listPaths(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) yield* listPaths(item, [...path, key]);
}

test('verify stops reading an endless file at the size limit', async () => {
  const args = ['verify', '/dev/zero', '--hash', `0x${'1'.repeat(64)}`];
  await assert.rejects(run(process.execPath, [MAIN, ...args]), {
    code: 2,
    stderr: /^portcullis: \/dev\/zero is larger than/,
  });
});

test("verifyBundle refuses another chain or fork than the bundle's", async () => {
  const [text = ''] = own;
  const hash = hashOf(text);
  const { rules } = decodeBundle(text).told;
  const { chainId = '', fork = 'frontier' } = rules ?? {};
  await verifyBundle(text, { hash, chainId, fork });
  await assert.rejects(verifyBundle(text, { hash, chainId: '0x1' }), /made for chain 7337/);
  await assert.rejects(verifyBundle(text, { hash, fork: 'london' }), /made with the rules of amsterdam/);
});

type Alteration = (bundle: Bundle) => Partial<Bundle>;
const ROLLUP = {
  family: 'op-stack',
  prefix: 'eth',
  mode: 'verifier',
  l1CostMode: 'folded',
  messageService: null,
} as const;
/** Alterations: a name, the position of the bundle in `SEVEN`, the change, and the reason of the refusal. */
const ALTERATIONS: readonly (readonly [string, number, Alteration, RegExp])[] = [
  [
    'a node that is not needed',
    0,
    ({ evidence }) => ({ evidence: { ...evidence, nodes: ['0xc0', ...evidence.nodes].sort() } }),
    /a trie node that the answer does not need/,
  ],
  [
    'nodes in another order',
    0,
    ({ evidence }) => ({ evidence: { ...evidence, nodes: evidence.nodes.toReversed() } }),
    /not in ascending order/,
  ],
  [
    'a node too few',
    0,
    ({ evidence }) => ({ evidence: { ...evidence, nodes: evidence.nodes.slice(1) } }),
    /the evidence lacks the proof/,
  ],
  [
    'a code too few',
    1,
    ({ evidence }) => ({ evidence: { ...evidence, codes: [] } }),
    /the evidence lacks the code/,
  ],
  [
    'an ancestor that is not needed',
    0,
    ({ evidence }) => ({ evidence: { ...evidence, ancestors: [evidence.header] } }),
    /the header has the hash/,
  ],
  [
    'rules of another fork',
    0,
    changeTold('rules', { chainId: '0x1ca9', fork: 'london', blobBaseFeeUpdateFraction: null }),
    /does not fit the fork london/,
  ],
  ['settings of a rollup', 0, changeTold('rollup', ROLLUP), /is no method of rollups/],
  [
    'a member that is told without being listed',
    2,
    changeTold('members', []),
    /not covered by the evidence: \[\]\.blobGasPrice/,
  ],
  [
    'a member that is listed without being told',
    3,
    changeTold('members', ['from']),
    /not covered by the evidence: nothing/,
  ],
  [
    'a reading that is not needed',
    6,
    ({ told }) => ({
      told: {
        ...told,
        readings: [
          ...told.readings,
          { source: 'opNode', question: ['request', 'x', []], outcome: { value: 1 } },
        ],
      },
    }),
    /does not need the reading/,
  ],
  [
    'a reading too few',
    6,
    ({ told }) => ({ told: { ...told, readings: told.readings.slice(1) } }),
    /lacks the reading/,
  ],
  [
    'a rollup family by a name that every object has',
    6,
    changeTold('rollup', { ...ROLLUP, family: 'constructor' }),
    /there is no rollup family constructor/,
  ],
  [
    'another block in the parameters',
    0,
    ({ params }) => ({ params: [params[0], '0x1'] }),
    /name a block other than/,
  ],
];

function changeTold<K extends keyof Bundle['told']>(name: K, value: Bundle['told'][K]): Alteration {
  return ({ told }) => ({ told: { ...told, [name]: value } });
}

for (const [name, index, alter, reason] of ALTERATIONS) {
  test(`refuses a bundle with ${name}`, async () => {
    const bundle = decodeBundle(own[index] as string);
    const text = encodeBundle({ ...bundle, ...alter(bundle) });
    await assert.rejects(verifyBundle(text, { hash: bundle.block.hash }), {
      name: 'BundleError',
      message: reason,
    });
  });
}

const REFUSALS: readonly (readonly [string, Row, RegExp])[] = [
  [
    'a block that there is not',
    { network: 'devnet', method: 'eth_getBlockReceipts', params: ['0xffffff'] },
    /no such block/,
  ],
  ['a pending block', { network: 'devnet', method: 'eth_call', params: [{}, 'pending'] }, /pending block/],
  [
    'another method',
    { network: 'devnet', method: 'eth_getLogs', params: [{}] },
    /eth_getLogs cannot be bundled/,
  ],
  [
    'a method of rollups on another chain',
    { network: 'devnet', method: 'rollup_getInfo', params: [] },
    /not a rollup/,
  ],
  [
    'a malformed parameter',
    { network: 'devnet', method: 'eth_getBlockReceipts', params: [7] },
    /invalid argument 0/,
  ],
];
for (const [name, row, reason] of REFUSALS) {
  test(`makes no bundle for ${name}`, async () => {
    await assert.rejects(makeBundle(embedded, row), reason);
  });
}

const { calls } = FACTS['devnet'] as Facts[string];
/** Owner without tokens: its slot is not set, in a contract that has other slots. */
const NEW_OWNER = '5'.padStart(64, '0');
const BALANCE_OF_NEW = { ...calls.tokenBalance, data: `0x70a08231${NEW_OWNER}` };
const TRANSFER_TO_NEW = { ...calls.tokenTransfer, data: `0xa9059cbb${NEW_OWNER}${'1'.padStart(64, '0')}` };
/** PUSH 3, NUMBER, SUB, BLOCKHASH, and the word returned. */
const OLD_HASH = { data: '0x600343034060005260206000f3' };
const FURTHER: readonly Row[] = [
  { network: 'devnet', method: 'eth_call', params: [calls.revert, '0x46'] },
  { network: 'devnet', method: 'eth_call', params: [OLD_HASH, 'latest'] },
  { network: 'devnet', method: 'eth_call', params: [OLD_HASH, '0x20'] },
  {
    network: 'devnet',
    method: 'eth_estimateGas',
    params: [{ to: `0x${'9'.repeat(40)}`, value: '0x1' }, '0x12'],
  },
  { network: 'devnet', method: 'eth_call', params: [BALANCE_OF_NEW, 'latest'] },
  { network: 'devnet', method: 'eth_estimateGas', params: [TRANSFER_TO_NEW, 'latest'] },
  { network: 'devnet', method: 'eth_getTransactionByBlockNumberAndIndex', params: ['latest', '0x99'] },
  { network: 'devnet', method: 'eth_getUncleByBlockNumberAndIndex', params: ['latest', '0x0'] },
  { network: 'devnet', method: 'eth_getBlockReceipts', params: ['0x0'] },
  { network: 'rollup', method: 'l2_estimateGas', params: [{ from: `0x${'7'.repeat(40)}` }, '0x3'] },
  {
    network: 'rollup',
    method: 'l2_estimateGas',
    params: [{ from: `0x${'7'.repeat(40)}`, value: '0x1' }, { [`0x${'7'.repeat(40)}`]: { balance: '0x2' } }],
  },
];

test('an estimate under an alias of the rollup is bundled with that alias', async () => {
  const [{ params } = { params: [] }] = SEVEN.filter(({ method }) => method === 'op_estimateGas');
  const [text = ''] = await makeBundles(embedded, [
    { network: 'op', method: 'optimism_estimateGas', params },
  ]);
  const { told, answer } = decodeBundle(text);
  assert.equal(told.rollup?.prefix, 'optimism');
  await verifyBundle(text, { hash: hashOf(text) });
  assert.deepEqual(
    'result' in answer && answer.result,
    await sendToNode('op', 'optimism_estimateGas', params),
  );
});

test('reverts, block hashes, old blocks and absent objects get the same answers as from the service', async () => {
  const texts = await makeBundles(embedded, FURTHER);
  for (const [index, { network, method, params }] of FURTHER.entries()) {
    const { answer } = decodeBundle(texts[index] as string);
    const served = await sendToNode(network, method, params);
    assert.deepEqual('result' in answer ? answer.result : answer.error, served, method);
  }
});

/** Block 4 has two uncles, block 32 has one. */
const WITH_UNCLES = ['0x4', '0x20'];

test('uncles are verified only as divided in the block, and only at their index', async () => {
  const questions = WITH_UNCLES.map((block) => ({
    network: 'devnet',
    method: 'eth_getUncleByBlockNumberAndIndex',
    params: [block, '0x0'],
  }));
  let verified = 0;
  for (const text of await makeBundles(embedded, questions)) {
    const bundle = decodeBundle(text);
    const { uncles } = bundle.evidence;
    const answers: unknown[] = [null];
    for (const index of uncles.keys()) {
      const params = [bundle.block.number, `0x${index.toString(16)}`];
      const [own = ''] = await makeBundles(embedded, [{ ...questions[0], params } as Row]);
      answers.push((decodeBundle(own).answer as { result: unknown }).result);
    }
    for (const divided of divide(uncles)) {
      for (let index = 0; index < divided.length + 2; index++) {
        for (const result of answers) {
          const members = result === null ? [] : bundle.told.members;
          const forged = encodeBundle({
            ...bundle,
            params: [bundle.block.number, `0x${index.toString(16)}`],
            answer: { result },
            evidence: { ...bundle.evidence, uncles: divided },
            told: { ...bundle.told, members },
          });
          const isTrue = divided.join() === uncles.join() && result === (answers[index + 1] ?? null);
          const outcome = verifyBundle(forged, { hash: bundle.block.hash });
          if (!isTrue) await assert.rejects(outcome, BundleError, `${divided.length} parts, ${index}`);
          else verified += Number((await outcome) !== undefined);
        }
      }
    }
  }
  // All true answers: the uncles that exist, and two positions behind them in each block.
  assert.equal(verified, 4 + 3);
});

/** Divides the same bytes differently: empty parts between them, neighbours joined, each cut in two. */
function divide(parts: readonly string[]): string[][] {
  const divisions = [[...parts]];
  if (parts.length > 1) divisions.push([`0x${parts.map((part) => part.slice(2)).join('')}`]);
  for (let at = 0; at <= parts.length; at++)
    divisions.push(parts.toSpliced(at, 0, '0x'), parts.toSpliced(at, 0, '0x', '0x'));
  for (const [at, part] of parts.entries())
    divisions.push(parts.toSpliced(at, 1, part.slice(0, 8), `0x${part.slice(8)}`));
  return divisions;
}

async function sendToNode(network: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`http://${node.authority}/${network}/v3/demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
  return error ?? result;
}

/** Step between changed bytes in each bundle; `npm run check -- bundles` changes all of them. */
const STEP = 997;

test('changed bytes are refused, and forged bundles too, unless the change is only in the request or in reported values', async () => {
  for (const [index, row] of SEVEN.entries()) {
    const text = own[index] as string;
    const outcomes = new Map<Outcome, number[]>();
    for (let at = 0; at < countBytes(text); at += STEP) {
      assert.ok(await isDamageRefused(text, at, 1), `${row.method}: byte ${at}`);
      for (const mask of [1, 0x20]) {
        const outcome = await judgeForgery(text, at, mask);
        outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), at]);
      }
    }
    assert.deepEqual(
      [outcomes.get('meaningless'), outcomes.get('forged')],
      [undefined, undefined],
      row.method,
    );
    assert.ok((outcomes.get('refused') ?? []).length > 0);
  }
});
