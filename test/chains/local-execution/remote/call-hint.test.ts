/**
 * Calls on a node that returns the execution witness of a call (Nethermind's `proof_call`): one round trip, and only nodes of the witness that the state root
 * leads to are accepted.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { readHint } from '../../../../src/chains/local-execution/remote/call-hint.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../../support/anvil.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import type { Answer, AskNode, Call } from '../../../support/faults/fault.ts';
import { openRemote, type RemoteNetwork } from './remote-harness.ts';

const word = (value: bigint | number): string => `0x${value.toString(16).padStart(64, '0')}`;
const PROXY = `0x${'a'.repeat(40)}`;
const CHAIN = `0x${'b'.repeat(40)}`;
const OTHER = `0x${'c'.repeat(40)}`;
const PROGRAMS: Readonly<Record<string, string>> = {
  [PROXY]: `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 SLOAD GAS DELEGATECALL POP
    RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 RETURN`,
  // Each slot names the next one, so a local run finds them one after another.
  [CHAIN]: '0 CALLDATALOAD SLOAD SLOAD SLOAD SLOAD 0 MSTORE 32 0 RETURN',
  [OTHER]: '1 0 MSTORE 32 0 RETURN',
};
const NOT_THERE: Answer = { error: { code: -32601, message: 'the method does not exist/is not available' } };

type AnsweredBy = { state: unknown; codes: unknown; keys: unknown; headers: unknown };
type Entry = { readonly address: string; readonly storageKeys: readonly string[] };
type Proof = {
  readonly accountProof: readonly string[];
  readonly storageProof: readonly { readonly key: string; readonly proof: readonly string[] }[];
};

const callOf = (to: string, value: number): CallRequest => ({
  call: { to, data: word(value) },
  block: { kind: 'tag', tag: 'latest' },
});

/** Builds the reply of a node with the method from one without it. */
async function proveCall(
  { params }: Call,
  ask: AskNode,
): Promise<{ witness: AnsweredBy; accounts: unknown }> {
  const [call, block] = params as [{ readonly to: string }, unknown];
  const resultOf = async (method: string, ...rest: readonly unknown[]): Promise<unknown> => {
    const answer = await ask({ method, params: [...rest, block] });
    assert.ok('result' in answer, `${method}: ${JSON.stringify(answer)}`);
    return answer.result;
  };
  const list = (await resultOf('eth_createAccessList', call)) as { readonly accessList: readonly Entry[] };
  const touched = new Map(list.accessList.map(({ address, storageKeys }) => [address, storageKeys]));
  for (const address of [call.to, `0x${'0'.repeat(40)}`, `0x${'0'.repeat(40)}`])
    if (!touched.has(address)) touched.set(address, []);
  const proofs: Proof[] = [];
  const codes: unknown[] = [];
  for (const [address, slots] of touched) {
    proofs.push((await resultOf('eth_getProof', address, slots)) as Proof);
    codes.push(await resultOf('eth_getCode', address));
  }
  const nodes = proofs.flatMap(({ accountProof, storageProof }) => [
    ...accountProof,
    ...storageProof.flatMap(({ proof }) => proof),
  ]);
  const keys = [...touched].flatMap(([address, slots]) => [address, ...slots]);
  return { witness: { state: [...new Set(nodes)], codes, keys, headers: [] }, accounts: proofs };
}

const otherBytes = (items: unknown): unknown =>
  (items as readonly string[]).map((item) => `${item.slice(0, -2)}${item.endsWith('00') ? '01' : '00'}`);
const ODD: readonly unknown[] = [
  null,
  'text',
  {},
  [{}],
  [null],
  ['0x1'],
  ['0X'],
  [['0x']],
  [{ toString: 1 }],
];

/** Invalid or incomplete execution witnesses. */
const LIES: Readonly<Record<string, (witness: AnsweredBy) => unknown>> = {
  'other nodes': (witness) => ({ ...witness, state: otherBytes(witness.state) }),
  'no nodes': (witness) => ({ ...witness, state: [] }),
  'nodes without the last': (witness) => ({ ...witness, state: (witness.state as unknown[]).slice(0, -1) }),
  'other codes': (witness) => ({ ...witness, codes: otherBytes(witness.codes) }),
  'no codes': (witness) => ({ ...witness, codes: [] }),
  'no keys': (witness) => ({ ...witness, keys: [] }),
  'ten thousand keys': (witness) => ({ ...witness, keys: Array.from({ length: 10_000 }, (_, i) => word(i)) }),
  'no witness': () => undefined,
  ...Object.fromEntries(
    (['state', 'codes', 'keys'] as const).flatMap((name) =>
      ODD.map((odd): [string, (witness: AnsweredBy) => unknown] => [
        `${name}: ${JSON.stringify(odd)}`,
        (witness) => ({ ...witness, [name]: odd }),
      ]),
    ),
  ),
};

test('readHint decodes no more of a witness than a call can need', () => {
  const bytesOf = (items: Iterable<Uint8Array> = []): number =>
    [...items].reduce((sum, { length }) => sum + length, 0);
  const read = (state: readonly string[], codes: readonly string[]) =>
    readHint({ witness: { state, codes, keys: [] } })?.witness;
  const branch = `0x${'11'.repeat(532)}`;
  const code = `0x${'22'.repeat(65_536)}`;
  const taken = read([branch, `0x${'11'.repeat(1_025)}`], [code, `${code}22`]);
  assert.equal(bytesOf(taken?.nodes.values()), 532);
  assert.equal(bytesOf(taken?.codes.values()), 65_536);
  const codes = Array.from({ length: 40 }, (_, at) => `0x${(at + 16).toString(16).repeat(60_000)}`);
  const all = bytesOf(read([], codes)?.codes.values());
  assert.ok(all > 900_000 && all <= 1_048_576, `${all} bytes`);
});

describe('calls on nodes that return witnesses', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  const requested: string[] = [];

  before(async () => {
    anvil = await startAnvil();
    for (const [address, source] of Object.entries(PROGRAMS))
      await anvil.request('anvil_setCode', address, bytesToHex(assemble(source)));
    for (const address of [PROXY, CHAIN])
      for (let slot = 1; slot <= 40; slot++)
        await anvil.request('anvil_setStorageAt', address, word(slot), word(slot + 5));
    await anvil.request('anvil_setStorageAt', PROXY, word(0), word(BigInt(CHAIN)));
    await anvil.request('anvil_mine', '0x2');
  });
  after(() => anvil.kill());

  /** @param answer undefined when the node lacks the method */
  async function withNode(
    answer: ((call: Call, ask: AskNode) => Promise<unknown>) | undefined,
    work: (network: RemoteNetwork) => Promise<void>,
  ): Promise<void> {
    const door = await FaultUpstream.start(anvil.httpUrl);
    await door.setFault({
      concerns: ({ method }) => {
        requested.push(method);
        return method === 'proof_call';
      },
      answer: async (call, ask) => (answer === undefined ? NOT_THERE : { result: await answer(call, ask) }),
    });
    const network = await openRemote(door.httpUrl);
    requested.length = 0;
    try {
      await work(network);
    } finally {
      await network.close();
      await door.close();
    }
  }

  const count = (method: string): number => requested.filter((one) => one === method).length;

  async function countTrips(network: RemoteNetwork, request: CallRequest, expected: number): Promise<number> {
    return network.countTrips(async () => {
      assert.equal((await network.ask('call', request)).result, `"${word(expected)}"`);
    });
  }

  test('a first call takes one round trip, and its repetition none', async () => {
    await withNode(proveCall, async (network) => {
      assert.equal(await countTrips(network, callOf(PROXY, 3), 23), 1);
      assert.deepEqual(
        ['eth_getProof', 'eth_getCode', 'eth_createAccessList', 'eth_call'].map(count),
        [0, 0, 0, 0],
      );
      assert.equal(await countTrips(network, callOf(PROXY, 3), 23), 0);
      assert.ok((await countTrips(network, callOf(PROXY, 20), 40)) >= 1);
      assert.equal(network.figures().executed, 3);
    });
  });

  test('a known contract with an unknown sender needs no second witness', async () => {
    await withNode(proveCall, async (network) => {
      await countTrips(network, callOf(PROXY, 3), 23);
      const { call, block } = callOf(PROXY, 3);
      const from = `0x${'5'.repeat(40)}`;
      const outcome = await network.ask('call', { call: { ...call, from, value: '0x0' }, block });
      assert.equal(outcome.result, `"${word(23)}"`);
      assert.equal(count('proof_call'), 1);
    });
  });

  test('the first call of a contract at a known block takes one round trip', async () => {
    await withNode(proveCall, async (network) => {
      await countTrips(network, callOf(OTHER, 0), 1);
      assert.equal(await countTrips(network, callOf(PROXY, 3), 23), 1);
      assert.equal(network.figures().executed, 2);
    });
  });

  test('accounts in replies of earlier versions serve as a hint', async () => {
    await withNode(
      async (call, ask) => ({ result: '0x', accounts: (await proveCall(call, ask)).accounts }),
      async (network) => {
        assert.ok((await countTrips(network, callOf(PROXY, 3), 23)) <= 2);
        assert.equal(count('eth_createAccessList'), 0);
      },
    );
  });

  test('a node without the method is sent access list requests at once, and the method only once', async () => {
    await withNode(undefined, async (network) => {
      assert.ok((await countTrips(network, callOf(PROXY, 3), 23)) <= 3);
      await countTrips(network, callOf(CHAIN, 4), 24);
      assert.equal(count('proof_call'), 1);
      assert.ok(count('eth_createAccessList') >= 1);
    });
  });

  test('an invalid witness changes no answer', async () => {
    for (const [name, lie] of Object.entries(LIES))
      await withNode(
        async (call, ask) => ({ result: '0x', witness: lie((await proveCall(call, ask)).witness) }),
        async (network) => {
          const outcome = await network.ask('call', callOf(PROXY, 3));
          assert.equal(outcome.result, `"${word(23)}"`, name);
          assert.equal(network.figures().executed, 1, name);
        },
      );
  });
});
