import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bigIntToFixedBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { proveKey } from '../../../packages/ethereum/primitives/merkle-proof.ts';
import { MerkleTrie, type NodeLoader } from '../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp, type RlpInput } from '../../../packages/ethereum/primitives/rlp.ts';
import { type Finding, Findings } from '../../../packages/proofs/findings.ts';
import { proveAccount, proveSlot, verifyAccountProof } from '../../../packages/proofs/state-proof.ts';
import { ANVIL_SKIP, startAnvil } from '../../support/anvil.ts';
import type { AccountProof } from '../../support/verify-proof.ts';
import { changeAt, changeLeaf, listLeaves } from './liars.ts';

type Trie = { readonly root: Uint8Array; readonly load: NodeLoader };

/** A trie with hashed keys, as state and storage tries are. */
function build(entries: Iterable<readonly [key: Uint8Array, value: RlpInput]>): Trie {
  const nodes = new Map<string, Uint8Array>();
  const load: NodeLoader = (path) => nodes.get(bytesToHex(path));
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, load);
  for (const [key, value] of entries) trie.put(keccak256(key), encodeRlp(value));
  const root = trie.commit((path, encoded) => {
    if (encoded !== undefined) nodes.set(bytesToHex(path), encoded);
  });
  return { root, load };
}

const prove = ({ load }: Trie, key: Uint8Array): readonly Uint8Array[] =>
  proveKey(keccak256(key), load).nodes;
const hexes = (nodes: readonly Uint8Array[]): readonly string[] => nodes.map(bytesToHex);

const address = (index: number): Uint8Array => new Uint8Array(20).fill(index + 1);
const slot = (index: number): Uint8Array => bigIntToFixedBytes(BigInt(index), 32);

test('random accounts and slots are verified, and absent ones are verified to be absent', () => {
  const account = fc.record({
    nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    balance: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    words: fc.array(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), { maxLength: 12 }),
    codeHash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  });
  fc.assert(
    fc.property(fc.array(account, { minLength: 1, maxLength: 40 }), (accounts) => {
      const storages = accounts.map(({ words }) => build(words.map((word, i) => [slot(i), word] as const)));
      const state = build(
        accounts.map(({ nonce, balance, codeHash }, i) => [
          address(i),
          [nonce, balance, storages[i]?.root as Uint8Array, codeHash],
        ]),
      );
      for (const [i, { nonce, balance, codeHash, words }] of accounts.entries()) {
        const storage = storages[i] as Trie;
        const proof = prove(state, address(i));
        const proven = { nonce, balance, storageRoot: storage.root, codeHash };
        assert.deepEqual(proveAccount(state.root, address(i), proof), proven);
        for (let at = 0; at <= words.length; at++)
          assert.equal(proveSlot(storage.root, slot(at), prove(storage, slot(at))), words[at] ?? 0n);
      }
      const absent = address(accounts.length);
      assert.equal(proveAccount(state.root, absent, prove(state, absent)), null);
    }),
    { numRuns: 50 },
  );
});

test('a proof with additional nodes in any position is accepted, and their positions are reported', () => {
  const storage = build(Array.from({ length: 40 }, (_, i) => [slot(i), BigInt(i + 1)] as const));
  const state = build(
    Array.from({ length: 40 }, (_, i) => [address(i), [1n, 2n, storage.root, EMPTY_CODE_HASH]] as const),
  );
  const others = prove(storage, slot(7));
  for (const [index, nonce] of [
    [3, 1n],
    [90, undefined],
  ] as const) {
    const nodes = prove(state, address(index));
    for (let at = 0; at <= nodes.length; at++) {
      const more = [...nodes.slice(0, at), ...others, ...nodes.slice(at)];
      assert.equal(proveAccount(state.root, address(index), more)?.nonce, nonce);
      const extra = new Set<number>();
      proveAccount(state.root, address(index), more, undefined, (position) => extra.add(position));
      const needed = more.filter((_, position) => !extra.has(position));
      assert.deepEqual(needed, nodes, 'the positions of all nodes that are not needed are reported');
      const less = more.filter((node) => node !== nodes.at(-1));
      assert.throws(() => proveAccount(state.root, address(index), less), RangeError);
    }
  }
  assert.equal(proveSlot(EMPTY_TRIE_ROOT, slot(1), others), 0n);
});

test('leaves that no state can have are refused, even with the right hash', () => {
  const trie = build([
    [slot(1), Uint8Array.of()],
    [slot(2), Uint8Array.of(0, 1)],
    [slot(3), new Uint8Array(33).fill(1)],
    [slot(4), [1n]],
    [address(1), [1n, 2n, new Uint8Array(32)]],
    [address(2), [1n, 2n, new Uint8Array(32), new Uint8Array(32), 5n]],
    [address(3), [1n, 2n, new Uint8Array(31), new Uint8Array(32)]],
    [address(4), [2n ** 64n, 2n, new Uint8Array(32), new Uint8Array(32)]],
    [address(5), [Uint8Array.of(0), 2n, new Uint8Array(32), new Uint8Array(32)]],
  ]);
  assert.equal(proveSlot(trie.root, slot(1), prove(trie, slot(1))), 0n, 'as anvil keeps it');
  for (const i of [2, 3, 4])
    assert.throws(() => proveSlot(trie.root, slot(i), prove(trie, slot(i))), RangeError, `slot ${i}`);
  for (const i of [1, 2, 3, 4, 5])
    assert.throws(
      () => proveAccount(trie.root, address(i), prove(trie, address(i))),
      RangeError,
      `account ${i}`,
    );
});

type Answer = { readonly answer: AccountProof; readonly stateRoot: string };

const SLOTS: readonly string[] = ['0x0', `0x${'0'.repeat(63)}1`, '0x07'];

/** Answer of a node about an account with a contract, one without code and storage, or an absent one. */
function answerOf(kind: 'contract' | 'plain' | 'absent'): Answer {
  const storage = build(kind === 'contract' ? [0, 1, 2, 3].map((i) => [slot(i), BigInt(i + 1)]) : []);
  const codeHash = kind === 'contract' ? keccak256(Uint8Array.of(1)) : EMPTY_CODE_HASH;
  const accounts = [1, 2, 3, 4, 5, 6, 7, 8].map(
    (i) => [address(i), [BigInt(i), BigInt(i) * 10n ** 18n, storage.root, codeHash]] as const,
  );
  const state = build(accounts);
  const own = address(kind === 'absent' ? 99 : 3);
  const isThere = kind !== 'absent';
  const answer = {
    address: bytesToHex(own),
    accountProof: hexes(prove(state, own)),
    balance: isThere ? `0x${(3n * 10n ** 18n).toString(16)}` : '0x0',
    nonce: isThere ? '0x3' : '0x0',
    codeHash: isThere ? bytesToHex(codeHash) : `0x${'00'.repeat(32)}`,
    storageHash: isThere ? bytesToHex(storage.root) : `0x${'00'.repeat(32)}`,
    storageProof: SLOTS.map((key) => {
      const at = Number(key);
      return {
        key,
        value: kind === 'contract' && at < 4 ? `0x${at + 1}` : '0x0',
        proof: hexes(prove(storage, slot(at))),
      };
    }),
  };
  return { answer, stateRoot: bytesToHex(state.root) };
}

function verify(
  { answer, stateRoot }: { answer: unknown; stateRoot: string },
  own: string,
): Finding | undefined {
  const findings = new Findings();
  const proven = verifyAccountProof(answer, { address: own, slots: SLOTS }, stateRoot, findings);
  assert.equal(proven === undefined, findings.has('state'));
  return findings.list[0];
}

test('a true answer has no findings, and contradicts with any leaf changed or member missing', () => {
  for (const kind of ['contract', 'plain', 'absent'] as const) {
    const { answer, stateRoot } = answerOf(kind);
    assert.equal(verify({ answer, stateRoot }, answer.address), undefined, kind);
    for (const { path } of listLeaves(answer)) {
      const changed = changeAt(answer, path, changeLeaf);
      const finding = verify({ answer: changed, stateRoot }, answer.address);
      const where = `${kind} ${path.join('.')}`;
      assert.equal(finding?.kind, 'contradicts', where);
      // Another root node is evidence that the chain's state has another form.
      assert.equal(finding?.evidence !== undefined, path.join('.') === 'accountProof.0', where);
    }
    for (const member of Object.keys(answer)) {
      const { [member as keyof AccountProof]: _, ...rest } = answer;
      assert.equal(
        verify({ answer: rest, stateRoot }, answer.address)?.kind,
        'contradicts',
        `${kind} ${member}`,
      );
    }
  }
});

test('a proof with nodes that are not text, or more nodes than a path can have, is refused', () => {
  const { answer, stateRoot } = answerOf('contract');
  const { accountProof } = answer;
  const wrong = [
    accountProof.map((node) => [node]),
    [{ toString: 1, valueOf: 1 }],
    Array<string>(131).fill(accountProof[0] as string),
  ];
  const texts = wrong.map((nodes) =>
    verify({ answer: { ...answer, accountProof: nodes }, stateRoot }, answer.address),
  );
  assert.deepEqual(
    texts.map((finding) => finding?.text),
    [
      'hex string without 0x prefix',
      'hex string without 0x prefix',
      'proof: there are more nodes than a path can have',
    ],
  );
});

test('several encodings of an absent account and of empty storage are accepted', () => {
  const { answer, stateRoot } = answerOf('absent');
  const others = {
    ...answer,
    codeHash: bytesToHex(EMPTY_CODE_HASH),
    storageHash: bytesToHex(EMPTY_TRIE_ROOT),
    storageProof: answer.storageProof.map((each) => ({
      ...each,
      key: slot(Number(each.key)),
      proof: ['0x80'],
    })),
  };
  const storageProof = others.storageProof.map((each) => ({ ...each, key: bytesToHex(each.key) }));
  assert.equal(verify({ answer: { ...others, storageProof }, stateRoot }, answer.address), undefined);
});

test('an account with another number of fields is unknown, not refuted', () => {
  const own = address(3);
  const state = build([[own, [1n, 2n, EMPTY_TRIE_ROOT, EMPTY_CODE_HASH, 1n]]]);
  const answer = {
    ...answerOf('plain').answer,
    accountProof: hexes(prove(state, own)),
  };
  assert.equal(verify({ answer, stateRoot: bytesToHex(state.root) }, answer.address)?.kind, 'unknown');
});

test('a malformed proof is a finding and never throws', () => {
  const findings = (answer: unknown): readonly Finding[] => {
    const found = new Findings();
    const question = { address: bytesToHex(address(0)), slots: ['0x0'] };
    verifyAccountProof(answer, question, bytesToHex(EMPTY_TRIE_ROOT), found);
    return found.list;
  };
  const { answer } = answerOf('contract');
  for (const value of [null, 5, 'x', [], {}]) assert.equal(findings(value).length, 1);
  fc.assert(
    fc.property(fc.constantFrom(...listLeaves(answer)), fc.jsonValue(), ({ path }, value) => {
      const own = bytesToHex(address(3));
      const changed = changeAt(
        { ...answer, address: own, storageProof: answer.storageProof.slice(0, 1) },
        path,
        () => value,
      );
      assert.ok(Array.isArray(findings(changed)));
    }),
  );
});

test('proofs of anvil are verified', { skip: ANVIL_SKIP }, async () => {
  const anvil = await startAnvil({ args: ['--no-mining'] });
  try {
    const [from] = (await anvil.request('eth_accounts')) as readonly string[];
    // SSTORE(1, 5), SSTORE(2, 2^255), and a contract with one zero byte as its code.
    const data = `0x60056001557f80${'00'.repeat(31)}60025560016000f3`;
    const hash = await anvil.request('eth_sendTransaction', { from, data, gas: '0x100000' });
    await anvil.request('evm_mine');
    const receipt = (await anvil.request('eth_getTransactionReceipt', hash)) as {
      readonly contractAddress: string;
      readonly blockNumber: string;
    };
    const block = (await anvil.request('eth_getBlockByNumber', receipt.blockNumber, false)) as {
      readonly stateRoot: string;
    };
    const slots = [1, 2, 3].map((i) => bytesToHex(slot(i)));
    const words: (readonly bigint[] | undefined)[] = [];
    for (const own of [String(from), receipt.contractAddress, bytesToHex(address(98))]) {
      const answer = await anvil.request('eth_getProof', own, slots, receipt.blockNumber);
      const findings = new Findings();
      const proven = verifyAccountProof(answer, { address: own, slots }, block.stateRoot, findings);
      assert.deepEqual(findings.list, [], own);
      words.push(proven?.words);
      const balance = await anvil.request('eth_getBalance', own, receipt.blockNumber);
      assert.equal(BigInt(String(balance)), proven?.account?.balance ?? 0n);
    }
    assert.deepEqual(words, [
      [0n, 0n, 0n],
      [5n, 2n ** 255n, 0n],
      [0n, 0n, 0n],
    ]);
  } finally {
    await anvil.kill();
  }
});
