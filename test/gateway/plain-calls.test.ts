/** Calls on the fast path, which are read into bytes, have the same answers, refusals and counts as parsed calls. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { KeyRules } from '../../src/access/key-rules.ts';
import type { Principal, Terms } from '../../src/access/principal.ts';
import type { Chain, Executions } from '../../src/chain/chain.ts';
import { composeGateway, type Gateway, type GatewayLimits } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { CALLENV, CallHarness, encodeCall, REVERTER, UNUSED } from '../chains/embedded/call-harness.ts';
import { openTo } from '../support/access.ts';
import { countRuns } from '../support/count-runs.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork } from './scripted-network.ts';

const NO_TERMS: Terms = {
  rules: undefined,
  rate: undefined,
  dailyCredits: undefined,
  secretHash: undefined,
  jwt: undefined,
};

/** A batch item as text. */
function item(params: readonly unknown[], id: unknown = 1, method = 'eth_call'): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

const OK = { to: REVERTER, data: encodeCall('ok()') };
const FAILS = { to: REVERTER, data: encodeCall('panic()') };
/** More items than are parsed at once. */
const MANY = Array.from({ length: 150 }, (_, i) => item([{ ...OK, from: UNUSED }, 'latest'], i));

/** Counts down from its calldata's first word, then returns it. */
const COUNTDOWN = '0x00000000000000000000000000000000000000c0';
/** Returns as many zeros as its calldata requests. */
const ZEROS = '0x00000000000000000000000000000000000000c1';
/** Returns the slot whose number is in its calldata. */
const SLOTS = '0x00000000000000000000000000000000000000c2';
const ALLOC = {
  [COUNTDOWN]: { balance: '0', code: '0x6000355b60019003806003575060003560005260206000f3' },
  [ZEROS]: { balance: '0', code: '0x6000356000f3' },
  [SLOTS]: {
    balance: '0',
    code: '0x6000355460005260206000f3',
    storage: { '0x1': '0x7', '0x2': '0x0102' },
  },
};

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** Calls that mostly succeed, with existing and absent accounts and slots. */
const anyCall = fc.oneof(
  { weight: 3, arbitrary: fc.constant<object>(OK) },
  { weight: 4, arbitrary: fc.nat({ max: 400 }).map((slot) => ({ to: SLOTS, data: word(slot) })) },
  fc.constantFrom<object>(
    FAILS,
    { to: UNUSED },
    { to: REVERTER, data: encodeCall('unknown()') },
    { to: REVERTER, data: encodeCall('write(uint256)') },
    { to: CALLENV, data: encodeCall('sender()'), from: UNUSED },
    { to: `0x${'04'.padStart(40, '0')}`, data: '0x010203' },
    { to: ZEROS, data: word(30_000) },
    { to: COUNTDOWN, data: word(50) },
    { to: COUNTDOWN, data: word(3_000) },
  ),
  fc.nat({ max: 0xffff }).map((last) => ({ to: `0x${last.toString(16).padStart(40, '0')}` })),
  fc.nat({ max: 60_000 }).map((gas) => ({ ...OK, gas: `0x${gas.toString(16)}` })),
);
const anyItem = fc
  .tuple(
    anyCall,
    fc.oneof({ weight: 12, arbitrary: fc.constant('latest') }, fc.constantFrom('0x1', '0x3', '0xfff')),
    fc.oneof(fc.nat({ max: 9 }), fc.constantFrom('x', 'an id')),
  )
  .map(([call, block, id]) => item([call, block], id));
/** Items that make the gateway parse the whole batch. */
const otherItem = fc.constantFrom(
  '{}',
  '7',
  item([], 2, 'eth_chainId'),
  item([OK, 'latest', {}], 3),
  item([{ ...OK, value: '0x1' }], 4),
  `{"jsonrpc":"2.0","method":"eth_call","params":[${JSON.stringify(OK)}]}`,
);
const anyBatch = fc
  .tuple(
    fc.array(anyItem, { minLength: 1, maxLength: 60 }),
    fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, otherItem),
  )
  .map(([items, other]) => `[${(other === undefined ? items : [...items, other]).join()}]`);

const BODIES: Readonly<Record<string, string>> = {
  'a call': item([OK, 'latest']),
  'a call without a block': item([OK], 'an id'),
  'a call at a number': item([OK, '0x1'], 12345678901),
  'a call at a number that is not there': item([OK, '0xfff']),
  'a call that reverts': item([FAILS, 'latest']),
  'a call of an account without code': item([{ to: UNUSED }, 'latest']),
  'a call in upper case': item([{ ...OK, to: `0x${REVERTER.slice(2).toUpperCase()}` }, 'latest']),
  'a batch': `[${[item([OK], 1), item([FAILS], 1), item([{ to: CALLENV, from: UNUSED }, '0x2'], 'x')].join()}]`,
  'a large batch': `[${MANY.join()}]`,
  'a batch that is too large': `[${[...MANY, ...MANY].join()}]`,
  'a batch with another call': `[${[item([OK], 1), item([], 2, 'eth_chainId')].join()}]`,
  'a batch with a notification': `[${item([OK], 1)},{"jsonrpc":"2.0","method":"eth_call","params":[${JSON.stringify(OK)}]}]`,
  'a batch with what is no call': `[${item([OK], 1)},{}]`,
};

/** Sums gas and counted calls over all places. */
function countWork({ opened: { pool } }: CallHarness): { gas: number; executions: number } {
  const { places } = pool.describe();
  const gas = places.reduce((sum, place) => sum + place.gas, 0);
  return { gas, executions: places.reduce((sum, place) => sum + place.executions, 0) };
}

describe('calls on the fast path', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka', alloc: ALLOC });
  });
  after(() => harness.opened.close());

  /** The harness's chain with or without support for calls as bytes. */
  function useChain(takesBytes: boolean, counts: { plain: number }): Chain {
    const { chain } = harness.opened;
    const execution: Executions = {
      call: (request, scope) => chain.execution.call(request, scope),
      estimateGas: (request, scope) => chain.execution.estimateGas(request, scope),
      createAccessList: (request, scope) => chain.execution.createAccessList(request, scope),
      simulate: (request, scope) => chain.execution.simulate(request, scope),
      ...(takesBytes && {
        callFastPath: (call, scope) => {
          counts.plain++;
          return chain.execution.callFastPath(call, scope);
        },
      }),
    };
    return new Proxy(chain, {
      get: (target, name) => (name === 'execution' ? execution : Reflect.get(target, name, target)),
    });
  }

  type Side = {
    readonly gateway: Gateway;
    readonly network: Network;
    readonly recorder: CallRecorder;
    readonly counts: { plain: number };
  };

  function openSide(takesBytes: boolean, limits: Partial<GatewayLimits>): Side {
    const counts = { plain: 0 };
    const recorder = new CallRecorder(new Set());
    const network = createScriptedNetwork(useChain(takesBytes, counts));
    const gateway = composeGateway({
      networks: new NetworkRegistry([]),
      access: openTo(() => undefined),
      clientVersion: 'Portcullis/1.2.3',
      limits: { batchItems: 200, ...limits },
      log: createRecordingLog(),
      observer: recorder,
    });
    return { gateway, network, recorder, counts };
  }

  /** @returns number of calls that were run from bytes */
  async function compare(
    body: string,
    principal: Principal,
    limits: Partial<GatewayLimits> = {},
    isCounted = false,
  ): Promise<{ readonly plain: number; readonly body: string }> {
    const answers = [];
    let plain = 0;
    for (const takesBytes of [true, false]) {
      const { gateway, network, recorder, counts } = openSide(takesBytes, limits);
      const used = countWork(harness);
      const scope = new RequestScope(performance.now() + 30_000);
      const answer = await gateway.handle(Buffer.from(body), { network, principal }, scope);
      // The order in which calls end may differ: some pause.
      const calls = [...recorder.table.list()]
        .map(({ method, outcome, source, seconds }) => `${method} ${outcome} ${source} ${seconds.count}`)
        .sort();
      const { gas, executions } = countWork(harness);
      const work = isCounted ? { gas: gas - used.gas, executions: executions - used.executions } : undefined;
      answers.push({ answer, calls, work, bodies: gateway.bodiesInFlight });
      plain += counts.plain;
    }
    assert.deepEqual(answers[0], answers[1]);
    return { plain, body: String(answers[0]?.answer.body) };
  }

  for (const [name, body] of Object.entries(BODIES)) {
    test(`have the same answer as parsed calls: ${name}`, async () => {
      await compare(body, { id: 'p', name: 'p' });
    });
  }

  test('have the same answer, gas and counts as parsed calls in any batch', async () => {
    await fc.assert(
      fc.asyncProperty(anyBatch, async (body) => {
        await compare(body, { id: 'p', name: 'p' }, {}, true);
      }),
      { numRuns: countRuns(150) },
    );
  });

  test('are run from bytes for each item of a batch', async () => {
    const { plain, body } = await compare(BODIES['a large batch'] as string, { id: 'p', name: 'p' });
    assert.equal(plain, MANY.length);
    const ids = (JSON.parse(body) as { id: number }[]).map(({ id }) => id);
    assert.deepEqual(ids, [...MANY.keys()]);
  });

  test('obey the contract scope and methods of the key', async () => {
    for (const settings of [
      { addresses: [CALLENV] },
      { addresses: [REVERTER] },
      { methods: ['eth_chainId'] },
    ]) {
      const rules = KeyRules.of(settings);
      const principal = { id: 'p', name: 'p', terms: { ...NO_TERMS, rules } };
      const { plain } = await compare(BODIES['a batch'] as string, principal);
      assert.equal(plain, 'addresses' in settings ? (settings.addresses[0] === REVERTER ? 2 : 1) : 0);
    }
  });

  test('obey the bound on the answers of a batch', async () => {
    const { body } = await compare(
      BODIES['a large batch'] as string,
      { id: 'p', name: 'p' },
      { batchAnswerBytes: 8_000 },
    );
    assert.match(body, /response too large/i);
  });
});
