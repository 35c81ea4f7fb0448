/** What keys may do and when, as the gateway decides it: statuses, items of batches, turns, and what is told of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyRules } from '../../src/access/key-rules.ts';
import type { KeySettings } from '../../src/access/keys/key-settings.ts';
import type { Principal } from '../../src/access/principal.ts';
import { type ConfiguredGateway, createGateway } from '../../src/gateway/gateway.ts';
import type { Network } from '../../src/gateway/network.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { SwitchableGateway } from '../../src/gateway/switchable-gateway.ts';
import type { LimitReason } from '../../src/observe/limit-observer.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { makeVisitor } from '../support/visitor.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork, ScriptedChain } from './scripted-network.ts';

const KEY = '0123456789abcdef0123456789abcdef';

type Told = { readonly calls: [string, string, number][]; readonly limited: LimitReason[] };

function createPrincipal(settings: KeySettings): Principal {
  const terms = { rate: undefined, dailyCredits: undefined, secretHash: undefined, jwt: undefined };
  return { id: 'p', name: 'p', terms: { ...terms, rules: KeyRules.of(settings) } };
}

function open(
  network: Network,
  principal: Principal | undefined,
  credits: Readonly<Record<string, number>> = {},
): { gateway: ConfiguredGateway; told: Told } {
  const told: Told = { calls: [], limited: [] };
  const gateway = createGateway({
    networks: new NetworkRegistry([{ hosts: ['devnet.localhost'], network }]),
    access: openTo((key) => (key === KEY ? principal : undefined)),
    credits,
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
    observer: {
      onCall: (_network, method, outcome, _source, _ms, _caller, spent) =>
        void told.calls.push([method, outcome, spent]),
      onBatch: () => {},
      onBrokenStream: () => {},
      onLimited: (reason) => void told.limited.push(reason),
    },
  });
  return { gateway, told };
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

test('what a key may not do is told by status, and costs nothing; what it may is weighed as configured', async () => {
  const network = createScriptedNetwork(new ScriptedChain());
  const principal = createPrincipal({ methods: ['eth_chainId', 'eth_blockNumber'] });
  const { gateway, told } = open(network, principal, { eth_chainId: 7 });
  assert.equal((await send(gateway, network, principal, call('eth_chainId'))).status, 200);
  const refused = await send(gateway, network, principal, call('net_version'));
  assert.deepEqual(refused, {
    status: 403,
    body: { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'rejected due to project ID settings' } },
  });
  assert.deepEqual(told, {
    calls: [
      ['eth_chainId', 'ok', 7],
      ['net_version', 'rejected', 0],
    ],
    limited: ['auth'],
  });
});

test('who does not come in is counted, but not who asks for another host', async () => {
  const { gateway, told } = open(createScriptedNetwork(new ScriptedChain()), undefined);
  for (const [host, key] of [
    ['devnet.localhost', KEY],
    ['devnet.localhost', undefined],
    ['elsewhere', KEY],
  ] as const) {
    assert.ok('refused' in (await gateway.admit(makeVisitor(host, key))));
  }
  assert.deepEqual(told.limited, ['auth', 'auth']);
});

test('a network that has as much in work as it may refuses the next call with 429, or the item of a batch', async () => {
  const turns = new FairQueue({ running: 1, waiting: 0, waitMs: 1_000 });
  const network = { ...createScriptedNetwork(new ScriptedChain()), turns };
  const principal = createPrincipal({});
  const { gateway, told } = open(network, principal);
  assert.equal(turns.enter('somebody', { aborted: false }), true);
  const refused = await send(gateway, network, principal, call('eth_chainId'));
  const error = { code: -32005, message: 'limit exceeded: too many requests in progress' };
  assert.deepEqual(refused, { status: 429, retryAfter: 1, body: { jsonrpc: '2.0', id: 1, error } });
  const batch = await send(gateway, network, principal, [call('eth_chainId')]);
  assert.deepEqual(batch, { status: 200, body: [{ jsonrpc: '2.0', id: 1, error }] });
  turns.leave();
  assert.equal((await send(gateway, network, principal, call('eth_chainId'))).status, 200);
  assert.equal(turns.running, 0);
  assert.deepEqual(told.limited, ['overload', 'overload']);
});

test('a body that was admitted before the configuration changed is answered by what its network is now', async () => {
  const principal = createPrincipal({});
  const before = createScriptedNetwork(new ScriptedChain());
  const after = { ...createScriptedNetwork(new ScriptedChain()), rollupPrefix: 'new' };
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

test('a call for which there is no execution is 429 by itself, and an error of its item in a batch', async () => {
  const network = createScriptedNetwork(new ScriptedChain());
  const principal = createPrincipal({});
  const { gateway } = open(network, principal);
  const busy = { ...call('eth_call'), params: [{ to: `0x${'00'.repeat(19)}05` }, 'latest'] };
  const error = { code: -32005, message: 'limit exceeded: too many calls are waiting' };
  assert.deepEqual(await send(gateway, network, principal, busy), {
    status: 429,
    body: { jsonrpc: '2.0', id: 1, error },
    retryAfter: 1,
  });
  const batch = await send(gateway, network, principal, [busy, call('eth_chainId')]);
  assert.equal(batch.status, 200);
  assert.deepEqual((batch.body as { error?: object }[])[0]?.error, error);
});
