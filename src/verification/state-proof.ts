import { type AccountLeaf, decodeAccountLeaf } from '../primitives/account-leaf.ts';
import { bigIntToFixedBytes, bytesEqual } from '../primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../primitives/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../primitives/keccak.ts';
import { readProof } from '../primitives/merkle-proof.ts';
import { asInteger, decodeRlp } from '../primitives/rlp.ts';
import type { Findings, Members } from './findings.ts';
import { asText, isMembers, isSameInteger, isSameText } from './members.ts';

const WORD_BYTES = 32;
/** Of one proof: a path has 64 nibbles, and each node below the root may be there twice, as a part of the one above it too. */
const MAX_NODES = 130;
const NO_HASH = `0x${'00'.repeat(WORD_BYTES)}`;
const EMPTY_CODE: string = bytesToHex(EMPTY_CODE_HASH);
const EMPTY_ROOT: string = bytesToHex(EMPTY_TRIE_ROOT);

/** Nodes of tries by their hashes, lower-case `0x` text. */
export type NodesByHash = ReadonlyMap<string, Uint8Array>;

type OnNode = (hash: Uint8Array, encoded: Uint8Array) => void;

/** What a trie has for an account is not of Ethereum's form. */
class UnknownAccount extends RangeError {}

/**
 * Reads an account out of a proof against the state root of a block.
 * @param address 20 bytes
 * @param proof encoded nodes, the root first
 * @param onNode as in `readProof`
 * @returns null where the proof shows that there is no such account
 * @throws RangeError naming what is wrong with the proof
 */
export function proveAccount(
  stateRoot: Uint8Array,
  address: Uint8Array,
  proof: readonly Uint8Array[],
  onNode?: OnNode,
): AccountLeaf | null {
  // No state is empty: anvil gives the root of one for its first block, whose nodes prove something else.
  const extra = bytesEqual(stateRoot, EMPTY_TRIE_ROOT) ? 'refused' : 'passed over';
  const leaf = readProof(stateRoot, keccak256(address), proof, onNode, extra);
  if (leaf === undefined) return null;
  try {
    return decodeAccountLeaf(leaf);
  } catch (error) {
    throw error instanceof RangeError ? new UnknownAccount(error.message) : error;
  }
}

/**
 * Reads a word of an account's storage out of a proof.
 * @param key 32 bytes
 * @param proof encoded nodes, the root first
 * @param onNode as in `readProof`
 * @returns 0n where the proof shows that the word is not stored, or that zero is
 * @throws RangeError naming what is wrong with the proof
 */
export function proveSlot(
  storageRoot: Uint8Array,
  key: Uint8Array,
  proof: readonly Uint8Array[],
  onNode?: OnNode,
): bigint {
  const leaf = readProof(storageRoot, keccak256(key), proof, onNode, 'passed over');
  if (leaf === undefined) return 0n;
  // Zero is not stored in Ethereum's tries; anvil's keep it, and their root says so.
  return asInteger(decodeRlp(leaf), 'slot');
}

/** What was asked for with `eth_getProof`. */
export type ProofQuestion = {
  /** Hex text of 20 bytes. */
  readonly address: string;
  /** Hex texts of at most 32 bytes. */
  readonly slots: readonly string[];
};

/** What a proof shows of an account. */
export type ProvenState = {
  /** Null where there is no such account. */
  readonly account: AccountLeaf | null;
  /** Words of the slots that were asked for, in their order. */
  readonly words: readonly bigint[];
  /** The nodes of the tries that show it. */
  readonly nodes: NodesByHash;
};

/**
 * Compares an answer to `eth_getProof`, the proofs and what it says beside them, with the state root of a block.
 * @param stateRoot hex text of 32 bytes
 * @returns undefined where something is wrong, which is among the findings
 */
export function verifyAccountProof(
  answer: unknown,
  question: ProofQuestion,
  stateRoot: string,
  findings: Findings,
): ProvenState | undefined {
  const members = isMembers(answer) ? answer : {};
  const { address, slots } = question;
  const { storageProof } = members;
  if (!isSameText(members['address'], address)) {
    findings.contradict('state', 'the proof is not that of the account asked for');
    return undefined;
  }
  if (!Array.isArray(storageProof) || storageProof.length !== slots.length) {
    findings.contradict('state', 'the proof is not about the slots asked for');
    return undefined;
  }
  const nodes = new Map<string, Uint8Array>();
  const note: OnNode = (hash, encoded) => nodes.set(bytesToHex(hash), encoded);
  let path: readonly Uint8Array[] = [];
  try {
    path = readNodes(members['accountProof']);
    const account = proveAccount(hexToBytes(stateRoot), hexToBytes(address), path, note);
    compareAccount(members, account, findings);
    const words = slots.map((slot, index) => proveMember(storageProof[index], slot, account, findings, note));
    return findings.has('state') ? undefined : { account, words, nodes };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (error instanceof UnknownAccount) findings.noteUnknown('state', error.message);
    else findings.contradict('state', error.message, findEvidence(path, stateRoot));
    return undefined;
  }
}

/** Compares the code of an account, hex text, with the hash of it. */
export function verifyCode(code: unknown, codeHash: Uint8Array, findings: Findings): void {
  try {
    if (bytesEqual(keccak256(hexToBytes(asText(code))), codeHash)) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  findings.contradict('state', 'the code is not that of the account');
}

/** A chain with another kind of state leads to another root node; nothing but a wrong answer leads to the right one and fails below it. */
function findEvidence(nodes: readonly Uint8Array[], stateRoot: string): readonly unknown[] | undefined {
  const [root] = nodes;
  const hash = root === undefined ? 'no node' : bytesToHex(keccak256(root));
  return hash === stateRoot ? undefined : [stateRoot, hash];
}

/** Compares what an answer says of an account beside the proof. Of one that does not exist clients give hashes of zeros or those of nothing. */
function compareAccount(
  { nonce, balance, codeHash, storageHash }: Members,
  account: AccountLeaf | null,
  findings: Findings,
): void {
  const isEmpty = account === null;
  const isRight =
    isSameInteger(nonce, account?.nonce ?? 0n) &&
    isSameInteger(balance, account?.balance ?? 0n) &&
    (isSameText(codeHash, isEmpty ? EMPTY_CODE : bytesToHex(account.codeHash)) ||
      (isEmpty && codeHash === NO_HASH)) &&
    (isSameText(storageHash, isEmpty ? EMPTY_ROOT : bytesToHex(account.storageRoot)) ||
      (isEmpty && storageHash === NO_HASH));
  if (!isRight) findings.contradict('state', 'the account is another one than its proof shows');
}

/** Compares a slot with its proof. @throws RangeError where that proves nothing */
function proveMember(
  member: unknown,
  slot: string,
  account: AccountLeaf | null,
  findings: Findings,
  onNode: OnNode,
): bigint {
  const { key, value, proof } = isMembers(member) ? member : ({} as Members);
  if (!isSameInteger(key, BigInt(slot))) findings.contradict('state', 'the proof is that of another slot');
  const path = bigIntToFixedBytes(BigInt(slot), WORD_BYTES);
  const word = proveSlot(account?.storageRoot ?? EMPTY_TRIE_ROOT, path, readNodes(proof), onNode);
  if (!isSameInteger(value, word))
    findings.contradict('state', 'a slot has another value than its proof shows');
  return word;
}

/** @throws RangeError where it is no list of hex texts, or longer than any path */
function readNodes(proof: unknown): readonly Uint8Array[] {
  if (!Array.isArray(proof)) throw new RangeError('proof: no list of nodes');
  if (proof.length > MAX_NODES) throw new RangeError('proof: more nodes than a path has');
  return proof.map((node) => hexToBytes(asText(node)));
}
