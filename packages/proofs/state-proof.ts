import { type AccountLeaf, decodeAccountLeaf } from '../ethereum/primitives/account-leaf.ts';
import { bigIntToFixedBytes, bytesEqual } from '../ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../ethereum/primitives/keccak.ts';
import { readProof } from '../ethereum/primitives/merkle-proof.ts';
import { asInteger, decodeRlp } from '../ethereum/primitives/rlp.ts';
import type { Findings, Members } from './findings.ts';
import { asText, isMembers, isSameInteger, isSameText } from './members.ts';

const WORD_BYTES = 32;
/** Maximum number of nodes in one proof. A path has 64 nibbles, and each node below the root may be listed and also embedded in its parent. */
const MAX_NODES = 130;
const NO_HASH = `0x${'00'.repeat(WORD_BYTES)}`;
const EMPTY_CODE: string = bytesToHex(EMPTY_CODE_HASH);
const EMPTY_ROOT: string = bytesToHex(EMPTY_TRIE_ROOT);

/** Trie nodes by hash; a hash is lower-case `0x` text. */
export type NodesByHash = ReadonlyMap<string, Uint8Array>;

type OnNode = (hash: Uint8Array, encoded: Uint8Array) => void;

/** Called with the position of each node that a proof does not need. */
type OnExtra = (position: number) => void;

const ignoreExtra: OnExtra = () => {};

/** Error: the account leaf does not have Ethereum's form. */
class UnknownAccount extends RangeError {}

/**
 * Reads an account from a proof against the state root of a block.
 * @param address 20 bytes
 * @param proof encoded nodes, the root first
 * @param onNode passed to `readProof`
 * @param onExtra passed to `readProof`; by default, unneeded nodes are ignored
 * @returns null if the proof shows that the account does not exist
 * @throws RangeError that names the fault of the proof
 */
export function proveAccount(
  stateRoot: Uint8Array,
  address: Uint8Array,
  proof: readonly Uint8Array[],
  onNode?: OnNode,
  onExtra: OnExtra = ignoreExtra,
): AccountLeaf | null {
  // No real state is empty. anvil reports the empty root for its first block, with nodes that prove another state.
  const ofExtra = bytesEqual(stateRoot, EMPTY_TRIE_ROOT) ? undefined : onExtra;
  const leaf = readProof(stateRoot, keccak256(address), proof, onNode, ofExtra);
  if (leaf === undefined) return null;
  try {
    return decodeAccountLeaf(leaf);
  } catch (error) {
    throw error instanceof RangeError ? new UnknownAccount(error.message) : error;
  }
}

/**
 * Reads a storage slot of an account from a proof.
 * @param key 32 bytes
 * @param proof encoded nodes, the root first
 * @param onNode passed to `readProof`
 * @param onExtra passed to `readProof`; by default, unneeded nodes are ignored
 * @returns 0n if the proof shows that the slot is absent or stored as zero
 * @throws RangeError that names the fault of the proof
 */
export function proveSlot(
  storageRoot: Uint8Array,
  key: Uint8Array,
  proof: readonly Uint8Array[],
  onNode?: OnNode,
  onExtra: OnExtra = ignoreExtra,
): bigint {
  const leaf = readProof(storageRoot, keccak256(key), proof, onNode, onExtra);
  if (leaf === undefined) return 0n;
  // Ethereum's tries do not store zeros. anvil's tries do, and its roots commit to them.
  return asInteger(decodeRlp(leaf), 'slot');
}

/** Parameters of an `eth_getProof` request. */
export type StateProofRequest = {
  /** 20 bytes as hex text. */
  readonly address: string;
  /** Hex texts of at most 32 bytes. */
  readonly slots: readonly string[];
};

/** Account state verified by a proof. */
export type VerifiedState = {
  /** Account; null if the proof shows that the account does not exist. */
  readonly account: AccountLeaf | null;
  /** Values of the requested slots, in order. */
  readonly words: readonly bigint[];
  /** Trie nodes of all proofs, by hash. */
  readonly nodes: NodesByHash;
  /**
   * Positions of the nodes that a proof does not need, in one list for each proof: the account's proof first, then the proof of each slot. The member
   * `extra` is absent if every node is needed.
   */
  readonly extra?: readonly (readonly number[])[];
};

/**
 * Verifies an `eth_getProof` response, both its proofs and its members, against the state root of a block.
 * @param stateRoot 32 bytes as hex text
 * @returns undefined if the response is wrong, or if the account has an unknown form. The findings then contain the reason.
 */
export function verifyAccountProof(
  answer: unknown,
  request: StateProofRequest,
  stateRoot: string,
  findings: Findings,
): VerifiedState | undefined {
  const members = isMembers(answer) ? answer : {};
  const { address, slots } = request;
  const { storageProof } = members;
  if (!isSameText(members['address'], address)) {
    findings.contradict('state', 'the proof is not for the requested account');
    return undefined;
  }
  if (!Array.isArray(storageProof) || storageProof.length !== slots.length) {
    findings.contradict('state', 'the proof is not for the requested slots');
    return undefined;
  }
  const nodes = new Map<string, Uint8Array>();
  const note: OnNode = (hash, encoded) => nodes.set(bytesToHex(hash), encoded);
  const extra: number[][] = [];
  const collectExtra = (): OnExtra => {
    const positions: number[] = [];
    extra.push(positions);
    return (position) => positions.push(position);
  };
  let path: readonly Uint8Array[] = [];
  try {
    path = readNodes(members['accountProof']);
    const account = proveAccount(hexToBytes(stateRoot), hexToBytes(address), path, note, collectExtra());
    compareAccount(members, account, findings);
    const words = slots.map((slot, index) =>
      proveMember(storageProof[index], slot, account, findings, note, collectExtra()),
    );
    if (findings.has('state')) return undefined;
    const hasExtra = extra.some(({ length }) => length > 0);
    return hasExtra ? { account, words, nodes, extra } : { account, words, nodes };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (error instanceof UnknownAccount) findings.noteUnknown('state', error.message);
    else findings.contradict('state', error.message, findEvidence(path, stateRoot));
    return undefined;
  }
}

/** Compares hex code with the account's code hash. */
export function verifyCode(code: unknown, codeHash: Uint8Array, findings: Findings): void {
  try {
    if (bytesEqual(keccak256(hexToBytes(asText(code))), codeHash)) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  findings.contradict('state', 'the code does not hash to the code hash of the account');
}

/**
 * Returns evidence (`Finding.evidence`) if unknown rules of the chain may explain the fault. If a chain has another state format, the root node of
 * the proof does not hash to the state root. A correct root node with a fault below it is always a wrong response.
 */
function findEvidence(nodes: readonly Uint8Array[], stateRoot: string): readonly unknown[] | undefined {
  const [root] = nodes;
  const hash = root === undefined ? 'no node' : bytesToHex(keccak256(root));
  return hash === stateRoot ? undefined : [stateRoot, hash];
}

/** Compares the account members of a response with the proof. For an absent account, clients return zero hashes or the hashes of empty values. */
function compareAccount(
  { nonce, balance, codeHash, storageHash }: Members,
  account: AccountLeaf | null,
  findings: Findings,
): void {
  const isEmpty = account === null;
  const isCorrect =
    isSameInteger(nonce, account?.nonce ?? 0n) &&
    isSameInteger(balance, account?.balance ?? 0n) &&
    (isSameText(codeHash, isEmpty ? EMPTY_CODE : bytesToHex(account.codeHash)) ||
      (isEmpty && codeHash === NO_HASH)) &&
    (isSameText(storageHash, isEmpty ? EMPTY_ROOT : bytesToHex(account.storageRoot)) ||
      (isEmpty && storageHash === NO_HASH));
  if (!isCorrect) findings.contradict('state', 'the account does not match its proof');
}

/** Compares a slot with its proof. @throws RangeError if the proof is invalid */
function proveMember(
  member: unknown,
  slot: string,
  account: AccountLeaf | null,
  findings: Findings,
  onNode: OnNode,
  onExtra: OnExtra,
): bigint {
  const { key, value, proof } = isMembers(member) ? member : ({} as Members);
  if (!isSameInteger(key, BigInt(slot))) findings.contradict('state', 'the proof is for another slot');
  const path = bigIntToFixedBytes(BigInt(slot), WORD_BYTES);
  const word = proveSlot(account?.storageRoot ?? EMPTY_TRIE_ROOT, path, readNodes(proof), onNode, onExtra);
  if (!isSameInteger(value, word))
    findings.contradict('state', 'the value of a slot does not match its proof');
  return word;
}

/** Decodes the nodes of a proof. @throws RangeError if the proof is not a list of hex texts, or is longer than any path */
function readNodes(proof: unknown): readonly Uint8Array[] {
  if (!Array.isArray(proof)) throw new RangeError('proof: the nodes are not a list');
  if (proof.length > MAX_NODES) throw new RangeError('proof: there are more nodes than a path can have');
  return proof.map((node) => hexToBytes(asText(node)));
}
