/** Calls that are read into bytes get the answers, refusals and counts that they get as values. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KeyRules } from '../../src/access/key-rules.ts';
import type { Principal, Terms } from '../../src/access/principal.ts';
import type { Chain, Executions } from '../../src/chain/chain.ts';
import { createGateway, type Gateway, type GatewayLimits } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { CALLENV, CallHarness, encodeCall, REVERTER, UNUSED } from '../engine/call-harness.ts';
import { openTo } from '../support/access.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork } from './scripted-network.ts';

const NO_TERMS: Terms = {
  rules: undefined,
  rate: undefined,
  dailyCredits: undefined,
  secretHash: undefined,
  jwt: undefined,
};

/** An item of a batch, as text. */
function item(params: readonly unknown[], id: unknown = 1, method = 'eth_call'): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

const OK = { to: REVERTER, data: encodeCall('ok()') };
const FAILS = { to: REVERTER, data: encodeCall('panic()') };
/** More than is parsed at once. */
const MANY = Array.from({ length: 150 }, (_, i) => item([{ ...OK, from: UNUSED }, 'latest'], i));

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

describe('plain calls', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka' });
  });
  after(() => harness.opened.close());

  /** The chain of the harness, with calls in bytes or without. */
  function useChain(takesBytes: boolean, counts: { plain: number }): Chain {
    const { chain } = harness.opened;
    const execution: Executions = {
      call: (request, scope) => chain.execution.call(request, scope),
      estimateGas: (request, scope) => chain.execution.estimateGas(request, scope),
      createAccessList: (request, scope) => chain.execution.createAccessList(request, scope),
      simulate: (request, scope) => chain.execution.simulate(request, scope),
      ...(takesBytes && {
        callPlain: (call, scope) => {
          counts.plain++;
          return chain.execution.callPlain(call, scope);
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
    const gateway = createGateway({
      networks: new NetworkRegistry([]),
      access: openTo(() => undefined),
      clientVersion: 'Portcullis/1.2.3',
      limits: { batchItems: 200, ...limits },
      log: createRecordingLog(),
      observer: recorder,
    });
    return { gateway, network, recorder, counts };
  }

  /** @returns how many calls were run from bytes */
  async function compare(
    body: string,
    principal: Principal,
    limits: Partial<GatewayLimits> = {},
  ): Promise<{ readonly plain: number; readonly body: string }> {
    const answers = [];
    let plain = 0;
    for (const takesBytes of [true, false]) {
      const { gateway, network, recorder, counts } = openSide(takesBytes, limits);
      const scope = new RequestScope(performance.now() + 30_000);
      const answer = await gateway.handle(Buffer.from(body), { network, principal }, scope);
      const calls = [...recorder.table.list()].map(({ method, outcome, source, seconds }) => [
        method,
        outcome,
        source,
        seconds.count,
      ]);
      answers.push({ answer, calls, bodies: gateway.bodiesInFlight });
      plain += counts.plain;
    }
    assert.deepEqual(answers[0], answers[1]);
    return { plain, body: String(answers[0]?.answer.body) };
  }

  for (const [name, body] of Object.entries(BODIES)) {
    test(`${name}`, async () => {
      await compare(body, { id: 'p', name: 'p' });
    });
  }

  test('are run from bytes, each of a batch', async () => {
    const { plain, body } = await compare(BODIES['a large batch'] as string, { id: 'p', name: 'p' });
    assert.equal(plain, MANY.length);
    const ids = (JSON.parse(body) as { id: number }[]).map(({ id }) => id);
    assert.deepEqual(ids, [...MANY.keys()]);
  });

  test('of a key that is bound to contracts, or to methods', async () => {
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

  test('beyond the bound on the answers of a batch', async () => {
    const { body } = await compare(
      BODIES['a large batch'] as string,
      { id: 'p', name: 'p' },
      { batchAnswerBytes: 8_000 },
    );
    assert.match(body, /response too large/i);
  });
});
