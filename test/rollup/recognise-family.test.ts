/** Every family's chain is recognised as that family and no other, whatever else it answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { loadFamilies } from '../../src/rollup/family-table.ts';
import { recogniseFamily } from '../../src/rollup/recognise-family.ts';
import { answerWords } from './answer-words.ts';
import { createScriptedChain, makeHeader, SCOPE, type Script } from './scripted-chain.ts';

const FAMILIES = await loadFamilies();

const ORACLE = '0x420000000000000000000000000000000000000f';
const L1_BLOCK = '0x4200000000000000000000000000000000000015';
const SCROLL_ORACLE = '0x5300000000000000000000000000000000000002';
const MORPH_ORACLE = '0x530000000000000000000000000000000000000f';

const OP_WORDS = { [`${ORACLE} 0x313ce567`]: 6n, [`${L1_BLOCK} 0x8381f58a`]: 23_000_000n };
const GETH = '"Geth/v1.17.0-stable/linux-amd64/go1.25"';

/** Distinguishing answers of chains, by family. */
const CHAINS: Readonly<Record<string, Script>> = {
  linea: { requests: { web3_clientVersion: '"linea-besu/v26.4/linux-x86_64/openjdk-java-21"' } },
  mantle: { call: answerWords({ ...OP_WORDS, [`${ORACLE} 0x06f837d3`]: 3_500n }) },
  'op-stack': { call: answerWords(OP_WORDS), requests: { web3_clientVersion: GETH } },
  arbitrum: {
    requests: {
      eth_getBlockByNumber: '{"number":"0x1","l1BlockNumber":"0x2","sendCount":"0x0","sendRoot":"0x00"}',
    },
  },
  scroll: { call: answerWords({ [`${SCROLL_ORACLE} 0x519b4bd3`]: 7n }) },
  morph: { call: answerWords({ [`${MORPH_ORACLE} 0x519b4bd3`]: 7n }) },
  zksync: { requests: { zks_L1BatchNumber: '"0x7a120"' } },
  'polygon-zkevm': { requests: { zkevm_consolidatedBlockNumber: '"0x5f"' } },
  taiko: { requests: { taiko_headL1Origin: '{"blockID":"0x64","l1BlockHeight":"0x2"}' } },
  l2geth: { requests: { rollup_gasPrices: '{"l1GasPrice":"0x1","l2GasPrice":"0x2"}' } },
};

function open(script: Script) {
  return createScriptedChain({
    headers: { latest: makeHeader() },
    call: answerWords({}),
    ...script,
    requests: { eth_getBlockByNumber: '{"number":"0x1"}', ...script.requests },
  }).chain;
}

const nameOf = async (script: Script): Promise<string | undefined> =>
  (await recogniseFamily(open(script), SCOPE)).row?.name;

for (const { name } of FAMILIES) {
  const script = CHAINS[name];
  if (script === undefined) continue;
  test(`${name} is recognised by its own marks, and by no other family’s`, async () => {
    assert.equal(await nameOf(script), name);
    const others = FAMILIES.filter((family) => family.name !== name);
    const { row: second } = await recogniseFamily(open(script), SCOPE, others);
    // Mantle is an OP Stack chain, and its answers show it.
    assert.equal(second?.name, name === 'mantle' ? 'op-stack' : undefined);
  });
}

test('every family except ethereum has marks besides chain ids', () => {
  assert.deepEqual(
    FAMILIES.map(({ name }) => name).filter((name) => CHAINS[name] === undefined),
    ['ethereum'],
  );
});

test('a chain without marks has no family', async () => {
  assert.equal(await nameOf({ requests: { web3_clientVersion: GETH } }), undefined);
});

test('Linea is also recognised by its method, which refuses missing parameters', async () => {
  const chain = open({});
  chain.request = async (method) => {
    if (method === 'linea_estimateGas') throw new ChainError('invalid', 'Invalid call parameters (index 0)');
    return 'null';
  };
  const { row: seen } = await recogniseFamily(
    chain,
    SCOPE,
    FAMILIES.filter(({ name }) => name === 'linea'),
  );
  assert.equal(seen?.name, 'linea');
});

test('a single predeploy, or an oracle with other decimals, is not the OP Stack', async () => {
  for (const mark of Object.keys(OP_WORDS)) {
    const { [mark]: _, ...rest } = OP_WORDS as Record<string, bigint>;
    assert.equal(await nameOf({ call: answerWords(rest) }), undefined);
  }
  assert.equal(
    await nameOf({ call: answerWords({ ...OP_WORDS, [`${ORACLE} 0x313ce567`]: 18n }) }),
    undefined,
  );
});

/** A chain whose listed methods fail. */
function openFailing(script: Script, failures: Readonly<Record<string, ChainError>>) {
  const chain = open(script);
  const request = chain.request.bind(chain);
  chain.request = (method, params, scope) => {
    const failure = failures[method];
    if (failure !== undefined) return Promise.reject(failure);
    return request(method, params, scope);
  };
  return chain;
}

test('a method refused with any message counts as absent', async () => {
  for (const words of ['Method linea_estimateGas is forbidden', 'unknown method', 'not on this plan']) {
    const refusal = new ChainError('failed', words);
    const methods = ['linea_estimateGas', 'zks_L1BatchNumber', 'taiko_headL1Origin', 'rollup_gasPrices'];
    const failures = Object.fromEntries(methods.map((method) => [method, refusal]));
    const chain = openFailing({ call: answerWords(OP_WORDS) }, failures);
    assert.equal((await recogniseFamily(chain, SCOPE)).row?.name, 'op-stack');
    assert.equal((await recogniseFamily(openFailing({}, failures), SCOPE)).row, undefined);
  }
});

test('a failed request matters only if no other mark is found', async () => {
  const busy = new ChainError('busy', 'nodes.rate');
  const failures = { taiko_headL1Origin: busy };
  const chain = openFailing({ call: answerWords(OP_WORDS) }, failures);
  assert.equal((await recogniseFamily(chain, SCOPE)).row?.name, 'op-stack');
  await assert.rejects(recogniseFamily(openFailing({}, failures), SCOPE), (error) => error === busy);
});

test('an unavailable chain is an error, not a chain without a family', async () => {
  const down = new ChainError('unavailable', 'no node answers');
  const chain = open({});
  chain.request = async () => {
    throw down;
  };
  await assert.rejects(recogniseFamily(chain, SCOPE), (error) => error === down);
});
