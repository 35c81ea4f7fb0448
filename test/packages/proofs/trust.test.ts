import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { FACTS } from '../../support/development.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { startService } from '../../support/service.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { openNetwork } from './liars.ts';

const NUMBER = 40n;
const BLOCK: BlockReference = { kind: 'number', number: NUMBER };

/** Headers with an unknown hash form, as if they had a field that answers omit. */
const UNKNOWN_HEADERS: Fault = {
  concerns: ({ method }) => method.startsWith('eth_getBlockBy'),
  answer: async (call, ask) => {
    const answer = await ask(call);
    if (!('result' in answer) || answer.result === null) return answer;
    return { result: { ...(answer.result as object), gasLimit: '0x1234' } };
  },
};

const node = useDevnetNode();

async function findHash(): Promise<string> {
  const block = await node.ask('eth_getBlockByNumber', encodeQuantity(NUMBER), false);
  return (block as { readonly hash: string }).hash;
}

/** Configuration that is required where answers have to be verified. */
const NAMED = { chainId: FACTS.devnet.chainId };

describe('a chain with unverifiable headers', () => {
  it('is served, compared between nodes and reported as unverifiable', async () => {
    const network = await openNetwork(node.answer, 2, 2, UNKNOWN_HEADERS, { isFromStart: true });
    try {
      const scope = createScope();
      const block = await network.chain.blocks.getBlock(BLOCK, true, scope);
      assert.match(String(block), /"gasLimit":"0x1234"/);
      assert.equal(scope.trust, 'agreed');
      const { rows = [] } = network.chain.describe().verification ?? {};
      const header = rows.find(({ subject }) => subject === 'header');
      assert.equal(header?.state, 'unverifiable');
      assert.match(network.log.lines.join('\n'), /cannot be verified in full/);
      assert.deepEqual(
        network.chain.describe().upstreams.map(({ state }) => state),
        ['up', 'up'],
      );
    } finally {
      await network.close();
    }
  });

  it('is not served with verify: require', async () => {
    const network = await openNetwork(node.answer, 2, 2, UNKNOWN_HEADERS, {
      isFromStart: true,
      verify: 'require',
    });
    try {
      const requested = Promise.resolve(network.chain.blocks.getBlock(BLOCK, true, createScope()));
      await assert.rejects(
        requested,
        /not verified, but verify: require demands it: header cannot be verified/,
      );
    } finally {
      await network.close();
    }
  });
});

describe('a single node', () => {
  it('verifies blocks by hash, and no others with verify: require', async () => {
    const network = await openNetwork(node.answer, 1, 0, {}, { verify: 'require' });
    try {
      const requested = Promise.resolve(network.chain.blocks.getBlock(BLOCK, true, createScope()));
      await assert.rejects(requested, /only one node in service has the block/);
      const scope = createScope();
      const byHash: BlockReference = { kind: 'hash', hash: await findHash(), requireCanonical: false };
      assert.ok(await network.chain.blocks.getBlock(byHash, true, scope));
      assert.equal(scope.trust, 'proven');
    } finally {
      await network.close();
    }
  });

  it('is accepted with trust single by default', async () => {
    const network = await openNetwork(node.answer, 1, 0, {});
    try {
      const scope = createScope();
      assert.ok(await network.chain.blocks.getReceipts(BLOCK, scope));
      assert.equal(scope.trust, 'single');
    } finally {
      await network.close();
    }
  });
});

describe('trust over HTTP', () => {
  const block = {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getBlockByNumber',
    params: [encodeQuantity(NUMBER), true],
  };
  const price = { jsonrpc: '2.0', id: 2, method: 'eth_gasPrice', params: [] };
  const chainId = { jsonrpc: '2.0', id: 3, method: 'eth_chainId', params: [] };

  it('is a header, and a member of the answer if the client requests it', async () => {
    const url = { url: node.url };
    const service = await startService({
      networks: {
        nodes: {
          hosts: ['localhost'],
          verify: 'auto',
          upstreams: [
            { ...url, name: 'a', operator: 'a' },
            { ...url, name: 'b', operator: 'b' },
          ],
        },
      },
    });
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(`http://${service.authority}/nodes/v3/demo${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    try {
      const trustOf = async (body: unknown): Promise<string | null> =>
        (await post('', body)).headers.get('x-portcullis-trust');
      // A start does not wait until the verifiable subjects are known.
      await waitUntil(async () => (await trustOf(block)) === 'proven');
      assert.equal(await trustOf(block), 'proven', 'of what is kept');
      assert.equal(await trustOf(price), 'single');
      assert.equal(await trustOf(chainId), null);
      assert.equal(await trustOf([block, price]), null);
      assert.equal(await trustOf({ ...block, params: ['0x1', 7] }), null, 'of a parameter that is wrong');
      const plain = (await (await post('', block)).json()) as object;
      assert.deepEqual(Object.keys(plain), ['jsonrpc', 'id', 'result']);
      const items = (await (await post('?trust=1', [block, price])).json()) as readonly {
        readonly trust?: string;
      }[];
      assert.deepEqual(
        items.map(({ trust }) => trust),
        ['proven', 'single'],
      );
    } finally {
      await service.close();
    }
  });

  it('is proven for a call, which the service executes itself, with verify: require', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 4,
      method: 'eth_call',
      params: [{ data: '0x60015f5260205ff3' }, 'latest'],
    };
    const required = { verify: 'require', pool: NAMED } as const;
    const url = node.url;
    const service = await startService({
      networks: {
        two: {
          hosts: ['two'],
          ...required,
          upstreams: [
            { url, name: 'a', operator: 'a' },
            { url, name: 'b', operator: 'b' },
          ],
        },
        one: { hosts: ['one'], ...required, upstreams: [url] },
        twice: { hosts: ['twice'], ...required, upstreams: [url, `${url}?again`] },
        nodes: { hosts: ['nodes'], ...required, execution: 'node', upstreams: [url] },
      },
    });
    const ask = async (network: string): Promise<readonly [string | null, string]> => {
      const answer = await fetch(`http://${service.authority}/${network}/v3/demo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call),
      });
      return [answer.headers.get('x-portcullis-trust'), await answer.text()];
    };
    try {
      await waitUntil(async () => (await ask('two'))[0] === 'proven');
      const [trust, text] = await ask('two');
      assert.match(text, /"result":"0x0{63}1"/);
      assert.equal(trust, 'proven');
      await waitUntil(async () => /only one node/.test((await ask('one'))[1]));
      assert.match((await ask('one'))[1], /not verified, but verify: require demands it: only one node/);
      // Two URLs of one host are one node, unless the configuration names two operators.
      await waitUntil(async () => /only one node/.test((await ask('twice'))[1]));
      await waitUntil(async () => (await ask('nodes'))[0] !== null);
      assert.equal((await ask('nodes'))[0], 'single', 'nodes execute where that is asked for');
    } finally {
      await service.close();
    }
  });

  it('is proven for a safe, finalized or first block that two nodes report', async () => {
    const upstreams = ['a', 'b'].map((name) => ({ url: node.url, name, operator: name }));
    const service = await startService({
      networks: { two: { hosts: ['two'], verify: 'require', pool: NAMED, upstreams } },
    });
    try {
      const ask = (tag: string): Promise<Response> =>
        fetch(`http://${service.authority}/two/v3/demo`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...block, params: [tag, false] }),
        });
      await waitUntil(async () => (await ask('earliest')).headers.get('x-portcullis-trust') === 'proven');
      for (const tag of ['safe', 'finalized', 'earliest']) {
        const answer = await ask(tag);
        assert.match(await answer.text(), /"result":\{/, tag);
        assert.equal(answer.headers.get('x-portcullis-trust'), 'proven', tag);
      }
    } finally {
      await service.close();
    }
  });

  it('is the lowest trust among the parts of an answer', async () => {
    const chain = await startService({ networks: { op: { hosts: ['op'], builtin: 'op-rollup' } } });
    const url = `http://${chain.authority}/op/v3/demo`;
    const upstreams = ['a', 'b'].map((name) => ({ url, name, operator: name }));
    const service = await startService({
      networks: {
        op: {
          hosts: ['op'],
          verify: 'require',
          pool: { chainId: FACTS['op-rollup'].chainId },
          rollup: { family: 'op-stack' },
          upstreams,
        },
      },
    });
    const trustOf = async (method: string): Promise<string | null> => {
      const call = { from: `0x${'11'.repeat(20)}`, to: `0x${'12'.repeat(20)}` };
      const answer = await fetch(`http://${service.authority}/op/v3/demo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [call] }),
      });
      const { result } = (await answer.json()) as { readonly result?: unknown };
      return result === undefined ? 'refused' : answer.headers.get('x-portcullis-trust');
    };
    try {
      await waitUntil(async () => (await trustOf('eth_estimateGas')) !== 'refused');
      assert.equal(await trustOf('eth_estimateGas'), 'proven');
      assert.equal(await trustOf('l2_estimateGas'), 'single', 'with a fee that one node has said');
    } finally {
      await service.close();
      await chain.close();
    }
  });

  it('is absent from a refusal', async () => {
    const service = await startService({
      networks: { nodes: { hosts: ['localhost'], verify: 'require', pool: NAMED, upstreams: [node.url] } },
    });
    try {
      const ask = (): Promise<Response> =>
        fetch(`http://${service.authority}/nodes/v3/demo`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(block),
        });
      await waitUntil(async () => /only one node/.test(await (await ask()).text()));
      const answer = await ask();
      assert.match(await answer.text(), /"code":-32603,"message":"no node could answer: .*only one node/);
      assert.equal(answer.headers.get('x-portcullis-trust'), null);
    } finally {
      await service.close();
    }
  });
});
