import {
  type AccountLeaf,
  decodeAccountLeaf,
} from '../../../../packages/ethereum/primitives/account-leaf.ts';
import { bytesEqual, bytesToBigInt, padLeft } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { type MerkleProof, proveKey } from '../../../../packages/ethereum/primitives/merkle-proof.ts';
import type { NodeLoader } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { asBytes, decodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { ChainError } from '../../../chain/errors.ts';
import { AnswerMemory } from '../../../util/answer-memory.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { StateTrie } from '../state/state-trie.ts';
import { CollectedJson } from './collected-json.ts';

/** Address of the account and slots whose Merkle proofs are requested. */
export type ProofRequest = { readonly address: string; readonly slots: readonly string[] };

const WORD_LENGTH = 32;
/** Code hash and storage root of a nonexistent account, as in geth. */
const NO_HASH = new Uint8Array(WORD_LENGTH);
const NO_ACCOUNT: AccountLeaf = { nonce: 0n, balance: 0n, storageRoot: NO_HASH, codeHash: NO_HASH };

/**
 * Writes the result of `eth_getProof` in geth's format.
 * @param stateRoot state root of the block; a trie with another root is an internal fault
 * @throws ChainError when the caller disconnects or the memory limit for answers is reached
 */
export function* writeProof(
  trie: StateTrie,
  { address, slots }: ProofRequest,
  stateRoot: Uint8Array,
  scope: RequestScope,
): Generator<undefined, JsonResult> {
  const memory = AnswerMemory.of(scope);
  try {
    const json = new CollectedJson(memory);
    for (const part of encodeProof(trie, { address, slots }, stateRoot)) {
      json.add(part);
      yield;
      if (scope.aborted) throw new ChainError('aborted', 'the caller has cancelled the request');
    }
    return json.finish();
  } finally {
    // The reservation of answer memory ends here, because the receiver of the result reserves memory itself.
    memory.release();
  }
}

/** Yields the JSON text in parts: the account, one part per slot, and the end. */
function* encodeProof(
  trie: StateTrie,
  { address, slots }: ProofRequest,
  stateRoot: Uint8Array,
): Generator<string> {
  const owner = keccak256(hexToBytes(address));
  const { nodes, value } = proveKey(owner, trie.accountNodes);
  if (!bytesEqual(nodes[0] === undefined ? EMPTY_TRIE_ROOT : keccak256(nodes[0]), stateRoot)) {
    throw new Error('the tries do not belong to the block');
  }
  const leaf = value === undefined ? NO_ACCOUNT : decodeAccountLeaf(value);
  yield `{"address":"${address}","accountProof":${encodeNodes(nodes)},"balance":"${encodeQuantity(leaf.balance)}",` +
    `"codeHash":"${bytesToHex(leaf.codeHash)}","nonce":"${encodeQuantity(leaf.nonce)}",` +
    `"storageHash":"${bytesToHex(leaf.storageRoot)}","storageProof":[`;
  const hasStorage = value !== undefined && !bytesEqual(leaf.storageRoot, EMPTY_TRIE_ROOT);
  const load = hasStorage ? trie.storageNodes(owner) : loadNothing;
  for (const [index, slot] of slots.entries()) {
    yield `${index === 0 ? '' : ','}${encodeSlotProof(slot, load)}`;
  }
  yield ']}';
}

const loadNothing: NodeLoader = () => undefined;

function encodeSlotProof(slot: string, load: NodeLoader): string {
  const { nodes, value }: MerkleProof = proveKey(keccak256(decodeSlot(slot)), load);
  const word = value === undefined ? 0n : bytesToBigInt(asBytes(decodeRlp(value), 'slot'));
  return `{"key":"${slot}","value":"${encodeQuantity(word)}","proof":${encodeNodes(nodes)}}`;
}

function encodeNodes(nodes: readonly Uint8Array[]): string {
  return `[${nodes.map((node) => `"${bytesToHex(node)}"`).join()}]`;
}

/** Decodes a slot, which clients send as 32 bytes of hex or as a quantity, to 32 bytes. */
function decodeSlot(slot: string): Uint8Array {
  const digits = slot.slice(2);
  return padLeft(hexToBytes(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`), WORD_LENGTH);
}
