/** Every call is reported once, at its end, in any kind of body and with any outcome. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { HeaderView } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { composeGateway, type Gateway, type GatewayLimits } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import type { CallObserver } from '../../src/observe/call-report.ts';
import type { LimitObserver } from '../../src/observe/limit-observer.ts';
import { RequestReport } from '../../src/observe/request-report.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork, playing, ScriptedChain } from './scripted-network.ts';
import { receiptsOf, type SourcePlan, StreamingChain } from './scripted-source.ts';

const PRINCIPAL = { id: 'p', name: 'p' };

type Setup = {
  readonly gateway: Gateway;
  /** Reported calls as `network method outcome source caller credits`, in the order in which they end. */
  readonly observed: string[];
  readonly report: RequestReport;
  send(body: unknown, scope?: RequestScope): Promise<JsonResult>;
};

function setUp(network: Network, limits: Partial<GatewayLimits> = {}): Setup {
  const observed: string[] = [];
  const observer: CallObserver & LimitObserver = {
    onCall(name, method, outcome, source, ms, { id }, credits, now) {
      assert.ok(ms >= 0 && now <= performance.now());
      observed.push(`${name} ${method} ${outcome} ${source} ${id} ${credits}`);
    },
    onBatch: (items) => void observed.push(`batch ${items}`),
    onSurcharge: ({ id }, credits) => void observed.push(`surcharge ${id} ${credits}`),
    onBrokenStream: (name) => void observed.push(`broken ${name}`),
    onLimited: (reason, bound, name, id) => void observed.push(`limited ${reason} ${bound} ${name} ${id}`),
  };
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    limits,
    log: createRecordingLog(),
    observer,
  });
  const report = new RequestReport('http', '127.0.0.1', performance.now(), undefined);
  return {
    gateway,
    observed,
    report,
    async send(body, scope = new RequestScope(performance.now() + 60_000)) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const session = { network, principal: PRINCIPAL };
      return (await gateway.handle(Buffer.from(text), session, scope, report)).body;
    },
  };
}

const call = (method: string, params: readonly unknown[], id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const notice = (method: string, params: readonly unknown[]): object => ({ jsonrpc: '2.0', method, params });

const play = (part: number): readonly unknown[] => [{ to: playing(part) }, 'latest'];

const OUTCOMES: readonly [part: number, outcome: string][] = [
  [0, 'ok'],
  [1, 'executionReverted'],
  [2, 'serverError'],
  [4, 'executionTimedOut'],
  [5, 'busy'],
  [6, 'internal'],
];
for (const [part, outcome] of OUTCOMES) {
  test(`a call that ends as ${outcome} is reported with this outcome`, async () => {
    const { send, observed, report } = setUp(createScriptedNetwork(new ScriptedChain()));
    await send(call('eth_call', play(part)));
    const limited = outcome === 'busy' ? ['limited overload executions.waiting scripted p'] : [];
    assert.deepEqual(observed, [`scripted eth_call ${outcome} embedded p 80`, ...limited]);
    assert.deepEqual([...(report.bounds ?? [])], outcome === 'busy' ? [['executions.waiting', 1]] : []);
    assert.deepEqual(report.groups, [{ method: 'eth_call', outcome, source: 'embedded', count: 1 }]);
    assert.equal(report.network, 'scripted');
    assert.equal(report.caller, PRINCIPAL);
  });
}

test('answers withheld by a bound are counted under its name, for each item of a batch', async () => {
  const long: SourcePlan = { pieces: 20, pieceBytes: 1_000 };
  const network = createScriptedNetwork(new StreamingChain([{ pieces: 1, pieceBytes: 100 }, long]));
  const { send, observed, report } = setUp(network, { batchAnswerBytes: 5_000 });
  const items = [0, 1, 1].map((plan, id) => JSON.parse(receiptsOf(plan, String(id))) as object);
  await send(items);
  const limited = 'limited size batch.answerBytes scripted p';
  assert.deepEqual(
    observed.filter((each) => each.startsWith('limited')),
    [limited, limited],
  );
  assert.deepEqual([...(report.bounds ?? [])], [['batch.answerBytes', 2]]);
});

test('calls without a request to the chain have source local, and calls of unserved methods the name unknown', async () => {
  const { send, observed } = setUp(createScriptedNetwork(new ScriptedChain()));
  await send(call('eth_chainId', []));
  await send(call('eth_call', ['nonsense']));
  await send(call('rollup_getInfo', []));
  await send(call('my own method', []));
  await send('{');
  await send([]);
  await send({ jsonrpc: '1.0', id: 1, method: 'eth_chainId' });
  assert.deepEqual(observed, [
    'scripted eth_chainId ok local p 5',
    'scripted eth_call invalidParams local p 80',
    'scripted unknown methodNotFound local p 80',
    'scripted unknown methodNotFound local p 80',
    'scripted unknown parseError local p 80',
    'scripted unknown emptyBatch local p 80',
    'scripted unknown invalidRequest local p 80',
  ]);
});

test('items of a batch are reported one by one, notifications included', async () => {
  const { send, observed, report } = setUp(createScriptedNetwork(new ScriptedChain()));
  const items = [
    call('eth_call', play(0)),
    notice('eth_call', play(1)),
    call('eth_call', play(1)),
    { jsonrpc: '2.0', method: 'eth_call', params: {} },
    7,
    notice('eth_chainId', []),
  ];
  await send(items);
  assert.deepEqual(observed.sort(), [
    'batch 6',
    'scripted eth_call executionReverted embedded p 80',
    'scripted eth_call executionReverted embedded p 80',
    'scripted eth_call ok embedded p 80',
    'scripted eth_chainId ok local p 5',
    'scripted unknown invalidParams local p 80',
    'scripted unknown invalidRequest local p 80',
  ]);
  assert.equal(
    report.groups.reduce((total, { count }) => total + count, 0),
    6,
  );
  observed.length = 0;
  assert.equal(await send(notice('eth_call', play(0))), '');
  assert.deepEqual(observed, ['scripted eth_call ok embedded p 80']);
});

test('a batch that is too large is reported as one unknown call', async () => {
  const { send, observed } = setUp(createScriptedNetwork(new ScriptedChain()), { batchItems: 2 });
  await send([1, 2, 3].map((id) => call('eth_chainId', [], id)));
  assert.deepEqual(observed, [
    'scripted unknown batchTooLarge local p 80',
    'limited size batch.items scripted p',
  ]);
});

test('a body past its deadline is reported as timed out, and one of an aborted client as cancelled', async () => {
  const { send, observed } = setUp(createScriptedNetwork(new ScriptedChain()));
  await send(call('eth_call', play(0)), new RequestScope(performance.now() - 1));
  const gone = new RequestScope(performance.now() + 60_000);
  gone.abort();
  await send(call('eth_call', play(0)), gone);
  assert.deepEqual(
    observed.map((line) => line.split(' ').slice(1, 3).join(' ')),
    ['eth_call timedOut', 'time request.time', 'eth_call cancelled'],
  );
});

test('a body that is refused for lack of room is not reported as a call', async () => {
  const { send, observed, gateway } = setUp(createScriptedNetwork(new ScriptedChain()), {
    bodiesInFlight: 1,
  });
  const scope = new RequestScope(performance.now() + 60_000);
  const reserved = send(call('eth_call', play(8)), scope);
  assert.equal(gateway.bodiesInFlight, 1);
  await send(call('eth_chainId', []));
  assert.deepEqual(observed, ['limited overload bodies scripted p']);
  scope.abort();
  await reserved;
  assert.equal(gateway.bodiesInFlight, 0);
  assert.deepEqual(observed.slice(1), ['scripted eth_call cancelled embedded p 80']);
});

test('a stream is reported with its first bytes, and a later break separately', async () => {
  const plan: SourcePlan = { pieces: 4, pieceBytes: 100 };
  const plans = [plan, { ...plan, breakAt: 0 }, { ...plan, breakAt: 2 }];
  const { send, observed } = setUp(createScriptedNetwork(new StreamingChain(plans)));
  for (let block = 0; block < plans.length; block++) {
    const body = await send(receiptsOf(block));
    if (typeof body === 'string') continue;
    const read = async (): Promise<void> => {
      for await (const _ of body.pieces);
    };
    await read().catch(() => {});
  }
  assert.deepEqual(observed, [
    'scripted eth_getBlockReceipts ok embedded p 1000',
    'scripted eth_getBlockReceipts unavailable embedded p 1000',
    'scripted eth_getBlockReceipts ok embedded p 1000',
    'broken scripted',
  ]);
});

test('calls of a chain with nodes are reported by whether each of them reached a node', async () => {
  const header: HeaderView = { number: 1n, timestamp: 1n, gasLimit: 30_000_000n, extraData: '0x' };
  const chain = createFakeChain({
    execution: {
      async call({ call: { data } }, scope) {
        await new Promise((resolve) => setImmediate(resolve));
        if (data === '0x02') scope.hasCalledNode = true;
        if (data === '0x03') throw new ChainError('unavailable', 'the only node does not answer');
        if (data === '0x04') throw new ChainError('failed', 'header not found');
        return '"0x"';
      },
    },
    transactions: {
      getTransaction: async (_place, scope) => {
        scope.hasCalledNode = true;
        return null;
      },
    },
    blocks: { getHeader: async () => header },
  });
  const { send, observed } = setUp(createScriptedNetwork(chain, { hasNodes: true }));
  await send([
    call('eth_call', [{ data: '0x01' }, 'latest']),
    call('eth_call', [{ data: '0x02' }, 'latest']),
    call('eth_call', [{ data: '0x03' }, 'latest']),
    call('eth_call', [{ data: '0x04' }, 'latest']),
    call('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0']),
    call('eth_blockNumber', []),
    call('eth_chainId', []),
  ]);
  assert.deepEqual(
    observed
      .slice(1)
      .map((line) => line.split(' ').slice(1, 4).join(' '))
      .sort(),
    [
      'eth_blockNumber ok cache',
      'eth_call ok cache',
      'eth_call ok upstream',
      'eth_call serverError cache',
      'eth_call unavailable local',
      'eth_chainId ok local',
      'eth_getTransactionByBlockNumberAndIndex ok upstream',
    ],
  );
});

test('errors of the service itself have the source local and no trust, and those of nodes have both', async () => {
  const chain = createFakeChain({
    chainId: 1n,
    transactions: {
      async send([first], scope) {
        if (first === 2) throw new ChainError('failed', 'typed transaction too short');
        scope.hasCalledNode = true;
        if (first === 3) throw new ChainError('failed', 'nonce too low');
        return `"0x${'5'.repeat(64)}"`;
      },
    },
    logs: {
      async getLogs({ blocks }, scope) {
        scope.hasCalledNode = blocks.kind === 'range';
        throw new ChainError('exceeded', 'query returned more than 10000 results');
      },
    },
  });
  const network = createScriptedNetwork(chain, { hasNodes: true });
  const { gateway, observed } = setUp(network);
  const trusts: unknown[] = [];
  for (const request of [
    call('eth_sendRawTransaction', ['0x02']),
    call('eth_sendRawTransaction', ['0x03']),
    call('eth_sendRawTransaction', ['0x04']),
    call('eth_getLogs', [{ blockHash: `0x${'1'.repeat(64)}` }]),
    call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]),
  ]) {
    const scope = new RequestScope(performance.now() + 60_000);
    const body = Buffer.from(JSON.stringify(request));
    trusts.push((await gateway.handle(body, { network, principal: PRINCIPAL }, scope)).trust);
  }
  assert.deepEqual(trusts, [undefined, 'single', 'single', undefined, 'single']);
  assert.deepEqual(
    observed.map((line) => line.split(' ').slice(1, 4).join(' ')),
    [
      'eth_sendRawTransaction serverError local',
      'eth_sendRawTransaction serverError upstream',
      'eth_sendRawTransaction ok upstream',
      'eth_getLogs tooManyLogs local',
      'eth_getLogs tooManyLogs upstream',
    ],
  );
});
