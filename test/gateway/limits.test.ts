/** Limits of keys as the gateway applies them: statuses, batch items, scheduler slots, and reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyRules } from '../../src/access/key-rules.ts';
import type { KeySettings } from '../../src/access/keys/key-settings.ts';
import type { Denial } from '../../src/access/limits/account.ts';
import { Limiter } from '../../src/access/limits/limiter.ts';
import type { Principal } from '../../src/access/principal.ts';
import { type ConfiguredGateway, composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { SwitchableGateway } from '../../src/gateway/switchable-gateway.ts';
import type { Network } from '../../src/methods/network.ts';
import type { LimitReason } from '../../src/observe/limit-observer.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { NO_LIMITS, openTo } from '../support/access.ts';
import { makeVisitor } from '../support/visitor.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork, playing, ScriptedChain } from './scripted-network.ts';

const KEY = '0123456789abcdef0123456789abcdef';

type Observed = {
  readonly calls: [string, string, number][];
  readonly limited: LimitReason[];
  readonly surcharges: number[];
};

function createPrincipal(settings: KeySettings): Principal {
  const terms = { rate: undefined, dailyCredits: undefined, secretHash: undefined, jwt: undefined };
  return { id: 'p', name: 'p', terms: { ...terms, rules: KeyRules.of(settings) } };
}

function open(
  network: Network,
  principal: Principal | undefined,
  credits: Readonly<Record<string, number>> = {},
  limiter?: Limiter,
): { gateway: ConfiguredGateway; observed: Observed } {
  const observed: Observed = { calls: [], limited: [], surcharges: [] };
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: ['devnet.localhost'], network }]),
    access: { ...openTo((key) => (key === KEY ? principal : undefined)), ...(limiter && { limiter }) },
    credits,
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
    observer: {
      onCall: (_network, method, outcome, _source, _ms, _caller, spent) =>
        void observed.calls.push([method, outcome, spent]),
      onSurcharge: (_caller, spent) => void observed.surcharges.push(spent),
      onBatch: () => {},
      onBrokenStream: () => {},
      onLimited: (reason) => void observed.limited.push(reason),
    },
  });
  return { gateway, observed };
}

const call = (method: string, params: unknown[] = [], id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

async function send(
  gateway: Pick<ConfiguredGateway, 'handle'>,
  network: Network,
  principal: Principal,
  body: unknown,
): Promise<{ status: number; retryAfter?: number; body: unknown }> {
  const scope = new RequestScope(performance.now() + 10_000);
  const { body: text, ...answer } = await gateway.handle(
    Buffer.from(JSON.stringify(body)),
    { network, principal },
    scope,
  );
  assert.ok(typeof text === 'string');
  return { ...answer, body: JSON.parse(text) };
}

test('a call that the key does not allow gets 403 and costs nothing; an allowed one costs the configured credits', async () => {
  const network = createScriptedNetwork(new ScriptedChain());
  const principal = createPrincipal({ methods: ['eth_chainId', 'eth_blockNumber'] });
  const { gateway, observed } = open(network, principal, { eth_chainId: 7 });
  assert.equal((await send(gateway, network, principal, call('eth_chainId'))).status, 200);
  const refused = await send(gateway, network, principal, call('net_version'));
  assert.deepEqual(refused, {
    status: 403,
    body: { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'rejected due to project ID settings' } },
  });
  assert.deepEqual(observed, {
    calls: [
      ['eth_chainId', 'ok', 7],
      ['net_version', 'rejected', 0],
    ],
    limited: ['auth'],
    surcharges: [],
  });
});

test('clients without a valid key are counted as limited, clients of an unknown host are not', async () => {
  const { gateway, observed } = open(createScriptedNetwork(new ScriptedChain()), undefined);
  for (const [host, key] of [
    ['devnet.localhost', KEY],
    ['devnet.localhost', undefined],
    ['elsewhere', KEY],
  ] as const) {
    assert.ok('refused' in (await gateway.admit(makeVisitor(host, key))));
  }
  assert.deepEqual(observed.limited, ['auth', 'auth']);
});

test('a network at its limit of calls refuses a single call with 429, and a batch item with an error', async () => {
  const slots = new FairQueue({ running: 1, waiting: 0, waitMs: 1_000 });
  const network = { ...createScriptedNetwork(new ScriptedChain()), slots };
  const principal = createPrincipal({});
  const { gateway, observed } = open(network, principal);
  slots.take('other');
  const refused = await send(gateway, network, principal, call('eth_chainId'));
  const error = {
    code: -32005,
    message: 'limit exceeded: too many calls on this network are queued (bound: network.calls)',
  };
  const bound = 'network.calls';
  assert.deepEqual(refused, { status: 429, retryAfter: 1, bound, body: { jsonrpc: '2.0', id: 1, error } });
  const batch = await send(gateway, network, principal, [call('eth_chainId')]);
  assert.deepEqual(batch, { status: 200, body: [{ jsonrpc: '2.0', id: 1, error }] });
  slots.leave('other');
  assert.equal((await send(gateway, network, principal, call('eth_chainId'))).status, 200);
  assert.equal(slots.running, 0);
  assert.deepEqual(observed.limited, ['overload', 'overload']);
});

test('a body admitted before a configuration change is answered by the current network of this name', async () => {
  const principal = createPrincipal({});
  const before = createScriptedNetwork(new ScriptedChain());
  const after = { ...createScriptedNetwork(new ScriptedChain()), rollupPrefixes: ['new'] };
  const other = { ...createScriptedNetwork(new ScriptedChain()), name: 'other' };
  const gateway = new SwitchableGateway(open(before, principal).gateway);
  const session = await gateway.admit(makeVisitor('devnet.localhost', KEY));
  assert.ok('network' in session && session.network === before);
  const first = gateway.switchTo(open(after, principal).gateway);
  assert.equal((await send(gateway, before, principal, call('eth_chainId'))).status, 200);
  const renewed = await gateway.admit(makeVisitor('devnet.localhost', KEY));
  assert.ok('network' in renewed && renewed.network === after);
  gateway.switchTo(open(other, principal).gateway);
  const gone = await send(gateway, before, principal, call('eth_chainId'));
  assert.equal(gone.status, 404);
  assert.equal(gateway.bodiesInFlight, 0);
  gateway.forget(first);
});

test('a call without room for its execution gets 429, and in a batch an error of its item', async () => {
  const network = createScriptedNetwork(new ScriptedChain());
  const principal = createPrincipal({});
  const { gateway } = open(network, principal);
  const busy = { ...call('eth_call'), params: [{ to: `0x${'00'.repeat(19)}05` }, 'latest'] };
  const error = {
    code: -32005,
    message: 'limit exceeded: too many executions are waiting (bound: executions.waiting)',
  };
  assert.deepEqual(await send(gateway, network, principal, busy), {
    status: 429,
    body: { jsonrpc: '2.0', id: 1, error },
    retryAfter: 1,
    bound: 'executions.waiting',
  });
  const batch = await send(gateway, network, principal, [busy, call('eth_chainId')]);
  assert.equal(batch.status, 200);
  assert.deepEqual((batch.body as { error?: object }[])[0]?.error, error);
});

/** A single bucket for all keys, without refill; debts make it negative, by a burst at most. */
class CountingLimiter extends Limiter {
  readonly #burst: number;
  #left: number;

  constructor(burst: number) {
    super({ table: NO_LIMITS, failures: { perSecond: 1, burst: 1 }, networks: new Map() });
    this.#burst = burst;
    this.#left = burst;
  }

  override takeForKey(_key: Principal, _credits: number, _now?: number, calls = 1): Denial | undefined {
    if (calls > 0 && this.#left < 1) return { reason: 'rate', retryAfterMs: 1, allowed: 1, current: 1 };
    this.#left -= Math.min(calls, this.#burst);
    return undefined;
  }
}

type Metered = {
  /** Sends a body. @returns status and error codes of the response; `ok` for items without an error */
  ask(body: string): Promise<unknown[]>;
  readonly observed: Observed;
};

function openMetered(burst: number): Metered {
  const network = createScriptedNetwork(new ScriptedChain());
  const principal = createPrincipal({});
  const { gateway, observed } = open(
    network,
    principal,
    { web3_clientVersion: 0, net_version: 80 },
    new CountingLimiter(burst),
  );
  return {
    observed,
    async ask(body) {
      const scope = new RequestScope(performance.now() + 10_000);
      const answer = await gateway.handle(Buffer.from(body), { network, principal }, scope);
      const value = JSON.parse(answer.body as string) as { error?: { code: number } }[];
      return [answer.status, ...[value].flat().map(({ error }) => error?.code ?? 'ok')];
    },
  };
}

const LIMITED = -32005;

for (const [what, body, code] of [
  ['a body that is no JSON', '{"jsonrpc"', -32700],
  ['a body that is no request', '{}', -32600],
  ['an empty batch', '[]', -32600],
  ['a batch with too many items', `[${new Array(1_001).fill('{}').join()}]`, -32600],
  ['a large batch with too many items', `[${new Array(20_000).fill('{}').join()}]`, -32600],
  ['brackets', '['.repeat(50_000), -32700],
  ['more members than any valid body has', `{"a":[${'1,'.repeat(101_000)}1]}`.slice(0, 128 * 1024), -32700],
] as const) {
  test(`${what} costs a call`, async () => {
    const { ask, observed } = openMetered(2);
    assert.equal((await ask(body)).at(1), code);
    assert.equal((await ask(body)).at(1), code);
    assert.deepEqual(await ask(body), [429, LIMITED]);
    assert.deepEqual(
      observed.calls.map(([, , spent]) => spent),
      [80, 80, 0],
    );
    const isLarge = what.includes('too many items');
    assert.deepEqual(observed.limited, [...(isLarge ? ['size', 'size'] : []), 'rate']);
  });
}

test('each batch item that is not a request costs a call', async () => {
  const { ask } = openMetered(3);
  assert.deepEqual(await ask('[1,{},{"id":1},{"id":2},[]]'), [200, -32600, -32600, -32600, LIMITED, LIMITED]);
});

test('calls of zero credits are free for a key without calls left', async () => {
  const { ask } = openMetered(1);
  const free = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}';
  assert.deepEqual(await ask('{'), [400, -32700]);
  assert.deepEqual(await ask('{'), [429, LIMITED]);
  assert.deepEqual(await ask(free), [200, 'ok']);
});

const padded = (items: number, bytes: number): string => {
  const pad = 'x'.repeat(Math.ceil(bytes / items));
  const item = `{"jsonrpc":"2.0","id":1,"method":"net_version","pad":"${pad}"}`;
  return items === 1 ? item : `[${new Array(items).fill(item).join()}]`;
};
const KIB = 1024;

test('a large body costs a call for each 128 KiB, charged before it is parsed, and owed if the key has too few', async () => {
  const { ask, observed } = openMetered(10);
  assert.deepEqual(await ask(padded(1, 4 * 128 * KIB - 200)), [200, 'ok']);
  assert.deepEqual(observed.surcharges, [4 * 80 - (observed.calls[0]?.[2] ?? 0)]);
  for (let left = 6; left > 1; left--) assert.deepEqual(await ask('{'), [400, -32700]);
  assert.deepEqual(await ask(padded(1, 4 * 128 * KIB - 200)), [200, 'ok']);
  assert.deepEqual(await ask('{'), [429, LIMITED]);
  assert.deepEqual(await ask('x'.repeat(5_000 * KIB)), [429, LIMITED]);
});

test('a large body is not parsed if its key has no calls left; its id is found only if it is a number', async () => {
  const network = createScriptedNetwork(new ScriptedChain());
  const { gateway, observed } = open(network, createPrincipal({}), {}, new CountingLimiter(0));
  const ask = async (body: string): Promise<unknown> => {
    const scope = new RequestScope(performance.now() + 10_000);
    const session = { network, principal: createPrincipal({}) };
    const answer = await gateway.handle(Buffer.from(body), session, scope);
    assert.equal(answer.status, 429);
    return /"id":([^,]*),/.exec(answer.body as string)?.[1];
  };
  const item = (id: string): string => `{"id":${id},"params":[{"id":7}],"pad":"${'x'.repeat(20 * KIB)}"}`;
  assert.equal(await ask(item('1.50')), '1.50');
  for (const body of [item('"1"'), item('1-1'), item('01'), `[${item('1')}]`, 'x'.repeat(20 * KIB)]) {
    assert.equal(await ask(body), 'null');
  }
  assert.equal(await ask(padded(1, 200 * KIB)), 'null');
  assert.ok(observed.calls.every(([, outcome, spent]) => outcome === 'rateLimited' && spent === 0));
});

test('a large batch costs no more than its calls', async () => {
  const { ask, observed } = openMetered(20);
  const oks = (count: number): unknown[] => [200, ...new Array(count).fill('ok')];
  assert.deepEqual(await ask(padded(10, 4 * 128 * KIB)), oks(10));
  assert.deepEqual(await ask(padded(10, 4 * 128 * KIB)), oks(10));
  assert.deepEqual(await ask('{'), [429, LIMITED]);
  assert.deepEqual(observed.surcharges, []);
});

test('a key with a small burst can send large bodies, one at a time', async () => {
  const { ask } = openMetered(2);
  assert.deepEqual(await ask(padded(1, 3_000 * KIB)), [200, 'ok']);
  assert.deepEqual(await ask('{'), [429, LIMITED]);
});

test('one key cannot occupy all bodies in flight', async () => {
  const network = createScriptedNetwork(new ScriptedChain());
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    limits: { bodiesInFlight: 4, ownerShare: 0.5 },
    log: createRecordingLog(),
  });
  const ask = (id: string, body: object): ReturnType<ConfiguredGateway['handle']> => {
    const scope = new RequestScope(performance.now() + 10_000);
    return gateway.handle(Buffer.from(JSON.stringify(body)), { network, principal: { id, name: id } }, scope);
  };
  const slow = call('eth_call', [{ to: playing(10) }]);
  const statusOf = async (answer: ReturnType<typeof ask>): Promise<number> => (await answer).status;
  const first = [ask('a', slow), ask('a', slow)];
  assert.equal(await statusOf(ask('a', slow)), 429);
  const other = ask('b', slow);
  assert.equal(gateway.bodiesInFlight, 3);
  assert.deepEqual(await Promise.all([...first, other].map(statusOf)), [200, 200, 200]);
  assert.equal(gateway.bodiesInFlight, 0);
  assert.equal(await statusOf(ask('a', slow)), 200);
});

test('a renewed session has the permission for development methods that the current network grants', async () => {
  const principal = createPrincipal({});
  const plain = createScriptedNetwork(new ScriptedChain());
  const rule = {
    isEverywhere: false,
    listensOnLoopback: true,
    hasTrustedProxies: false,
    origins: new Set<string>(),
  };
  const before = { ...plain, development: rule };
  const session = await open(before, principal).gateway.admit(makeVisitor('devnet.localhost', KEY));
  assert.ok('network' in session);
  assert.equal(session.development, 'granted');
  const renewUnder = (network: Network): unknown => {
    const renewed = open(network, principal).gateway.renew(session);
    return 'network' in renewed ? renewed.development : renewed;
  };
  assert.equal(renewUnder({ ...before, development: { ...rule } }), 'granted');
  assert.equal(
    renewUnder({ ...before, development: { ...rule, hasTrustedProxies: true } }),
    'trustedProxies',
  );
  assert.equal(renewUnder({ ...plain }), undefined);
});
