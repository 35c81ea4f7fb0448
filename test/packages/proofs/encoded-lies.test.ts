/** Encoded parts of a block in forms that only rules distinguish from correct ones: a type with other rules for hashes, a header with seals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isComplete } from '../../../packages/ethereum/primitives/json-result.ts';
import type { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import type { RequestScope } from '../../../src/util/request-scope.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { openNetwork } from './liars.ts';

const node = useDevnetNode();
const LIES = ['0x7e01', '0x7f', '0x05c0', '0x7102c0'];
const RAW = /^eth_getRawTransaction/;

const answerWith = (text: string): Fault => ({
  concerns: ({ method }) => RAW.test(method),
  answer: async () => ({ result: text }),
});

async function findHash(): Promise<{ readonly hash: string; readonly number: bigint }> {
  for (let number = BigInt(String(await node.ask('eth_blockNumber'))); ; number--) {
    const block = await node.ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false);
    const [hash] = (block as { readonly transactions: readonly string[] }).transactions;
    if (hash !== undefined) return { hash, number };
  }
}

async function getRaw(
  chain: UpstreamChain,
  reference: Parameters<UpstreamChain['transactions']['getRawTransaction']>[0],
  scope: RequestScope,
): Promise<unknown> {
  const result = await chain.transactions.getRawTransaction(reference, scope);
  assert.ok(result !== null && isComplete(result));
  return JSON.parse(String(result));
}

test('an encoded transaction by index has to match its hash, whatever its type', async () => {
  const { hash, number } = await findHash();
  const truth = await node.ask('eth_getRawTransactionByHash', hash);
  const at = { block: { kind: 'number', number }, index: 0n } as const;
  for (const lie of LIES) {
    const three = await openNetwork(node.answer, 3, 1, answerWith(lie));
    try {
      const scope = createScope();
      assert.equal(await getRaw(three.chain, at, scope), truth, lie);
      assert.equal(scope.trust, 'proven', lie);
    } finally {
      await three.close();
    }
    const one = await openNetwork(node.answer, 1, 1, answerWith(lie));
    try {
      await assert.rejects(getRaw(one.chain, at, createScope()), lie);
    } finally {
      await one.close();
    }
  }
});

test('an encoded transaction by hash that does not match it has trust single, and is refused with verify: require', async () => {
  const { hash } = await findHash();
  const truth = await node.ask('eth_getRawTransactionByHash', hash);
  for (const verify of ['auto', 'require'] as const) {
    const honest = await openNetwork(node.answer, 1, 0, {}, { verify });
    const lying = await openNetwork(node.answer, 1, 1, answerWith('0x7e01'), { verify });
    try {
      const scope = createScope();
      assert.equal(await getRaw(honest.chain, { hash }, scope), truth);
      assert.equal(scope.trust, 'proven');
      const requested = getRaw(lying.chain, { hash }, scope);
      if (verify === 'require')
        await assert.rejects(requested, /verify: require demands it: the encoded data/);
      else assert.equal(await requested, '0x7e01');
      if (verify === 'auto') assert.equal(scope.trust, 'single');
    } finally {
      await honest.close();
      await lying.close();
    }
  }
});

test('an uncle with a member that its header form does not have is refuted', async () => {
  for (let number = BigInt(String(await node.ask('eth_blockNumber'))); number >= 0n; number--) {
    const block = await node.ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false);
    if ((block as { readonly uncles: readonly string[] }).uncles.length === 0) continue;
    const fault: Fault = {
      concerns: ({ method }) => method.startsWith('eth_getUncleByBlock'),
      answer: async (call, ask) => {
        const answer = await ask(call);
        const uncle = 'result' in answer && (answer.result as object | null);
        return uncle ? { result: { ...uncle, timestampMilliseconds: '0x1' } } : answer;
      },
    };
    const network = await openNetwork(node.answer, 1, 1, fault, { verify: 'require' });
    try {
      const named = await node.ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false);
      const { hash } = named as { readonly hash: string };
      const reference = { kind: 'hash', hash, requireCanonical: false } as const;
      await assert.rejects(
        (async () => network.chain.blocks.getUncle(reference, 0n, createScope()))(),
        /timestampMilliseconds|refuted/,
      );
      return;
    } finally {
      await network.close();
    }
  }
  assert.fail('the chain has no uncle');
});
