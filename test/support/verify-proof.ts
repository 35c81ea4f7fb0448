/** Reads Merkle proofs as a light client does: from a root only. */
import assert from 'node:assert/strict';
import { bytesEqual } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { asList, decodeRlp, encodeRlp, type RlpItem } from '../../packages/ethereum/primitives/rlp.ts';

/** Result of `eth_getProof`. */
export type AccountProof = {
  readonly address: string;
  readonly accountProof: readonly string[];
  readonly balance: string;
  readonly codeHash: string;
  readonly nonce: string;
  readonly storageHash: string;
  readonly storageProof: readonly {
    readonly key: string;
    readonly value: string;
    readonly proof: readonly string[];
  }[];
};

const NO_HASH = `0x${'00'.repeat(32)}`;
const EMPTY_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

/** Asserts that each part of the proof follows from the state root. */
export function verifyAccountProof(proof: AccountProof, stateRoot: Uint8Array): void {
  const leaf = readProof(stateRoot, hexToBytes(proof.address), proof.accountProof);
  if (leaf === undefined) {
    const { balance, nonce, codeHash, storageHash } = proof;
    assert.deepEqual([balance, nonce, codeHash, storageHash], ['0x0', '0x0', NO_HASH, NO_HASH]);
  } else {
    const fields = [proof.nonce, proof.balance].map((quantity) => BigInt(quantity));
    const hashes = [proof.storageHash, proof.codeHash].map(hexToBytes);
    assert.equal(bytesToHex(leaf), bytesToHex(encodeRlp([...fields, ...hashes])));
    assert.ok(proof.codeHash === EMPTY_CODE || proof.codeHash !== NO_HASH);
  }
  const storageRoot = leaf === undefined ? EMPTY_TRIE_ROOT : hexToBytes(proof.storageHash);
  for (const { key, value, proof: nodes } of proof.storageProof) {
    const slot = hexToBytes(`0x${key.slice(2).padStart(64, '0')}`);
    const found = readProof(storageRoot, slot, nodes);
    const want = value === '0x0' ? undefined : bytesToHex(encodeRlp(BigInt(value)));
    assert.equal(found && bytesToHex(found), want);
  }
}

/** Reads the value of a key; undefined where the nodes prove its absence. Fails where they prove neither, or where a node is not needed. */
export function readProof(
  root: Uint8Array,
  key: Uint8Array,
  proof: readonly string[],
): Uint8Array | undefined {
  const digits = bytesToHex(keccak256(key)).slice(2);
  const nodes = proof.map(hexToBytes);
  if (bytesEqual(root, EMPTY_TRIE_ROOT)) {
    assert.equal(nodes.length, 0);
    return undefined;
  }
  let used = 0;
  const open = (ref: RlpItem): readonly RlpItem[] => {
    if (!(ref instanceof Uint8Array)) return ref;
    const node = nodes[used++];
    assert.ok(node !== undefined, 'a node is missing');
    assert.equal(bytesToHex(keccak256(node)), bytesToHex(ref));
    return asList(decodeRlp(node), 'node');
  };
  let ref: RlpItem | undefined = root;
  let value: Uint8Array | undefined;
  for (let at = 0; ref !== undefined; ) {
    const node = open(ref);
    if (node.length === 17) {
      const child = node[Number.parseInt(digits[at++] as string, 16)] as RlpItem;
      ref = child.length === 0 ? undefined : child;
      continue;
    }
    const path = bytesToHex(node[0] as Uint8Array).slice(2);
    const flags = Number.parseInt(path[0] as string, 16);
    const step = path.slice(flags % 2 === 1 ? 1 : 2);
    const isOnPath = digits.startsWith(step, at);
    at += step.length;
    ref = flags < 2 && isOnPath ? (node[1] as RlpItem) : undefined;
    if (flags >= 2 && isOnPath) value = node[1] as Uint8Array;
  }
  assert.equal(used, nodes.length, 'nodes that nothing refers to');
  return value;
}
