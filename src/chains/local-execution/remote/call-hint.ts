import { decodeAccountLeaf } from '../../../../packages/ethereum/primitives/account-leaf.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { asInteger, decodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { asText, isMembers } from '../../../../packages/proofs/members.ts';
import type { NodesByHash } from '../../../../packages/proofs/state-proof.ts';
import { StateKeys } from '../proven/state-keys.ts';
import type { BlockState } from '../proven/state-nodes.ts';
import type { StateCache } from '../proven/state-requests.ts';
import { TrieNodes } from '../proven/trie-nodes.ts';

/** Execution witness of a call from a node: trie nodes and codes by hash, and slots without their accounts. */
type AnsweredBy = {
  readonly nodes: NodesByHash;
  readonly codes: NodesByHash;
  readonly slots: readonly string[];
};

/** State that a call reads according to a node, whose report may be wrong. */
export type CallHint = { readonly keys: StateKeys; readonly witness?: AnsweredBy };

/** Maximum number of accounts and slots in a hint; also the maximum number of trie nodes and codes in an execution witness. */
const MAX_HINTED = 4_096;
/**
 * Maximum number of tested pairs of account and slot, in 5 µs each. Every slot is tested with every account, because a witness does not assign slots
 * to accounts.
 */
const MAX_PAIRS = 1_024;
/** Maximum number of hex digits of a trie node (a branch has 532 bytes), of a code, and of all items of a list. A byte takes 50 ns to hash. */
const MAX_NODE_DIGITS = 2 * 1_024;
const MAX_CODE_DIGITS = 2 * 65_536;
const MAX_WITNESS_DIGITS = 2 * 1_048_576;
const ADDRESS = /^0x[0-9a-f]{40}$/;
const WORD = /^0x[0-9a-f]{64}$/;
const NO_NODES: NodesByHash = new Map();

/**
 * Reads an answer to `proof_call` (an object), or a list with one answer to `eth_createAccessList`, which is sent to nodes without `proof_call`.
 * @returns undefined if the answer is malformed
 */
export function readHint(answer: unknown): CallHint | undefined {
  if (Array.isArray(answer)) return readList(isMembers(answer[0]) ? answer[0]['accessList'] : undefined);
  if (!isMembers(answer)) return undefined;
  const { accounts, witness } = answer;
  return isMembers(witness)
    ? readWitness(witness)
    : readList(Array.isArray(accounts) ? accounts.map(toEntry) : []);
}

/** Converts a proof to an access list entry, because Nethermind before version 1.39 returns a list of proofs. */
function toEntry(proof: unknown): unknown {
  if (!isMembers(proof) || !Array.isArray(proof['storageProof'])) return proof;
  const storageKeys = proof['storageProof'].map((each: unknown) => isMembers(each) && each['key']);
  return { address: proof['address'], storageKeys };
}

function readList(list: unknown): CallHint | undefined {
  if (!Array.isArray(list)) return undefined;
  const keys = new StateKeys();
  let count = 0;
  for (const entry of list as readonly unknown[]) {
    if (!isMembers(entry) || !Array.isArray(entry['storageKeys'])) return undefined;
    const address = asText(entry['address']).toLowerCase();
    if (!ADDRESS.test(address)) return undefined;
    const slots = keys.addAccount(address);
    for (const key of entry['storageKeys'] as readonly unknown[]) {
      const slot = asText(key).toLowerCase();
      if (WORD.test(slot)) slots.add(slot);
      if (++count > MAX_HINTED) return { keys };
    }
    if (++count > MAX_HINTED) return { keys };
  }
  return { keys };
}

function readWitness({ state, codes, keys: read }: Readonly<Record<string, unknown>>): CallHint | undefined {
  if (!Array.isArray(read)) return undefined;
  const texts = read.slice(0, MAX_HINTED).map((key) => asText(key).toLowerCase());
  const keys = new StateKeys();
  for (const text of texts) if (ADDRESS.test(text)) keys.addAccount(text);
  const slots = texts.filter((text) => WORD.test(text));
  try {
    return {
      keys,
      witness: { nodes: hashAll(state, MAX_NODE_DIGITS), codes: hashAll(codes, MAX_CODE_DIGITS), slots },
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Decodes and hashes a list of hex texts. @param longest maximum number of hex digits of an item; longer items are skipped
 * @throws RangeError if the value is not a list of hex texts
 */
function hashAll(list: unknown, longest: number): NodesByHash {
  if (!Array.isArray(list)) throw new RangeError('witness: expected a list');
  const byHash = new Map<string, Uint8Array>();
  let left = MAX_WITNESS_DIGITS;
  for (const item of list.slice(0, MAX_HINTED)) {
    const text = asText(item);
    if (text.length > longest + '0x'.length) continue;
    left -= text.length;
    if (left < 0) break;
    const bytes = hexToBytes(text);
    byHash.set(bytesToHex(keccak256(bytes)), bytes);
  }
  return byHash;
}

/**
 * Stores the verified parts of a hint: accounts and slots to which its trie nodes lead from the state root, and codes of these accounts.
 * Nothing else of the hint is stored.
 * @returns the keys that the call reads according to the hint
 */
export function noteHint(
  { keys, witness }: CallHint,
  { stateRoot }: BlockState,
  proven: StateCache,
): StateKeys {
  if (witness === undefined) return keys;
  const { proven: states } = proven.states;
  const tries = new TrieNodes(Number.POSITIVE_INFINITY);
  tries.add(witness.nodes);
  let pairs = 0;
  for (const address of keys.accounts.keys()) {
    const account = tries.find(stateRoot, address, decodeAccountLeaf);
    if (account === undefined) continue;
    const storageRoot = bytesToHex(account?.storageRoot ?? EMPTY_TRIE_ROOT);
    const slots: string[] = [];
    const words: bigint[] = [];
    for (const slot of storageRoot === EMPTY_ROOT ? [] : witness.slots) {
      if (++pairs > MAX_PAIRS) break;
      const word = tries.find(storageRoot, slot, decodeWord);
      if (word === undefined) continue;
      slots.push(slot);
      words.push(word ?? 0n);
    }
    states.note(stateRoot, { address, slots }, { account, words, nodes: NO_NODES });
    const hash = account && bytesToHex(account.codeHash);
    const code = hash && witness.codes.get(hash);
    if (hash && code) proven.codes.add(new Map([[hash, code]]));
  }
  return keys;
}

const EMPTY_ROOT: string = bytesToHex(EMPTY_TRIE_ROOT);

function decodeWord(leaf: Uint8Array): bigint {
  return asInteger(decodeRlp(leaf), 'slot');
}
