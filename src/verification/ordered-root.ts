import { bytesToHex } from '../primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import { bytesToNibbles, encodePath, type Nibbles } from '../primitives/trie-node.ts';
import type { RlpWriter } from './rlp-writer.ts';

const HASH_LENGTH = 32;
/** From here on the keys of indices have several bytes; index 0 comes right before them in key order. */
const FIRST_LONG_INDEX = 128;

type Entry = { readonly path: Nibbles; readonly value: Uint8Array };

/**
 * Root of the trie that holds a list under the RLP of its indices (transactions, receipts, withdrawals), as hex text. The trie is never
 * built: keys are known in order, so each node is encoded once.
 */
export function hashOrdered(values: readonly Uint8Array[], writer: RlpWriter): string {
  if (values.length === 0) return bytesToHex(EMPTY_TRIE_ROOT);
  const entries: Entry[] = [];
  const add = (index: number): void => {
    entries.push({ path: pathOf(index), value: values[index] as Uint8Array });
  };
  for (let i = 1; i < Math.min(values.length, FIRST_LONG_INDEX); i++) add(i);
  add(0);
  for (let i = FIRST_LONG_INDEX; i < values.length; i++) add(i);
  const mark = writer.mark;
  encodeNode(entries, 0, entries.length, 0, writer);
  const root = bytesToHex(keccak256(writer.view(mark)));
  writer.rewind(mark);
  return root;
}

/** Paths are the same for every list. */
const paths: Nibbles[] = [];
const MAX_KEPT_PATHS = 1_024;

function pathOf(index: number): Nibbles {
  const known = paths[index];
  if (known !== undefined) return known;
  const path = bytesToNibbles(encodeRlp(BigInt(index)));
  if (index < MAX_KEPT_PATHS) paths[index] = path;
  return path;
}

/** Writes the node of the entries between two places, whose paths are the same up to `depth`. */
function encodeNode(
  entries: readonly Entry[],
  from: number,
  to: number,
  depth: number,
  writer: RlpWriter,
): void {
  const first = (entries[from] as Entry).path;
  const mark = writer.mark;
  if (to - from === 1) {
    writer.bytes((entries[from] as Entry).value);
    writer.bytes(encodePath(first.subarray(depth), true));
    writer.list(mark);
    return;
  }
  const last = (entries[to - 1] as Entry).path;
  let end = depth;
  while (first[end] === last[end]) end++;
  if (end > depth) {
    writer.raw(refer(entries, from, to, end, writer));
    writer.bytes(encodePath(first.subarray(depth, end), false));
    writer.list(mark);
    return;
  }
  encodeBranch(entries, from, to, depth, writer);
}

/** No key is a prefix of another one: a branch has no value. */
function encodeBranch(
  entries: readonly Entry[],
  from: number,
  to: number,
  depth: number,
  writer: RlpWriter,
): void {
  const mark = writer.mark;
  writer.byte(0x80);
  let end = to;
  for (let nibble = 15; nibble >= 0; nibble--) {
    let start = end;
    while (start > from && (entries[start - 1] as Entry).path[depth] === nibble) start--;
    if (start === end) writer.byte(0x80);
    else writer.raw(refer(entries, start, end, depth + 1, writer));
    end = start;
  }
  writer.list(mark);
}

/** How a parent holds a node: its hash as a byte string, or the node itself where that is shorter. */
function refer(
  entries: readonly Entry[],
  from: number,
  to: number,
  depth: number,
  writer: RlpWriter,
): Uint8Array {
  const mark = writer.mark;
  encodeNode(entries, from, to, depth, writer);
  const encoded = writer.view(mark);
  if (encoded.length < HASH_LENGTH) return writer.take(mark);
  const reference = new Uint8Array(HASH_LENGTH + 1);
  reference[0] = 0x80 + HASH_LENGTH;
  reference.set(keccak256(encoded), 1);
  writer.rewind(mark);
  return reference;
}
