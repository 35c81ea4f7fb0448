/** Batches of calls, in any spelling, get the answers of the same calls sent one by one, and send the same requests to nodes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { composeGateway, type Gateway } from '../../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../../src/gateway/network-registry.ts';
import type { Network } from '../../../src/methods/network.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import { createScriptedNetwork } from '../../gateway/scripted-network.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { type Behaviour, createNode } from '../../pool/support/scripted-node.ts';
import { setNode } from '../../pool/support/set-node.ts';
import { openTo } from '../../support/access.ts';
import { countRuns } from '../../support/count-runs.ts';

const chain = new ScriptedChain({ length: 40 });
const PRINCIPAL = { id: 'p', name: 'p' };

/** Answers each call deterministically: data, a revert, or a fault of one node. */
const answerCall: Behaviour = ({ method, params }, options) => {
  if (method !== 'eth_call') return chain.behaviour()({ method, params }, options);
  const digest = createHash('sha256').update(params).digest('hex');
  const kind = Number.parseInt(digest[0] as string, 16);
  if (kind === 0)
    return { kind: 'error', error: { code: 3, message: 'execution reverted', data: `0x${digest}` } };
  if (kind === 1) return { kind: 'error', error: { code: -32000, message: 'out of gas', data: undefined } };
  return { kind: 'result', result: `"0x${digest}"` };
};

type Side = {
  readonly scripted: ScriptedNetwork;
  readonly gateway: Gateway;
  readonly network: Network;
  ask(body: string): Promise<string>;
};

function openSide(): Side {
  const node = createNode(answerCall);
  setNode(node.upstream, {
    identity: {
      chainId: 1n,
      genesisHash: undefined,
      clientVersion: 'Geth/v1',
      knowsHashParameters: true,
    },
  });
  const scripted = createNetwork(chain, {}, [node]);
  const network = createScriptedNetwork(scripted.chain, { hasNodes: true });
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
  });
  return {
    scripted,
    gateway,
    network,
    async ask(body) {
      const scope = new RequestScope(performance.now() + 60_000);
      const answer = await gateway.handle(Buffer.from(body), { network, principal: PRINCIPAL }, scope);
      return answer.body as string;
    },
  };
}

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0012abcdefABCDEF'), { minLength: 2 * bytes, maxLength: 2 * bytes })
    .map((digits) => `0x${digits.join('')}`);
const callObject = fc
  .record(
    {
      from: hex(20),
      to: hex(20),
      data: fc.constantFrom(0, 1, 4, 36).chain(hex),
      input: hex(4),
      gas: fc.constantFrom('0x5208', '0xfffff'),
      value: fc.constantFrom('0x0', '0x1'),
      unknown: fc.constant('0x'),
    },
    { requiredKeys: ['to'] },
  )
  .chain((call) =>
    fc
      .shuffledSubarray(Object.entries(call), { minLength: Object.keys(call).length })
      .map((entries) => Object.fromEntries(entries)),
  );
const usualCall = fc
  .record({ to: hex(20), data: hex(36) }, { requiredKeys: ['to'] })
  .map(({ to, data }) => ({ to, data }));
const params = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: usualCall }, { weight: 1, arbitrary: callObject }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('latest') },
      { weight: 1, arbitrary: fc.constantFrom('0x27', '0x5', '0x05', '0xffff', 'pending', 'earliest') },
    ),
  )
  .map((list) => list as readonly unknown[]);
const id = fc.oneof(fc.nat(), fc.constantFrom('a', '', 'é', 12345678901));
/** A batch of fast-path calls stays one; a batch with any other call is parsed as values. */
const batch = fc.record({
  calls: fc.array(fc.tuple(id, params), { minLength: 1, maxLength: 12 }),
  blanks: fc.constantFrom(undefined, undefined, 1),
  isMixed: fc.boolean(),
});

test('a batch has the same answers as its calls one by one', async () => {
  await fc.assert(
    fc.asyncProperty(batch, async ({ calls, blanks, isMixed }) => {
      const requests: object[] = calls.map(([own, list]) => ({
        jsonrpc: '2.0',
        id: own,
        method: 'eth_call',
        params: list,
      }));
      if (isMixed) requests.push({ jsonrpc: '2.0', id: 0, method: 'eth_chainId', params: [] });
      const batched = openSide();
      const single = openSide();
      const answers: string[] = [];
      for (const request of requests) answers.push(await single.ask(JSON.stringify(request)));
      const body = JSON.stringify(requests, undefined, blanks);
      assert.equal(await batched.ask(body), `[${answers.join()}]`);
      assert.deepEqual(new Set(batched.scripted.requested()), new Set(single.scripted.requested()));
      // Cached answers are found on both paths.
      const before = batched.scripted.requested().length;
      const again = [await batched.ask(body)];
      for (const request of requests) again.push(await batched.ask(JSON.stringify(request)));
      assert.deepEqual(again, [`[${answers.join()}]`, ...answers]);
      const results = answers.every((answer) => answer.includes('"result"'));
      const isKept = calls.every(([, [, block]]) => block !== 'pending');
      if (results && isKept) assert.equal(batched.scripted.requested().length, before);
    }),
    { numRuns: countRuns(100) },
  );
  const [first, second] = [openSide(), openSide()];
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_call',
    params: [{ to: `0x${'ab'.repeat(20)}`, data: '0x' }, 'latest'],
  };
  await first.ask(JSON.stringify([call, call]));
  await second.ask(JSON.stringify(call));
  assert.equal(second.scripted.requested().length, 1);
  assert.deepEqual(first.scripted.requested(), second.scripted.requested());
});
