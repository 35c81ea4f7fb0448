/** Method names that rollups serve by their family: every name of the estimate, and estimate methods of nodes, which are forwarded. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isNodeMethod } from '../../src/pool/node-method-rule.ts';
import { FAMILY_NAMES } from '../../src/rollup/family-table.ts';
import { FAMILY_ESTIMATES, FAMILY_PREFIXES, findWireNames } from '../../src/rollup/wire-names.ts';
import { RpcError, startNode } from '../support/served-node.ts';
import { startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { CALL, HEIGHT, RECORDED, type RecordedFamily } from './recorded-nodes.ts';

type Reply = { readonly result?: unknown; readonly error?: { readonly code: number } };

const FAMILIES = FAMILY_NAMES.map((name) => ({ name, ...findWireNames(name) }));
/** Prefixes that clients use, by family. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  linea: ['linea'],
  mantle: ['mantle'],
  'op-stack': ['op', 'optimism'],
  arbitrum: ['arbitrum', 'arb'],
  scroll: ['scroll'],
  morph: ['morph'],
  zksync: ['zksync', 'zks'],
  'polygon-zkevm': ['zkevm'],
  taiko: ['taiko'],
  l2geth: ['metis'],
  ethereum: ['ethereum'],
};
/** Estimate methods that nodes have themselves, by family. */
const PASSED_ON: Readonly<Record<string, readonly string[]>> = {
  linea: ['linea_estimateGas'],
  mantle: ['eth_estimateTotalFee'],
  scroll: ['scroll_estimateL1DataFee'],
  morph: ['morph_estimateL1DataFee'],
  zksync: ['zks_estimateFee', 'zks_estimateGasL1ToL2'],
  'polygon-zkevm': ['zkevm_estimateFee', 'zkevm_estimateGasPrice', 'zkevm_estimateCounters'],
};

const findRecord = (family: string): RecordedFamily =>
  RECORDED.find(({ name }) => name === family) as RecordedFamily;

async function post(authority: string, method: string, params: readonly unknown[] = [CALL]): Promise<Reply> {
  const response = await fetch(`http://${authority}/v3/demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Reply;
}

/** Parameters that no estimate of the service accepts. */
const PARAMS = [CALL, { any: ['thing', null] }];

/** Starts a service in front of a node of the family that has the estimate methods of all families and echoes `PARAMS`. */
async function serve(t: TestContext, family: string, network: object = {}) {
  const { answers, chainId = 1 } = findRecord(family);
  const echoes = Object.fromEntries(
    [...FAMILY_ESTIMATES].map((name) => [
      name,
      (params: readonly unknown[]) => {
        if (isDeepStrictEqual(params, PARAMS)) return { node: name, params };
        const answer = answers[name];
        if (answer === undefined) {
          // A pool remembers which methods a node lacks, so the probe of a forwarded method must not report it as missing.
          const isProbed =
            params.length === 0 && PASSED_ON[family]?.includes(name) === true && name !== 'linea_estimateGas';
          throw isProbed ? new RpcError(-32602, 'missing value') : new RpcError(-32601, 'no such method');
        }
        return answer(params);
      },
    ]),
  );
  const node = await startNode(t, { chainId, height: HEIGHT, answers: { ...answers, ...echoes } });
  const service = await startService({
    defaultNetwork: 'l2',
    networks: { l2: { hosts: ['l2.localhost'], upstreams: [node.url], rollup: { family }, ...network } },
  });
  t.after(() => service.close());
  return service;
}

async function readServedAs(authority: string): Promise<unknown> {
  const document = (await (await fetch(`http://${authority}/openrpc.json`)).json()) as {
    readonly methods: readonly { readonly name: string; readonly 'x-served-as'?: unknown }[];
  };
  return document.methods.find(({ name }) => name === 'l2_estimateGas')?.['x-served-as'];
}

describe('names by family', () => {
  test('are those that clients use, and no two families share one', () => {
    assert.deepEqual(Object.fromEntries(FAMILIES.map(({ name, prefixes }) => [name, prefixes])), EXPECTED);
    const passed = FAMILIES.filter(({ nodeEstimates }) => nodeEstimates.length > 0);
    assert.deepEqual(Object.fromEntries(passed.map((row) => [row.name, row.nodeEstimates])), PASSED_ON);
    assert.equal(FAMILY_PREFIXES.size, Object.values(EXPECTED).flat().length);
    assert.throws(() => findWireNames('toString'), /no rollup family toString/);
  });

  test('of forwarded methods are those of methods that only read', () => {
    for (const name of FAMILY_ESTIMATES) assert.ok(isNodeMethod(name), name);
  });

  test('of the service’s estimates replace no node method except Linea’s, which means the same', () => {
    const shadowed = FAMILIES.flatMap(({ prefixes, nodeEstimates }) =>
      prefixes.map((prefix) => `${prefix}_estimateGas`).filter((name) => nodeEstimates.includes(name)),
    );
    assert.deepEqual(shadowed, ['linea_estimateGas']);
  });
});

for (const [family, prefixes] of Object.entries(EXPECTED)) {
  if (family === 'ethereum') continue;
  test(`${family}: the estimate is served under the names of its family, and no others`, async (t) => {
    const { authority } = await serve(t, family);
    const { result: main } = await post(authority, `${prefixes[0]}_estimateGas`);
    assert.ok(main !== undefined);
    for (const prefix of prefixes)
      assert.deepEqual((await post(authority, `${prefix}_estimateGas`)).result, main, prefix);
    for (const prefix of FAMILY_PREFIXES) {
      if (prefixes.includes(prefix)) continue;
      assert.equal((await post(authority, `${prefix}_estimateGas`)).error?.code, -32601, prefix);
    }
    assert.deepEqual(await readServedAs(authority), prefixes.map((each) => `${each}_estimateGas`).sort());
  });
}

for (const [family, methods] of Object.entries(PASSED_ON)) {
  test(`${family}: estimate methods of its nodes are forwarded, and those of other families do not exist`, async (t) => {
    const configured = await serve(t, family);
    const recognised = await serve(t, family, { rollup: {} });
    // Before its nodes have shown the family, a name that may be of it is answered with -32603.
    const names = (EXPECTED[family] as readonly string[]).map((prefix) => `${prefix}_estimateGas`).sort();
    await waitUntil(async () => isDeepStrictEqual(await readServedAs(recognised.authority), names));
    for (const { authority } of [configured, recognised]) {
      for (const method of FAMILY_ESTIMATES) {
        if (method === 'linea_estimateGas') continue;
        const reply = await post(authority, method, PARAMS);
        if (methods.includes(method))
          assert.deepEqual(reply, { jsonrpc: '2.0', id: 1, result: { node: method, params: PARAMS } });
        else assert.equal(reply.error?.code, -32601, method);
      }
    }
  });
}

test('a configured prefix replaces all of the family’s, and linea_estimateGas is then forwarded to the node', async (t) => {
  const op = await serve(t, 'op-stack', { rollup: { family: 'op-stack', prefix: 'mine' } });
  assert.ok((await post(op.authority, 'mine_estimateGas')).result !== undefined);
  for (const name of ['op_estimateGas', 'optimism_estimateGas'])
    assert.equal((await post(op.authority, name)).error?.code, -32601, name);
  assert.deepEqual(await readServedAs(op.authority), ['mine_estimateGas']);
  const linea = await serve(t, 'linea', { rollup: { family: 'linea', prefix: 'mine' } });
  assert.deepEqual((await post(linea.authority, 'linea_estimateGas', PARAMS)).result, {
    node: 'linea_estimateGas',
    params: PARAMS,
  });
});

test('`methods.except` and `methods.only` apply to each name', async (t) => {
  const isServed = async (methods: object, name: string, family = 'zksync'): Promise<boolean> => {
    const { authority } = await serve(t, family, { methods });
    const params = FAMILY_ESTIMATES.has(name) ? PARAMS : [CALL];
    return (await post(authority, name, params)).error?.code !== -32601;
  };
  const except = { except: ['zks_estimateGas', 'zks_estimateFee'] };
  assert.equal(await isServed(except, 'zks_estimateGas'), false);
  assert.equal(await isServed(except, 'zksync_estimateGas'), true);
  assert.equal(await isServed(except, 'zks_estimateFee'), false);
  assert.equal(await isServed(except, 'zks_estimateGasL1ToL2'), true);
  const only = { only: ['optimism_estimateGas'] };
  assert.equal(await isServed(only, 'optimism_estimateGas', 'op-stack'), true);
  assert.equal(await isServed(only, 'op_estimateGas', 'op-stack'), false);
  assert.equal(await isServed({ only: ['l2_estimateGas'] }, 'zks_estimateGas'), true);
  assert.equal(await isServed({ only: ['l2_estimateGas'] }, 'zks_estimateFee'), false);
});

test('rpc_modules lists the namespaces of all served names', async (t) => {
  const listOf = async (network: object): Promise<readonly string[]> => {
    const { authority } = await serve(t, 'zksync', network);
    return Object.keys((await post(authority, 'rpc_modules', [])).result as object);
  };
  const names = await listOf({});
  assert.ok(names.includes('zks') && names.includes('zksync'), names.join());
  const narrowed = await listOf({ methods: { except: ['zks_*'] } });
  assert.ok(!narrowed.includes('zks') && narrowed.includes('zksync'), narrowed.join());
});

test('an embedded rollup has no estimate methods of nodes', async (t) => {
  const service = await startService({
    defaultNetwork: 'l2',
    networks: { l2: { hosts: ['l2.localhost'], builtin: 'op-rollup', rollup: { family: 'scroll' } } },
  });
  t.after(() => service.close());
  for (const name of FAMILY_ESTIMATES)
    assert.equal((await post(service.authority, name)).error?.code, -32601, name);
});
