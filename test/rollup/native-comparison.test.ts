/** The first estimate by the nodes' own method is compared with the fallback of its family: once, after the response, and only in the log. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMemoryCache } from '../../src/cache/memory-cache.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import { configSchema } from '../../src/config/config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { type Comparison, isExpected } from '../../src/rollup/estimate/comparison.ts';
import { loadFamily } from '../../src/rollup/family-table.ts';
import type { GasEstimate } from '../../src/rollup/rollup-family.ts';
import { EmbeddedChains } from '../../src/service/embedded-chains.ts';
import { EstimateComparisons } from '../../src/service/estimate-comparisons.ts';
import { Rollups } from '../../src/service/open-rollups.ts';
import { RpcError, startNode } from '../support/served-node.ts';
import { startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { CALL, HEIGHT, RECORDED, type RecordedFamily } from './recorded-nodes.ts';
import { createScriptedChain, makeHeader, makeSources, SCOPE, type Script } from './scripted-chain.ts';

const FROM = '0x52908400098527886e0f7030069857d2e4169ee7';
const DATA = `0x${'c0ffee'.repeat(40)}`;
const REQUEST: CallRequest = {
  call: { from: FROM, to: '0x8617e340b3d01fa5f11f306f4090fd50e238070d', data: DATA, nonce: '0x1' },
  block: { kind: 'tag', tag: 'latest' },
};
const GAS = 100_000n;
const hex = (value: bigint): string => `"0x${value.toString(16)}"`;
const word = (value: bigint): string => `"0x${value.toString(16).padStart(64, '0')}"`;

/** Scripts a node with its own estimate method and the prices that the fallback reads. */
function scriptLinea(tip: bigint, header = makeHeader()): Script {
  const answer = `{"gasLimit":${hex(GAS)},"baseFeePerGas":"0x7","priorityFeePerGas":${hex(tip)}}`;
  return {
    headers: { latest: header },
    estimate: () => hex(GAS),
    requests: { linea_estimateGas: answer, eth_gasPrice: hex(607n) },
  };
}

function scriptScroll(method: string, nodeFee: bigint, fee: bigint, isGalileo = false): Script {
  return {
    headers: { latest: makeHeader() },
    estimate: () => hex(GAS),
    call: ({ call: { data = '' } }) =>
      word(data.startsWith('0x49948e0e') ? fee : data.startsWith('0x0f337f6d') && isGalileo ? 1n : 0n),
    requests: { [method]: hex(nodeFee), eth_maxPriorityFeePerGas: '"0x1"' },
  };
}

function scriptZksync(native: bigint, estimate: bigint): Script {
  return {
    headers: { latest: makeHeader() },
    estimate: () => hex(estimate),
    requests: { zks_estimateFee: `{"gas_limit":${hex(native)},"max_fee_per_gas":"0x7"}` },
  };
}

function scriptPolygon(price: bigint, fee?: bigint): Script {
  return {
    headers: { latest: makeHeader() },
    estimate: () => hex(GAS),
    requests: {
      zkevm_estimateGasPrice: hex(price),
      ...(fee !== undefined && { zkevm_estimateFee: hex(fee) }),
    },
  };
}

/** Estimates once, and compares that estimate. @returns undefined when there is nothing to compare with */
async function compare(family: string, script: Script): Promise<Comparison | undefined> {
  const notes: Promise<Comparison | undefined>[] = [];
  const { chain } = createScriptedChain(script);
  const noteNative = (ask: (scope: typeof SCOPE) => Promise<Comparison | undefined>): void =>
    void notes.push(ask(SCOPE));
  const row = await loadFamily(family);
  await row.create(makeSources(chain, { noteNative })).estimateGas(REQUEST, SCOPE);
  assert.equal(notes.length, 1, `${notes.length} comparisons`);
  return notes[0];
}

/** Fixed cost in `extraData` of the header, and the minimum gas price in it; wei. */
const FIXED = 30_000_000n;
const MIN_PRICE = 60_000_000n;

describe('bounds of the comparison by family', () => {
  const rows: readonly [title: string, family: string, script: Script, isWithin: boolean][] = [
    ['linea: about as the formula', 'linea', scriptLinea(73_000_000n), true],
    ['linea: nothing but the fixed cost', 'linea', scriptLinea(FIXED), true],
    ['linea: at the minimal gas price', 'linea', scriptLinea(MIN_PRICE - 7n), true],
    ['linea: half of the fixed cost', 'linea', scriptLinea(FIXED / 2n), false],
    ['linea: another unit', 'linea', scriptLinea(FIXED * 1_000n), false],
    ['linea: without prices', 'linea', scriptLinea(720n, makeHeader({ extraData: '0x' })), true],
    ['linea: without prices, twice', 'linea', scriptLinea(1_440n, makeHeader({ extraData: '0x' })), false],
    ['scroll: the same', 'scroll', scriptScroll('scroll_estimateL1DataFee', 1_000n, 1_000n), true],
    ['scroll: some bytes less', 'scroll', scriptScroll('scroll_estimateL1DataFee', 900n, 1_000n), true],
    ['scroll: half', 'scroll', scriptScroll('scroll_estimateL1DataFee', 500n, 1_000n), false],
    ['scroll: a half more', 'scroll', scriptScroll('scroll_estimateL1DataFee', 1_500n, 1_000n), false],
    ['morph: the same', 'morph', scriptScroll('morph_estimateL1DataFee', 1_000n, 1_000n), true],
    ['morph: twice', 'morph', scriptScroll('morph_estimateL1DataFee', 2_000n, 1_000n), false],
    ['zksync: another search', 'zksync', scriptZksync(GAS + 6_500n, GAS), true],
    ['zksync: twice', 'zksync', scriptZksync(2n * GAS, GAS), false],
    ['zksync: a third', 'zksync', scriptZksync(GAS / 3n, GAS), false],
    ['polygon-zkevm: the product', 'polygon-zkevm', scriptPolygon(50n, 50n * GAS), true],
    ['polygon-zkevm: an eighth more', 'polygon-zkevm', scriptPolygon(9n, 8n * GAS), true],
    ['polygon-zkevm: a fifth more', 'polygon-zkevm', scriptPolygon(12n, 10n * GAS), false],
  ];
  for (const [title, family, script, isWithin] of rows)
    test(title, async () => {
      const found = await compare(family, script);
      assert.ok(found !== undefined);
      const { native, fallback, least, most } = found;
      assert.ok(least <= fallback.value && fallback.value <= most, `${least} ${fallback.value} ${most}`);
      assert.equal(isExpected(found), isWithin, `${least} ${native.value} ${most}`);
    });

  test('scroll: since Galileo the bound allows for a compressed signature, and the fee grows with the square of the size', async () => {
    const of = async (nodeFee: bigint): Promise<Comparison> => {
      const script = scriptScroll('scroll_estimateL1DataFee', nodeFee, 1_000_000n, true);
      return (await compare('scroll', script)) as Comparison;
    };
    const { least, most } = await of(1n);
    // The bound allows for 96 of the counted bytes.
    const size = 96 / (Math.sqrt(Number(most) / 1e6) - 1);
    assert.ok(size > 110 && size < 160, `${size} bytes`);
    assert.ok(Math.abs(Number(least) - 1e6 * (1 - 96 / size) ** 2) < 100, `${least}`);
    assert.equal(isExpected(await of(least)), true);
    assert.equal(isExpected(await of(most + 1n)), false);
  });

  test('polygon-zkevm: nodes without zkevm_estimateFee have no comparison', async () => {
    assert.equal(await compare('polygon-zkevm', scriptPolygon(50n)), undefined);
  });

  test('an estimate by the fallback is not compared', async () => {
    for (const family of ['linea', 'scroll', 'morph', 'zksync', 'polygon-zkevm']) {
      const { requests: _, ...script } = scriptScroll('none', 0n, 1_000n);
      const { chain } = createScriptedChain({ ...script, requests: { eth_gasPrice: '"0x5"' } });
      const noteNative = (): void => assert.fail(family);
      await (await loadFamily(family)).create(makeSources(chain, { noteNative })).estimateGas(REQUEST, SCOPE);
    }
  });
});

type Line = Readonly<Record<string, unknown>>;

/** Levels by pino's number. */
const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 40: 'warn', 50: 'error' };

/** Collects the log lines about comparisons. */
function createSink() {
  const texts: string[] = [];
  const log = createLogger('debug', { sink: { write: (line: string) => void texts.push(line) } });
  const read = (): Line[] =>
    texts
      .map((text) => JSON.parse(text) as Line)
      .filter(({ msg }) => String(msg).startsWith('native'))
      .map((line) => ({ ...line, level: LEVELS[Number(line['level'])] }));
  return { texts, log, read };
}

/** Opens a service's rollups over this chain. */
async function openRollups(chain: Chain, family: string, log: ReturnType<typeof createSink>['log']) {
  const engine = new EmbeddedChains({ threads: 1, onFault: assert.fail });
  const cache = createMemoryCache({ bytes: 0, entryBytes: 0 });
  const rollups = new Rollups({ dataDir: '', engine, cache, log });
  const row = { hosts: ['l2'], upstreams: ['http://127.0.0.1:1'], rollup: { family } };
  await rollups.open(configSchema.parse({ networks: { l2: row } }).networks, new Map([['l2', chain]]));
  const estimate = async (): Promise<GasEstimate | undefined> =>
    rollups.get('l2')?.family.estimateGas(REQUEST, SCOPE);
  return { rollups, estimate };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function passTurns(): Promise<void> {
  for (let i = 0; i < 20; i++) await turn();
}

describe('the comparison', () => {
  test('is made once per process and network, reloads included, and a difference is a warning without the call', async (t) => {
    const { texts, log, read } = createSink();
    const { chain, requested } = createScriptedChain(scriptZksync(2n * GAS, GAS));
    const first = await openRollups(chain, 'zksync', log);
    t.after(() => first.rollups.close());
    const native = { gasLimit: 2n * GAS, baseFeePerGas: 7n, priorityFeePerGas: 0n };
    for (let i = 0; i < 3; i++) assert.deepEqual(await first.estimate(), native);
    await passTurns();
    const reloaded = await openRollups(chain, 'zksync', log);
    t.after(() => reloaded.rollups.close());
    assert.deepEqual(await reloaded.estimate(), native);
    await passTurns();
    assert.equal(requested.estimates.length, 1);
    const lines = read();
    assert.equal(lines.length, 1);
    const { level, network, family, what, native: found, fallback, least, most } = lines[0] ?? {};
    assert.deepEqual(
      { level, network, family, what, found, fallback, least, most },
      {
        level: 'warn',
        network: 'l2',
        family: 'zksync',
        what: 'gas',
        found: { from: 'zks_estimateFee', value: '200000' },
        fallback: { from: 'eth_estimateGas', value: '100000' },
        least: String(93_500n - 93_500n / 8n),
        most: String(106_500n + 106_500n / 8n),
      },
    );
    assert.doesNotMatch(texts.join(''), new RegExp(`c0ffee|${FROM.slice(2)}`));
  });

  test('is a debug line if both values are equal', async (t) => {
    const { log, read } = createSink();
    const { chain } = createScriptedChain(scriptPolygon(50n, 50n * GAS));
    const { rollups, estimate } = await openRollups(chain, 'polygon-zkevm', log);
    t.after(() => rollups.close());
    await estimate();
    await passTurns();
    assert.deepEqual(
      read().map(({ level, native, fallback }) => ({ level, native, fallback })),
      [
        {
          level: 'debug',
          native: { from: 'zkevm_estimateGasPrice x gas', value: '5000000' },
          fallback: { from: 'zkevm_estimateFee', value: '5000000' },
        },
      ],
    );
  });

  test('does not delay the estimate, and ends with the service', async () => {
    const { log, read } = createSink();
    const { chain } = createScriptedChain(scriptZksync(2n * GAS, GAS));
    let requested = 0;
    const execution: Chain['execution'] = {
      ...chain.execution,
      estimateGas: (_, scope) =>
        new Promise((_resolve, reject) => {
          requested++;
          scope.signal.addEventListener('abort', () => reject(new ChainError('aborted', 'the scope ended')));
        }),
    };
    const silent = { ...chain, chainId: chain.chainId, isAnswerable: true, execution } as Chain;
    const { rollups, estimate } = await openRollups(silent, 'zksync', log);
    // The estimates run one at a time.
    for (let i = 0; i < 5; i++) assert.equal((await estimate())?.gasLimit, 2n * GAS);
    await passTurns();
    assert.equal(requested, 1);
    assert.deepEqual(read(), []);
    await rollups.close();
    await passTurns();
    assert.deepEqual(
      read().map(({ level, reason, attempts }) => ({ level, reason, attempts })),
      [{ level: 'debug', reason: 'aborted', attempts: 1 }],
    );
    await estimate();
    assert.equal(requested, 1);
  });

  test('is retried with later estimates if a node does not answer, three times at most', async () => {
    const { texts, log, read } = createSink();
    const { chain } = createScriptedChain({});
    const comparisons = new EstimateComparisons({ network: 'l2', chain, log });
    let requested = 0;
    const fail = async (): Promise<undefined> => {
      requested++;
      throw new ChainError('unavailable', `no answer to ${DATA}`);
    };
    for (let i = 0; i < 6; i++) {
      comparisons.note('scroll', fail);
      await passTurns();
    }
    assert.equal(requested, 3);
    assert.deepEqual(
      read().map(({ level, reason, attempts }) => ({ level, reason, attempts })),
      [1, 2, 3].map((attempts) => ({ level: 'debug', reason: 'unavailable', attempts })),
    );
    assert.doesNotMatch(texts.join(''), /c0ffee/);
    // Each family of a chain has its own comparison.
    comparisons.note('morph', fail);
    await passTurns();
    assert.equal(requested, 4);
    comparisons.note('morph', async () => undefined);
    await passTurns();
    comparisons.note('morph', fail);
    await passTurns();
    assert.equal(requested, 4);
  });

  test('logs an internal fault as an error, without other effects', async () => {
    const { log, read } = createSink();
    const { chain } = createScriptedChain({});
    const comparisons = new EstimateComparisons({ network: 'l2', chain, log });
    comparisons.note('linea', async () => {
      throw new TypeError(DATA);
    });
    await passTurns();
    assert.deepEqual(
      read().map(({ level, reason }) => ({ level, reason })),
      [{ level: 'error', reason: 'TypeError' }],
    );
  });
});

test('over a pool: a node that cannot answer the comparison answers all estimates, and is not counted as failing', async (t) => {
  const recorded = RECORDED.find(({ name }) => name === 'zksync') as RecordedFamily;
  const node = await startNode(t, {
    chainId: recorded.chainId ?? 1,
    height: HEIGHT,
    answers: {
      ...recorded.answers,
      eth_estimateGas: () => {
        throw new RpcError(-32000, 'estimates are switched off');
      },
    },
  });
  const networks = {
    l2: { hosts: ['l2.localhost'], upstreams: [node.url], verify: 'off', rollup: { family: 'zksync' } },
  };
  const service = await startService({ defaultNetwork: 'l2', networks }, 'debug');
  t.after(() => service.close());
  const countAsked = (): number => node.calls.filter((name) => name === 'eth_estimateGas').length;
  const readLines = (): Line[] => service.errors.map((text) => JSON.parse(text) as Line);
  const countCompared = (): number =>
    readLines().filter(({ msg }) => msg === 'native estimate was not compared').length;
  for (let i = 1; i <= 6; i++) {
    const response = await fetch(`http://${service.authority}/v3/demo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'zks_estimateGas', params: [CALL] }),
    });
    assert.deepEqual(((await response.json()) as Line)['result'], recorded.estimate);
    await waitUntil(() => countCompared() === Math.min(i, 3));
  }
  assert.equal(countAsked(), 3);
  const blamed = readLines().filter(
    ({ level, msg }) => Number(level) >= 40 && /^(upstream|network is down)/.test(String(msg)),
  );
  assert.deepEqual(blamed, []);
});
