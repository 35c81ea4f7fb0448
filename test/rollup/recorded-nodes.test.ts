/** The rollup methods over HTTP, in front of nodes that answer as those of each family do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { FAMILY_NAMES, loadFamilies } from '../../src/rollup/family-table.ts';
import { listGaps } from '../../src/rollup/list-gaps.ts';
import type { FamilyRow } from '../../src/rollup/rollup-family.ts';
import { RpcError, startNode } from '../support/served-node.ts';
import { type RunningService, startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { CALL, describeExample, HEIGHT, PLAIN, RECORDED, type RecordedFamily } from './recorded-nodes.ts';

const DOCUMENT = readFileSync(new URL('../../../docs/rollups.md', import.meta.url), 'utf8');
const FAMILIES = await loadFamilies();
const findFamily = (name: string): FamilyRow => FAMILIES.find((row) => row.name === name) as FamilyRow;

/** Milliseconds without a request that end a round: long compared with the service's time between two requests. */
const ROUND_MS = 20;
const OLD = '0x5';
/** Returns the response text unparsed. */
async function postText(authority: string, method: string, params: readonly unknown[]): Promise<string> {
  const response = await fetch(`http://${authority}/v3/demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.text();
}

async function post(authority: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const { result, error } = JSON.parse(await postText(authority, method, params));
  return result ?? error;
}

test('each family has the same name in the table and in itself', () => {
  assert.deepEqual(
    FAMILIES.map(({ name }) => name),
    FAMILY_NAMES,
  );
});

test('every family has a recorded node', () => {
  assert.deepEqual(
    new Set([...RECORDED, PLAIN].map(({ name }) => name)),
    new Set(FAMILIES.map(({ name }) => name)),
  );
});

test('the zeros in the records are exactly the fields that a family cannot know', () => {
  for (const { name, title = name, info } of [...RECORDED, PLAIN]) {
    const { ethContext, rollupContext } = info as Record<string, Record<string, number>>;
    const fields = { ethContext, rollupContext };
    const zeros = Object.entries(fields).flatMap(([part, members]) =>
      Object.entries(members ?? {}).flatMap(([field, value]) => (value === 0 ? [`${part}.${field}`] : [])),
    );
    const known =
      name === 'l2geth' ? zeros.filter((field) => field !== 'rollupContext.verifiedIndex') : zeros;
    assert.deepEqual(known, listGaps(findFamily(name), {}), title);
  }
});

for (const record of [...RECORDED, PLAIN]) {
  test(`${record.title ?? record.name}: is recognised, estimated in at most two rounds of requests, and described`, async (t) => {
    await examine(t, record);
  });
}

/** Starts a service with one network, until the test ends. */
async function serve(t: TestContext, network: object): Promise<RunningService> {
  const service = await startService({
    defaultNetwork: 'l2',
    networks: { l2: { hosts: ['l2.localhost'], ...network } },
  });
  t.after(() => service.close());
  return service;
}

async function examine(t: TestContext, record: RecordedFamily): Promise<void> {
  const { name, prefix, chainId = 1, answers, estimate, info } = record;
  const node = await startNode(t, { chainId, answers, height: HEIGHT, roundMs: ROUND_MS });
  const service = await serve(t, {
    upstreams: [node.url],
    pool: { pollInterval: '60s' },
    rollup: record === PLAIN ? { family: name } : {},
  });
  // On a busy machine, the service may open its port before the node has reported its chain.
  await waitUntil(async () => typeof (await post(service.authority, 'eth_chainId', [])) === 'string');
  const ask = async (method: string, ...block: readonly string[]): Promise<unknown> => {
    // Background requests of the service after its start or the previous call do not count as rounds of this call.
    await node.rounds.whenQuiet();
    const before = node.rounds.count;
    const answer = await post(service.authority, method, [CALL, ...block]);
    const rounds = node.rounds.count - before;
    // A pool first resolves an old number to a block.
    assert.ok(rounds <= (block[0] === OLD ? 3 : 2), `${rounds} rounds for ${method} ${block}`);
    return answer;
  };
  assert.deepEqual(await ask('l2_estimateGas'), estimate);
  assert.deepEqual(await ask(`${prefix}_estimateGas`, 'latest'), estimate);
  // l2geth estimates only at its head.
  const others = name === 'l2geth' ? [] : ['finalized', 'earliest', OLD];
  for (const block of ['pending', ...others]) {
    const { gasLimit } = (await ask('l2_estimateGas', block)) as { gasLimit?: string };
    assert.match(String(gasLimit), /^0x(cf0[89]|1ffb8|2dc6c0|5208)$/, block);
  }
  assert.deepEqual(await post(service.authority, 'rollup_getInfo', []), info);
  const example = describeExample(record);
  for (const [method, params] of [
    [`${prefix}_estimateGas`, [CALL]],
    ['rollup_getInfo', []],
  ] as const) {
    assert.ok(example.includes(`<< ${await postText(service.authority, method, params)}\n`), method);
  }
  assert.ok(DOCUMENT.includes(example), 'docs/rollups.md has another example');
  assert.deepEqual(service.errors, []);
}

/** A block as `optimism_syncStatus` returns it. */
const ref = (number: number, timestamp = 0): object => ({ hash: '0x', number, parentHash: '0x', timestamp });

test('an op-node reports the progress of an OP Stack node, and a configured address reports layer 1', async (t) => {
  const recorded = RECORDED.find(({ name }) => name === 'op-stack') as RecordedFamily;
  const status = {
    current_l1: ref(23_799_990),
    head_l1: ref(23_800_000, 1_764_000_000),
    unsafe_l2: ref(100),
    safe_l2: ref(90),
    finalized_l2: ref(80),
  };
  let isSequencing: (() => boolean) | undefined;
  const node = await startNode(t, { answers: recorded.answers, height: HEIGHT });
  const opNode = await startNode(t, {
    answers: {
      optimism_syncStatus: () => status,
      admin_sequencerActive: () => {
        if (isSequencing === undefined) throw new RpcError(-32601, 'the method does not exist');
        return isSequencing();
      },
    },
  });
  const layer1 = await startNode(t, { chainId: 5 });
  const service = await serve(t, {
    upstreams: [node.url],
    rollup: { family: 'op-stack', opNode: opNode.url, l1: layer1.url },
  });
  const expected = {
    mode: 'verifier',
    syncing: false,
    ethContext: { blockNumber: 23_800_000, timestamp: 1_764_000_000 },
    rollupContext: { queueIndex: 0, index: 99, verifiedIndex: 89 },
  };
  assert.deepEqual(await post(service.authority, 'rollup_getInfo', []), expected);
  isSequencing = () => true;
  status.current_l1 = ref(23_799_949);
  assert.deepEqual(await post(service.authority, 'rollup_getInfo', []), {
    ...expected,
    mode: 'sequencer',
    syncing: true,
  });
  isSequencing = () => {
    throw new RpcError(-32000, 'admin methods are not open to this client');
  };
  const { mode } = (await post(service.authority, 'rollup_getInfo', [])) as { mode: string };
  assert.equal(mode, 'verifier');
  assert.ok(layer1.calls.includes('eth_chainId'));
  assert.deepEqual(service.errors, []);
});

test('a failing op-node is an error, and is not replaced by another source', async (t) => {
  const recorded = RECORDED.find(({ name }) => name === 'op-stack') as RecordedFamily;
  const node = await startNode(t, { answers: recorded.answers, height: HEIGHT });
  const other = await startNode(t);
  const infoBy = async (opNode: string): Promise<unknown> => {
    const service = await serve(t, { upstreams: [node.url], rollup: { family: 'op-stack', opNode } });
    return post(service.authority, 'rollup_getInfo', []);
  };
  assert.deepEqual(await infoBy(other.url), {
    code: -32603,
    message: 'internal error: optimism_syncStatus has no unsafe_l2: opNode is not an op-node',
  });
  const { code } = (await infoBy('http://127.0.0.1:1')) as { code: number };
  assert.equal(code, -32603);
});
