import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { CacheKey } from '../../../src/cache/cache.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import { AccountRequests } from '../../../src/chains/upstream/account-requests.ts';
import type { BlockDirectory } from '../../../src/chains/upstream/block-directory.ts';
import type { BlockResolver } from '../../../src/chains/upstream/block-resolver.ts';
import type { RequestParts } from '../../../src/chains/upstream/call-requests.ts';
import type { BlockHeader } from '../../../src/pool/heads/block.ts';
import { parseReportedHeader } from '../../../src/pool/heads/parse-block.ts';
import type { VerifyMode } from '../../../src/pool/options.ts';
import type { Send } from '../../../src/pool/upstream-request.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { createStateProofs } from '../../pool/support/state-proofs.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import { createVerification } from './verifying/create-verification.ts';

const ADDRESS = '0xcabe9823112d187ea24d56be8e47ae75ed52a842';
const LIMIT_MS = 600_000;

const node = useDevnetNode();

type Proof = {
  readonly accountProof: readonly string[];
  readonly storageProof: readonly { readonly proof: readonly string[] }[];
};

type Asked = { readonly method: string; readonly deadline: number };

/** Requests at the head of a true node; once it is slow, its proofs miss their deadline. */
async function open(verify: Exclude<VerifyMode, 'off'>) {
  const requested: Asked[] = [];
  const state: { isSlow: boolean; proof?: JsonText } = { isSlow: false };
  const ask: Send = async ({ call, scope }) => {
    const { method, params, check } = call;
    requested.push({ method, deadline: scope.deadline });
    if (state.isSlow && method === 'eth_getProof')
      throw new ChainError('timeout', 'execution aborted (timeout = 5s)');
    if (state.proof !== undefined && method === 'eth_getProof') return check?.(state.proof) ?? state.proof;
    const text: JsonText = JSON.stringify(await node.ask(method, ...(JSON.parse(params) as unknown[])));
    return check?.(text) ?? text;
  };
  const head: BlockHeader = parseReportedHeader(await node.ask('eth_getBlockByNumber', 'latest', false));
  const verification = createVerification(verify, { ask, head: () => head, isConfirmed: () => true });
  await verification.calibrate();
  const position = { number: head.number, hash: head.hash };
  const cached: CacheKey[] = [];
  const recalled: CacheKey[] = [];
  const parts: RequestParts = {
    cacheScope: () => '1',
    recall: (key) => void recalled.push(key) as undefined,
    ask,
    keep: (key) => void cached.push(key),
    resolver: {
      resolveNow: () => ({ kind: 'block', position, isCanonical: true }),
    } as unknown as BlockResolver,
    directory: { findKnown: () => undefined } as unknown as BlockDirectory,
    proofs: verification.proofs,
  };
  const requests = new AccountRequests(parts, createStateProofs(parts));
  requested.length = 0;
  return { requests, requested, cached, recalled, state, verification };
}

const LATEST = { kind: 'tag', tag: 'latest' } as const;

describe('state that is already verified', () => {
  it('is read synchronously, without a node and without cached answers', async () => {
    const { requests, requested, recalled, verification } = await open('require');
    const word = `0x${'0'.repeat(63)}2`;
    try {
      const reads = [
        (scope: RequestScope) => requests.getBalance(ADDRESS, LATEST, scope),
        (scope: RequestScope) => requests.getTransactionCount(ADDRESS, LATEST, scope),
        (scope: RequestScope) => requests.getCode(ADDRESS, LATEST, scope),
        (scope: RequestScope) => requests.getStorageAt(ADDRESS, word, LATEST, scope),
      ];
      const first: string[] = [];
      for (const read of reads) first.push(await read(new RequestScope(performance.now() + LIMIT_MS)));
      requested.length = 0;
      recalled.length = 0;
      const scopes = reads.map(() => new RequestScope(performance.now() + LIMIT_MS));
      const again = reads.map((read, index) => read(scopes[index] as RequestScope));
      assert.deepEqual(again, first);
      assert.deepEqual(
        scopes.map(({ trust }) => trust),
        reads.map(() => 'proven'),
      );
      assert.deepEqual([requested, recalled], [[], []]);
    } finally {
      verification.close();
    }
  });
});

describe('a proof with surplus nodes', () => {
  it('reaches the client without them, whatever they are and wherever they are', async () => {
    const { requests, state, verification } = await open('require');
    try {
      const slots = ['0x2', '0x0'];
      const want = (await node.ask('eth_getProof', ADDRESS, slots, 'latest')) as Proof;
      const others = ((await node.ask('eth_getProof', `0x${'0'.repeat(40)}`, [], 'latest')) as Proof)
        .accountProof;
      const widen = (nodes: readonly string[]): string[][] => [
        [...nodes, ...nodes],
        nodes.flatMap((each) => [each, each]),
        [...others.slice(1), ...nodes],
        [...nodes, '0x', '0x80'],
      ];
      const scope = () => new RequestScope(performance.now() + LIMIT_MS);
      for (let way = 0; way < widen([]).length; way++) {
        const given = {
          ...want,
          accountProof: widen(want.accountProof)[way],
          storageProof: want.storageProof.map((slot) => ({ ...slot, proof: widen(slot.proof)[way] })),
        };
        state.proof = JSON.stringify(given);
        const text = await requests.getProof(ADDRESS, slots, LATEST, scope());
        assert.equal(text, JSON.stringify(want), `way ${way}`);
      }
    } finally {
      verification.close();
    }
  });
});

describe('a long proof with surplus nodes', () => {
  it('is accepted if it is at most twice as long as the longest true proof', async () => {
    const { requests, state, verification } = await open('require');
    try {
      const slots = Array.from({ length: 128 }, (_, slot) => `0x${slot.toString(16)}`);
      const want = (await node.ask('eth_getProof', ADDRESS, slots, 'latest')) as Proof;
      const [root = ''] = want.accountProof;
      const given = {
        ...want,
        storageProof: want.storageProof.map((slot) => ({
          ...slot,
          proof: [...slot.proof, ...Array.from({ length: Math.ceil(16_384 / root.length) }, () => root)],
        })),
      };
      state.proof = JSON.stringify(given);
      assert.ok(state.proof.length > 2 ** 21 && state.proof.length < 3 * 2 ** 20, `${state.proof.length}`);
      const scope = new RequestScope(performance.now() + LIMIT_MS);
      assert.equal(await requests.getProof(ADDRESS, slots, LATEST, scope), JSON.stringify(want));
    } finally {
      verification.close();
    }
  });
});

describe('a proof that does not arrive in time', () => {
  it('leaves half of the time for an answer without a proof, which is not cached as verified', async () => {
    const { requests, requested, cached, state, verification } = await open('auto');
    try {
      state.isSlow = true;
      const scope = new RequestScope(performance.now() + LIMIT_MS);
      const balance = await requests.getBalance(ADDRESS, LATEST, scope);
      assert.match(balance, /^"0x[0-9a-f]+"$/);
      assert.equal(scope.trust, 'single');
      const proof = requested.find(({ method }) => method === 'eth_getProof');
      const plain = requested.find(({ method }) => method === 'eth_getBalance');
      assert.equal(plain?.deadline, scope.deadline);
      const left = scope.deadline - (proof?.deadline ?? 0);
      assert.ok(left > LIMIT_MS / 4 && left <= LIMIT_MS / 2, `${left} ms are left`);
      assert.deepEqual(cached, []);
      state.isSlow = false;
      const next = new RequestScope(performance.now() + LIMIT_MS);
      assert.equal(await requests.getBalance(ADDRESS, LATEST, next), balance);
      assert.equal(next.trust, 'proven');
      assert.deepEqual(
        cached.map(({ request }) => request),
        [`1:eth_getBalance:"${ADDRESS}":verified`],
      );
    } finally {
      verification.close();
    }
  });

  it('may take all of the time with verify: require, and its absence is the reason of the refusal', async () => {
    const { requests, requested, state, verification } = await open('require');
    try {
      state.isSlow = true;
      const scope = new RequestScope(performance.now() + LIMIT_MS);
      const answer = Promise.resolve(requests.getBalance(ADDRESS, LATEST, scope));
      await assert.rejects(answer, /demands it: no node proves the state: execution aborted/);
      assert.equal(requested.find(({ method }) => method === 'eth_getProof')?.deadline, scope.deadline);
      assert.ok(requested.every(({ method }) => method !== 'eth_getBalance'));
    } finally {
      verification.close();
    }
  });
});
