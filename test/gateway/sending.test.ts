/** Sending transactions through the gateway: permitted keys, the session of a transaction, and errors of a chain that cannot send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { KeyRules } from '../../src/access/key-rules.ts';
import type { KeySettings } from '../../src/access/keys/key-settings.ts';
import type { Principal } from '../../src/access/principal.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { NetworkMethods } from '../../src/methods/network-methods.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { makeTransaction } from '../support/bad-transactions.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { makeVisitor } from '../support/visitor.ts';
import { createRecordingLog } from './recording-log.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const HASH = `0x${'5'.repeat(64)}`;
/** Time limit of a body, milliseconds; a wait leaves one second of it. */
const BODY_MS = 1_300;
const TO = '0x00000000000000000000000000000000000000aa';

type Sent = {
  readonly bytes: string;
  readonly owner: string | undefined;
  readonly session: string | undefined;
};

type Options = { readonly refusal?: ChainError; readonly receipt?: string; readonly except?: string };

function open(settings: KeySettings, { refusal, receipt, except }: Options = {}) {
  const sent: Sent[] = [];
  const chain = createFakeChain({
    transactions: {
      send: (bytes, { owner, session }) => {
        if (refusal !== undefined) throw refusal;
        sent.push({ bytes: bytesToHex(bytes), owner, session });
        return `"${HASH}"`;
      },
      getReceipt: () => receipt ?? null,
    },
  });
  const network: Network = {
    name: 'n',
    chain,
    safeTag: 'reject',
    callTimeoutMs: 5_000,
    allowsDemoKey: false,
    ...(except !== undefined && {
      methods: new NetworkMethods({ except: [except], reads: [], also: [], onlyReads: () => false }),
    }),
  };
  const terms = { rate: undefined, dailyCredits: undefined, secretHash: undefined, jwt: undefined };
  const principal: Principal = { id: 'one', name: 'one', terms: { ...terms, rules: KeyRules.of(settings) } };
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: ['n.example'], network }]),
    access: openTo((key) => (key === KEY ? principal : undefined)),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
    limits: { bodyTimeoutMs: BODY_MS },
  });
  const post = async <T>(call: unknown, name?: string): Promise<T> => {
    const session = await gateway.admit(makeVisitor('n.example', KEY, { session: name }));
    assert.ok(!('refused' in session));
    const scope = new RequestScope(performance.now() + 10_000);
    // A wait's timer does not keep the process alive.
    const alive = setInterval(() => {}, 1_000);
    const answer = await gateway.handle(Buffer.from(JSON.stringify(call)), session, scope);
    clearInterval(alive);
    return JSON.parse(answer.body as string) as T;
  };
  const ask = (method: string, params: readonly unknown[], name?: string): Promise<Answered> =>
    post({ jsonrpc: '2.0', id: 1, method, params }, name);
  return { sent, ask, post };
}

type Answered = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
};

const RAW = bytesToHex(makeTransaction());

test('the raw transaction reaches the chain with key and session', async () => {
  const { sent, ask } = open({});
  assert.equal((await ask('eth_sendRawTransaction', [RAW])).result, HASH);
  assert.equal((await ask('eth_sendRawTransaction', [RAW], 'wallet')).result, HASH);
  assert.deepEqual(sent, [
    { bytes: RAW, owner: 'one', session: undefined },
    { bytes: RAW, owner: 'one', session: 'wallet' },
  ]);
});

test('a key without permission to send is refused, and can still read', async () => {
  const { sent, ask } = open({ send: false });
  assert.equal((await ask('eth_sendRawTransaction', [RAW])).error?.code, -32002);
  assert.equal((await ask('eth_chainId', [])).result, '0x539');
  assert.deepEqual(sent, []);
});

test('a key with a contract scope sends only to its contracts, and creates none', async () => {
  const bound = open({ addresses: [TO] });
  assert.equal((await bound.ask('eth_sendRawTransaction', [RAW])).result, HASH);
  const creation = bytesToHex(makeTransaction({ to: undefined }));
  assert.equal((await bound.ask('eth_sendRawTransaction', [creation])).error?.code, -32002);
  const elsewhere = open({ addresses: [`0x${'bb'.repeat(20)}`] });
  assert.equal((await elsewhere.ask('eth_sendRawTransaction', [RAW])).error?.code, -32002);
});

test('sending to a chain of imported blocks is rejected with a reason', async () => {
  const { ask } = open({}, { refusal: new ChainError('readOnly', 'this network serves imported blocks') });
  assert.deepEqual((await ask('eth_sendRawTransaction', [RAW])).error, {
    code: -32004,
    message: 'this network serves imported blocks',
  });
});

test('methods that need a local account do not exist, and invalid parameters are rejected', async () => {
  const { ask } = open({});
  for (const method of [
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTransaction',
    'personal_sendTransaction',
  ]) {
    assert.deepEqual((await ask(method, [{}])).error, {
      code: -32601,
      message: `the method ${method} does not exist/is not available`,
    });
  }
  for (const params of [[], ['0x1'], [null], [{}], ['x'], [RAW, 1]])
    assert.equal((await ask('eth_sendRawTransaction', params)).error?.code, -32602, JSON.stringify(params));
});

test('eth_sendRawTransactionSync has the restrictions of sending: by key, contract scope and network', async () => {
  const receipt = '{"status":"0x1"}';
  const { sent, ask } = open({}, { receipt });
  assert.deepEqual((await ask('eth_sendRawTransactionSync', [RAW], 'wallet')).result, { status: '0x1' });
  assert.deepEqual(sent, [{ bytes: RAW, owner: 'one', session: 'wallet' }]);
  for (const settings of [{ send: false }, { addresses: [`0x${'bb'.repeat(20)}`] }]) {
    const refused = open(settings, { receipt });
    assert.equal((await refused.ask('eth_sendRawTransactionSync', [RAW])).error?.code, -32002);
    assert.deepEqual(refused.sent, []);
  }
  const without = open({}, { receipt, except: 'eth_sendRawTransaction' });
  assert.equal((await without.ask('eth_sendRawTransactionSync', [RAW])).error?.code, -32601);
  const readOnly = open({}, { refusal: new ChainError('readOnly', 'this network serves imported blocks') });
  assert.equal((await readOnly.ask('eth_sendRawTransactionSync', [RAW])).error?.code, -32004);
});

test('waiting calls of a batch leave time for the calls behind them', async () => {
  const { sent, post } = open({}, {});
  const waits = Array.from({ length: 20 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendRawTransactionSync',
    params: [RAW, 60_000],
  }));
  const answers = await post<Answered[]>([
    ...waits,
    { jsonrpc: '2.0', id: 20, method: 'eth_chainId', params: [] },
  ]);
  assert.equal(answers.at(-1)?.result, '0x539');
  for (const { error } of answers.slice(0, -1)) assert.deepEqual([error?.code, error?.data], [4, HASH]);
  assert.equal(sent.length, 20);
});
