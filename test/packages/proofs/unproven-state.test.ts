/** Nodes without proofs, chains without such state, and networks without a true node. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import type { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import { FaultUpstream } from '../../support/fault-upstream.ts';
import type { Call, Fault } from '../../support/faults/fault.ts';
import { startService } from '../../support/service.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { lieAt, openNetwork } from './liars.ts';

const NUMBER = 59n;
const OLD = 20n;
const CONTRACT = '0xcabe9823112d187ea24d56be8e47ae75ed52a842';
const OTHER = `0x${'11'.repeat(20)}`;
const word = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`;
const at = (number: bigint): BlockReference => ({ kind: 'number', number });

const node = useDevnetNode();
const { ask } = node;

const isProof = ({ method }: Call): boolean => method === 'eth_getProof';

/** A fault that refuses proofs with this error. */
const refuse = (code: number, message: string, concerns = isProof): Fault => ({
  concerns,
  answer: async () => ({ error: { code, message } }),
});

const stateOf = (chain: UpstreamChain): string | undefined =>
  chain.describe().verification?.rows.find(({ subject }) => subject === 'state')?.state;

const ROOT_LIE: Fault = lieAt(isProof, ['accountProof', 0]);
const BALANCE_LIE: Fault = lieAt(isProof, ['balance']);

describe('nodes without state proofs', () => {
  const cases: readonly (readonly [string, Fault, RegExp])[] = [
    ['no method', refuse(-32601, 'the method eth_getProof does not exist/is not available'), /eth_getProof/],
    [
      'the window of reth',
      refuse(-32602, 'distance to target block exceeds maximum proof window'),
      /proof window/,
    ],
    [
      'a state that is gone',
      refuse(-32000, 'missing trie node 12 (path ) state 0x34 is not available'),
      /missing trie node/,
    ],
    ['a limit on keys', refuse(-32602, 'too many storage keys'), /too many storage keys/],
    ['other roots, as of a chain with another kind of state', ROOT_LIE, /does not have the expected hash/],
  ];
  for (const [name, fault, reason] of cases) {
    it(`${name}: state has trust single by default, and is reported as unverifiable`, async () => {
      const network = await openNetwork(node.answer, 2, 2, fault, { isFromStart: true });
      try {
        const scope = createScope();
        const balance = await network.chain.state.getBalance(CONTRACT, at(NUMBER), scope);
        assert.equal(JSON.parse(balance), await ask('eth_getBalance', CONTRACT, encodeQuantity(NUMBER)));
        assert.equal(scope.trust, 'single');
        const { upstreams, verification } = network.chain.describe();
        const row = verification?.rows.find(({ subject }) => subject === 'state');
        assert.equal(row?.state, 'unverifiable');
        assert.match(String(row?.reason), reason);
        assert.deepEqual(
          upstreams.map(({ state }) => state),
          ['up', 'up'],
        );
        const block = createScope();
        await network.chain.blocks.getBlock(at(NUMBER), true, block);
        assert.equal(block.trust, 'proven');
      } finally {
        await network.close();
      }
    });

    it(`${name}: state is refused with the reason with verify: require`, async () => {
      const network = await openNetwork(node.answer, 2, 2, fault, { isFromStart: true, verify: 'require' });
      try {
        const requested = Promise.resolve(
          network.chain.state.getBalance(CONTRACT, at(NUMBER), createScope()),
        );
        await assert.rejects(requested, (error: Error) => {
          assert.match(error.message, /but verify: require demands it/);
          assert.match(error.message, reason);
          return true;
        });
      } finally {
        await network.close();
      }
    });
  }

  it('of an old block alone: state remains verifiable', async () => {
    const message = 'distance to target block exceeds maximum proof window';
    const network = await openNetwork(node.answer, 2, 0, {});
    try {
      const { hash } = (await ask('eth_getBlockByNumber', encodeQuantity(OLD), false)) as {
        readonly hash: string;
      };
      const isOfOld = (call: Call): boolean => isProof(call) && JSON.stringify(call.params).includes(hash);
      for (const each of network.nodes) await each.setFault(refuse(-32602, message, isOfOld));
      const scope = createScope();
      const balance = await network.chain.state.getBalance(CONTRACT, at(OLD), scope);
      assert.equal(JSON.parse(balance), await ask('eth_getBalance', CONTRACT, encodeQuantity(OLD)));
      assert.equal(scope.trust, 'single');
      assert.equal(stateOf(network.chain), 'verified');
      assert.match(network.log.lines.join('\n'), /maximum proof window.*no node can verify an answer/);
      const recent = createScope();
      await network.chain.state.getBalance(CONTRACT, at(NUMBER), recent);
      assert.equal(recent.trust, 'proven');
    } finally {
      await network.close();
    }
  });
});

describe('a single node', () => {
  it('is refuted if its answer contradicts its own proof', async () => {
    for (const verify of ['auto', 'require'] as const) {
      const network = await openNetwork(node.answer, 1, 1, BALANCE_LIE, { verify });
      try {
        const { hash } = (await ask('eth_getBlockByNumber', encodeQuantity(NUMBER), false)) as {
          readonly hash: string;
        };
        const block: BlockReference = { kind: 'hash', hash, requireCanonical: false };
        const requested = Promise.resolve(network.chain.state.getBalance(CONTRACT, block, createScope()));
        await assert.rejects(requested, /refuted by its block: the account does not match its proof/);
      } finally {
        await network.close();
      }
    }
  });

  it('verifies state by block hash, and has trust single for other state', async () => {
    const network = await openNetwork(node.answer, 1, 0, {});
    try {
      const { hash } = (await ask('eth_getBlockByNumber', encodeQuantity(NUMBER), false)) as {
        readonly hash: string;
      };
      const trustOf = async (block: BlockReference): Promise<string | undefined> => {
        const scope = createScope();
        await network.chain.state.getBalance(CONTRACT, block, scope);
        return scope.trust;
      };
      assert.equal(await trustOf({ kind: 'hash', hash, requireCanonical: false }), 'proven');
      assert.equal(await trustOf(at(NUMBER)), 'single');
    } finally {
      await network.close();
    }
  });

  it('with wrong roots counts as a fork with other state after two blocks, and is refused with verify: require', async () => {
    const network = await openNetwork(node.answer, 1, 1, ROOT_LIE);
    try {
      for (const [number, state] of [
        [NUMBER, 'verified'],
        [NUMBER - 1n, 'unverifiable'],
      ] as const) {
        const scope = createScope();
        await network.chain.state.getBalance(CONTRACT, at(number), scope);
        assert.equal(scope.trust, 'single');
        assert.equal(stateOf(network.chain), state);
      }
    } finally {
      await network.close();
    }
    const strict = await openNetwork(node.answer, 1, 1, ROOT_LIE, { verify: 'require' });
    try {
      const requested = Promise.resolve(strict.chain.state.getBalance(CONTRACT, at(NUMBER), createScope()));
      await assert.rejects(requested, /refuted by its block/);
    } finally {
      await strict.close();
    }
  });
});

it('state remains verified if the only node proves another state now and then', async () => {
  const network = await openNetwork(node.answer, 1, 1, ROOT_LIE);
  try {
    for (const number of [NUMBER, NUMBER - 1n]) {
      const block = (await ask('eth_getBlockByNumber', encodeQuantity(number), false)) as {
        readonly hash: string;
      };
      const reference: BlockReference = { kind: 'hash', hash: block.hash, requireCanonical: false };
      const trusts: unknown[] = [];
      for (const [address, fault] of [
        [CONTRACT, ROOT_LIE],
        [OTHER, {}],
      ] as const) {
        await network.nodes[0]?.setFault(fault);
        const scope = createScope();
        await network.chain.state.getBalance(address, reference, scope);
        trusts.push(scope.trust);
      }
      assert.deepEqual(trusts, ['single', 'proven']);
      assert.equal(stateOf(network.chain), 'verified');
    }
  } finally {
    await network.close();
  }
});

describe('requests for state', () => {
  it('are one proof for all reads of an account in one turn of the event loop, and none for cached state', async () => {
    const calls: string[] = [];
    const record: Fault = {
      concerns: ({ method, params }) => {
        calls.push(method.startsWith('eth_get') ? `${method} ${JSON.stringify(params)}` : method);
        return false;
      },
    };
    const network = await openNetwork(node.answer, 1, 1, record);
    try {
      const { state } = network.chain;
      const read = (): Promise<readonly unknown[]> =>
        Promise.all([
          state.getBalance(CONTRACT, at(NUMBER), createScope()),
          state.getTransactionCount(CONTRACT, at(NUMBER), createScope()),
          state.getCode(CONTRACT, at(NUMBER), createScope()),
          state.getStorageAt(CONTRACT, word(2), at(NUMBER), createScope()),
          state.getStorageValues(new Map([[CONTRACT, [word(0), word(2)]]]), at(NUMBER), createScope()),
        ]);
      const first = await read();
      const requested = calls.filter((call) =>
        /getProof|getCode|getStorage|getBalance|getTransactionCount/.test(call),
      );
      assert.equal(requested.length, 2, requested.join('\n'));
      assert.match(requested[0] ?? '', new RegExp(`eth_getProof .*${word(2)}.*${word(0)}`));
      assert.match(requested[1] ?? '', /eth_getCode/);
      calls.length = 0;
      assert.deepEqual(await read(), first);
      assert.deepEqual(
        calls.filter((call) => call.startsWith('eth_get')),
        [],
      );
      // Code is not requested again at another block, because its hash is the same.
      await state.getCode(CONTRACT, at(NUMBER - 1n), createScope());
      assert.deepEqual(
        calls.filter((call) => call.startsWith('eth_getCode')),
        [],
      );
    } finally {
      await network.close();
    }
  });

  it('include no header that the node has reported as its head', async () => {
    const calls: string[] = [];
    const record: Fault = {
      concerns: ({ method, params }) => calls.push(`${method} ${JSON.stringify(params)}`) > 0 && false,
    };
    const network = await openNetwork(node.answer, 1, 1, record);
    try {
      const polls = (): number => calls.filter((call) => call.includes('"latest"')).length;
      // The second poll follows after the first one has been read.
      for (const end = performance.now() + 60_000; polls() < 2; await sleep(20))
        assert.ok(performance.now() < end, 'the node is not asked for its head');
      calls.length = 0;
      await network.chain.state.getBalance(CONTRACT, { kind: 'tag', tag: 'latest' }, createScope());
      assert.deepEqual(
        calls.filter((call) => /^eth_getBlockBy.*"0x/.test(call)),
        [],
      );
      assert.equal(calls.filter((call) => call.startsWith('eth_getProof')).length, 1);
    } finally {
      await network.close();
    }
  });

  it('are several proofs for more slots than one may have', async () => {
    const calls: Call[] = [];
    const record: Fault = { concerns: (call) => calls.push(call) > 0 && false };
    const network = await openNetwork(node.answer, 1, 1, record);
    try {
      const slots = Array.from({ length: 300 }, (_, i) => word(i));
      const values = await network.chain.state.getStorageValues(
        new Map([[CONTRACT, slots]]),
        at(NUMBER),
        createScope(),
      );
      assert.deepEqual(
        JSON.parse(values),
        await ask('eth_getStorageValues', { [CONTRACT]: slots }, encodeQuantity(NUMBER)),
      );
      const sizes = calls.filter(isProof).map(({ params }) => (params[1] as readonly unknown[]).length);
      assert.deepEqual(sizes, [128, 128, 44]);
      calls.length = 0;
      const scope = createScope();
      const proof = await network.chain.state.getProof(CONTRACT, slots, at(NUMBER - 1n), scope);
      const told = await ask('eth_getProof', CONTRACT, slots, encodeQuantity(NUMBER - 1n));
      assert.deepEqual(JSON.parse(String(proof)), told);
      assert.equal(calls.filter(isProof).length, 3);
    } finally {
      await network.close();
    }
  });
});

describe('state over HTTP', () => {
  it('is true, with its trust, even if the first node lies', async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => FaultUpstream.start(node.url)));
    const service = await startService({
      networks: {
        nodes: {
          hosts: ['localhost'],
          verify: 'auto',
          upstreams: nodes.map(({ httpUrl }, i) => ({ url: httpUrl, name: `node${i}`, tier: i + 1 })),
        },
      },
    });
    try {
      const post = (method: string, ...params: readonly string[]): Promise<Response> =>
        fetch(`http://${service.authority}/nodes/v3/demo`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        });
      // A start does not wait until the verifiable subjects are known.
      await waitUntil(
        async () =>
          (await post('eth_getBalance', OTHER, 'latest')).headers.get('x-portcullis-trust') === 'proven',
      );
      await nodes[0]?.setFault(BALANCE_LIE);
      const response = await post('eth_getBalance', CONTRACT, 'latest');
      assert.equal(response.headers.get('x-portcullis-trust'), 'proven');
      const { result } = (await response.json()) as { readonly result: unknown };
      assert.equal(result, await ask('eth_getBalance', CONTRACT, 'latest'));
    } finally {
      await service.close();
      await Promise.all(nodes.map((each) => each.close()));
    }
  });
});
