import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import type { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import type { RequestScope } from '../../../src/util/request-scope.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Call, Fault } from '../../support/faults/fault.ts';
import { lieAt, listLeaves, openNetwork, type Path } from './liars.ts';

type Request = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly ask: (chain: UpstreamChain, scope: RequestScope) => unknown;
  /** Methods that the service requests from nodes for it: liars change leaves of their answers. */
  readonly requested: readonly string[];
};

const NUMBER = 59n;
const AT: BlockReference = { kind: 'number', number: NUMBER };
/** A contract with storage, and an account that does not exist. */
const CONTRACT = '0xcabe9823112d187ea24d56be8e47ae75ed52a842';
const ABSENT = `0x${'77'.repeat(20)}`;
const SLOT = `0x${'0'.repeat(63)}2`;
const PROOFS: readonly string[] = ['eth_getProof'];

const node = useDevnetNode();
const { ask } = node;

function listQuestions(): readonly Request[] {
  const at = encodeQuantity(NUMBER);
  return [CONTRACT, ABSENT].flatMap((address): readonly Request[] => [
    {
      method: 'eth_getBalance',
      params: [address, at],
      ask: ({ state }, scope) => state.getBalance(address, AT, scope),
      requested: PROOFS,
    },
    {
      method: 'eth_getTransactionCount',
      params: [address, at],
      ask: ({ state }, scope) => state.getTransactionCount(address, AT, scope),
      requested: PROOFS,
    },
    {
      method: 'eth_getCode',
      params: [address, at],
      ask: ({ state }, scope) => state.getCode(address, AT, scope),
      requested: address === ABSENT ? PROOFS : ['eth_getProof', 'eth_getCode'],
    },
    {
      method: 'eth_getStorageAt',
      params: [address, SLOT, at],
      ask: ({ state }, scope) => state.getStorageAt(address, SLOT, AT, scope),
      requested: PROOFS,
    },
    {
      method: 'eth_getStorageValues',
      params: [{ [address]: [SLOT] }, at],
      ask: ({ state }, scope) => state.getStorageValues(new Map([[address, [SLOT]]]), AT, scope),
      requested: PROOFS,
    },
    {
      method: 'eth_getProof',
      params: [address, [SLOT], at],
      ask: ({ state }, scope) => state.getProof(address, [SLOT], AT, scope),
      requested: PROOFS,
    },
  ]);
}

const isOf =
  (method: string) =>
  (call: Call): boolean =>
    call.method === method;

/** Chooses one leaf per kind: one of each member, and the first and the last node of a proof. */
function chooseLeaves(answer: unknown): readonly Path[] {
  const byKind = new Map<string, Path>();
  for (const { path } of listLeaves(answer)) {
    byKind.set(path.filter((step) => typeof step === 'string').join('.'), path);
    if (path.at(-1) === 0) byKind.set(path.join('.'), path);
  }
  return [...byKind.values()];
}

/** Lists the leaves of all node answers that a request depends on. */
async function listLies(request: Request): Promise<readonly { method: string; path: Path }[]> {
  const [subject, ...rest] = request.params;
  const address = typeof subject === 'string' ? subject : Object.keys(subject as object)[0];
  const lies = await Promise.all(
    request.requested.map(async (method) => {
      const params = method === 'eth_getProof' ? [address, [SLOT], rest.at(-1)] : [address, rest.at(-1)];
      return chooseLeaves(await ask(method, ...params)).map((path) => ({ method, path }));
    }),
  );
  // The answer has no storage proof where no slot is requested.
  const hasSlots = /Storage|Proof/.test(request.method);
  return lies.flat().filter(({ path }) => hasSlots || path[0] !== 'storageProof');
}

test('every answer is verified if no node lies, also from the cache', async () => {
  const network = await openNetwork(node.answer, 2, 0, {});
  try {
    for (const request of listQuestions()) {
      const truth = await ask(request.method, ...request.params);
      for (const round of ['asked', 'kept']) {
        const scope = createScope();
        const answer = await request.ask(network.chain, scope);
        const where = `${request.method} ${round}`;
        assert.deepEqual(JSON.parse(String(answer)), truth, where);
        assert.equal(scope.trust, 'proven', where);
        if (round === 'kept') assert.equal(scope.hasCalledNode, false, where);
      }
    }
  } finally {
    await network.close();
  }
});

type Proof = {
  readonly address: string;
  readonly accountProof: readonly string[];
  readonly storageProof: readonly { readonly proof: readonly string[] }[];
};

/** Answers that are true of another subject, or have a part missing or too many. */
const LIES: readonly (readonly [
  string,
  (proof: Proof, ask: (params: readonly unknown[]) => Promise<Proof>) => Promise<unknown>,
])[] = [
  ['another block', (_, requestOther) => requestOther([CONTRACT, [SLOT], '0xa'])],
  [
    'another account',
    async (proof, requestOther) => ({
      ...(await requestOther([ABSENT, [SLOT], '0x3b'])),
      address: proof.address,
    }),
  ],
  [
    'another slot',
    async (proof, requestOther) => {
      const { storageProof } = await requestOther([CONTRACT, [`0x${'0'.repeat(63)}3`], '0x3b']);
      return { ...proof, storageProof: storageProof.map((each) => ({ ...each, key: SLOT })) };
    },
  ],
  ['no proof', async (proof) => ({ ...proof, accountProof: [] })],
  ['a node too few', async (proof) => ({ ...proof, accountProof: proof.accountProof.slice(0, -1) })],
  ['another order', async (proof) => ({ ...proof, accountProof: proof.accountProof.toReversed() })],
  ['no slots', async (proof) => ({ ...proof, storageProof: [] })],
  [
    'a slot that is empty',
    async (proof) => ({
      ...proof,
      storageProof: proof.storageProof.map((each) => ({
        ...each,
        value: '0x0',
        proof: each.proof.slice(0, 1),
      })),
    }),
  ],
  ['something else', async () => [1]],
];

test('a proof of another subject, or with a missing part, is detected', async () => {
  for (const [name, lie] of LIES) {
    const fault: Fault = {
      concerns: isOf('eth_getProof'),
      answer: async (call, askTrue) => {
        const answer = await askTrue(call);
        assert.ok('result' in answer);
        const requestOther = async (params: readonly unknown[]): Promise<Proof> => {
          const other = await askTrue({ method: call.method, params });
          assert.ok('result' in other);
          return other.result as Proof;
        };
        return { result: await lie(answer.result as Proof, requestOther) };
      },
    };
    const network = await openNetwork(node.answer, 2, 1, fault);
    try {
      const scope = createScope();
      const value = await network.chain.state.getStorageAt(CONTRACT, SLOT, AT, scope);
      const truth = await ask('eth_getStorageAt', CONTRACT, SLOT, encodeQuantity(NUMBER));
      assert.equal(JSON.parse(value), truth, name);
      assert.equal(scope.trust, 'proven', name);
      assert.equal(network.chain.describe().upstreams[0]?.state, 'excluded', name);
    } finally {
      await network.close();
    }
  }
});

for (const liars of [1, 2]) {
  test(`${liars} lying of three nodes: every answer is true, and the liars are quarantined`, async () => {
    for (const request of listQuestions()) {
      const truth = await ask(request.method, ...request.params);
      for (const { method, path } of await listLies(request)) {
        const network = await openNetwork(node.answer, 3, liars, lieAt(isOf(method), path));
        try {
          const where = `${request.method} of ${request.params[0]}: ${method} ${path.join('.')}`;
          const scope = createScope();
          const answer = await request.ask(network.chain, scope);
          assert.deepEqual(JSON.parse(String(answer)), truth, where);
          assert.equal(scope.trust, 'proven', where);
          const { upstreams } = network.chain.describe();
          const states = upstreams.map(({ state }) => state === 'excluded');
          assert.deepEqual(states, [true, liars === 2, false], where);
        } finally {
          await network.close();
        }
      }
    }
  });
}
