import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bigIntToFixedBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  EMPTY_CODE_HASH,
  EMPTY_TRIE_ROOT,
  keccak256,
} from '../../../../packages/ethereum/primitives/keccak.ts';
import { proveKey } from '../../../../packages/ethereum/primitives/merkle-proof.ts';
import { MerkleTrie } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp, type RlpInput } from '../../../../packages/ethereum/primitives/rlp.ts';
import { RlpWriter } from '../../../../packages/ethereum/primitives/rlp-writer.ts';
import type { Members } from '../../../../packages/proofs/findings.ts';
import { hashEthereumHeader } from '../../../../packages/proofs/hash-header.ts';
import { recoverPublicKey } from '../../../../scripts/chains/secp256k1.ts';
import { AgreedLinks } from '../../../../src/chains/upstream/agreement/agreed-links.ts';
import { CheckpointLinks } from '../../../../src/chains/upstream/verifying/checkpoint-links.ts';
import { Verifier } from '../../../../src/chains/upstream/verifying/verifier.ts';
import { UpstreamFault } from '../../../../src/pool/fault.ts';
import type { Send } from '../../../../src/pool/upstream-request.ts';
import { createRecordingLog } from '../../../gateway/recording-log.ts';

const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935';
const KEPT = 8_191n;
const ZERO = `0x${'00'.repeat(32)}`;

type Trie = { readonly root: string; readonly prove: (key: Uint8Array) => readonly string[] };

/** A trie with hashed keys, as state and storage tries are. */
function buildTrie(entries: readonly (readonly [key: Uint8Array, value: RlpInput])[]): Trie {
  const nodes = new Map<string, Uint8Array>();
  const load = (path: Uint8Array): Uint8Array | undefined => nodes.get(bytesToHex(path));
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, load);
  for (const [key, value] of entries) trie.put(keccak256(key), encodeRlp(value));
  const root = trie.commit((path, encoded) => {
    if (encoded !== undefined) nodes.set(bytesToHex(path), encoded);
  });
  return { root: bytesToHex(root), prove: (key) => proveKey(keccak256(key), load).nodes.map(bytesToHex) };
}

type SparseBlock = { readonly header: Members; readonly state: Trie; readonly storage: Trie };

/** Blocks of a chain without those between them: the state of each contains the block hashes that EIP-2935 stores. */
function buildChain(numbers: readonly bigint[]): ReadonlyMap<bigint, SparseBlock> {
  const chain = new Map<bigint, SparseBlock>();
  for (const number of numbers) {
    const cached = [...chain].filter(([older]) => number - older <= KEPT);
    const storage = buildTrie(
      cached.map(([older, { header }]) => [
        bigIntToFixedBytes(older % KEPT, 32),
        hexToBytes(String(header['hash'])),
      ]),
    );
    const state = buildTrie([[hexToBytes(HISTORY), [1n, 0n, hexToBytes(storage.root), EMPTY_CODE_HASH]]]);
    const header = {
      number: `0x${number.toString(16)}`,
      parentHash: ZERO,
      sha3Uncles: ZERO,
      miner: `0x${'00'.repeat(20)}`,
      stateRoot: state.root,
      transactionsRoot: ZERO,
      receiptsRoot: ZERO,
      logsBloom: `0x${'00'.repeat(256)}`,
      difficulty: '0x0',
      gasLimit: '0x1',
      gasUsed: '0x0',
      timestamp: `0x${number.toString(16)}`,
      extraData: '0x',
      mixHash: ZERO,
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x1',
    };
    chain.set(number, {
      header: { ...header, hash: hashEthereumHeader(header, new RlpWriter()) },
      state,
      storage,
    });
  }
  return chain;
}

test('old blocks are linked by proofs that stop at heights shared by later checkpoints', async () => {
  const stops = [7_680n, 15_360n, 23_040n, 30_720n, 38_400n];
  const chain = buildChain([100n, 200n, ...stops, 40_000n, 41_000n]);
  const hashOf = (number: bigint): string => String(chain.get(number)?.header['hash']);
  const proven: bigint[] = [];
  const ask: Send = ({ call }) => {
    const [subject, slots = []] = JSON.parse(call.params) as [string, readonly string[]];
    const block = chain.get(call.block?.number ?? -1n);
    if (block === undefined) throw new UpstreamFault('missing', 'the chain of the test has no such block');
    if (call.method === 'eth_getBlockByHash') {
      assert.equal(subject, block.header['hash']);
      return call.check?.(JSON.stringify(block.header)) ?? '';
    }
    assert.equal(call.method, 'eth_getProof');
    proven.push(call.block?.number ?? -1n);
    const { state, storage } = block;
    const key = bigIntToFixedBytes(BigInt(slots[0] ?? '0x0'), 32);
    const [older] = [...chain].filter(([number]) => number % KEPT === BigInt(slots[0] ?? '0x0'));
    const answer = {
      address: HISTORY,
      nonce: '0x1',
      balance: '0x0',
      codeHash: bytesToHex(EMPTY_CODE_HASH),
      storageHash: storage.root,
      accountProof: state.prove(hexToBytes(HISTORY)),
      storageProof: [{ key: slots[0], value: older?.[1].header['hash'], proof: storage.prove(key) }],
    };
    return call.check?.(JSON.stringify(answer)) ?? '';
  };
  const verifier = new Verifier({
    network: 'test',
    mode: 'auto',
    upstreams: [],
    recoverPublicKey,
    log: createRecordingLog(),
    head: () => undefined,
    refute: () => {},
  });
  const point = { number: 40_000n, hash: hashOf(40_000n) };
  const links = new CheckpointLinks(point, verifier, async (context) => ask(context), 'anchored');
  assert.equal(await links.findHash(100n), hashOf(100n));
  assert.deepEqual(proven, [40_000n, ...stops.toReversed()]);
  links.moveTo({ number: 41_000n, hash: hashOf(41_000n) });
  assert.equal(await links.findHash(200n), hashOf(200n));
  assert.deepEqual(proven.slice(6), [7_680n]);
  for (const number of [40_000n, 7_680n]) assert.equal(links.hashAt(number), hashOf(number));
  proven.length = 0;
  const agreed = new AgreedLinks({
    verifier,
    ask: async (context) => ask(context),
    findHeader: () => undefined,
    agreedHead: () => point,
  });
  // One proof reaches as far down as the state stores hashes; for lower blocks the intermediate stops are remembered.
  assert.equal(await agreed.findHash(38_400n), hashOf(38_400n));
  assert.deepEqual(proven, [40_000n]);
  assert.equal(await agreed.findHash(100n), hashOf(100n));
  assert.equal(await agreed.findHash(200n), hashOf(200n));
  assert.deepEqual(proven, [40_000n, ...stops.toReversed(), 7_680n]);
  assert.ok(
    agreed.has({ number: 100n, hash: hashOf(100n) }) && !agreed.has({ number: 100n, hash: hashOf(200n) }),
  );
  agreed.noteDeparture(1);
  assert.equal(agreed.hashAt(100n), hashOf(100n));
  agreed.forgetChain();
  assert.equal(agreed.hashAt(100n), undefined);
});
