import type { Block } from '../../../../packages/ethereum/codecs/block.ts';
import { hashHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { BlockError } from '../../../../packages/evm/transition/block-error.ts';
import type { ParentHeader } from './validate-header.ts';

const MAX_UNCLES = 2;
const MAX_DEPTH = 7n;

/** A recent block of the same chain: its header and the hashes of its uncles. */
export type Ancestor = ParentHeader & { readonly uncleHashes: readonly string[] };

/**
 * Checks the uncles of a proof-of-work block (yellow paper 11.1). A block has at most two uncles. Each uncle must be a valid child of an ancestor
 * within seven generations. An uncle must not be an ancestor itself or an uncle of an earlier block.
 * @param getAncestor returns the block at a height on this block's own chain; undefined below genesis
 * @param validate checks an uncle's header against its parent
 * @throws BlockError naming the uncle
 */
export function validateUncles(
  block: Block,
  getAncestor: (number: bigint) => Ancestor | undefined,
  validate: (uncle: Block['header'], parent: ParentHeader) => void,
): void {
  const { header, uncles } = block;
  if (uncles.length === 0) return;
  if (uncles.length > MAX_UNCLES) throw new BlockError(`${uncles.length} uncles, max ${MAX_UNCLES}`);
  const ancestors = new Map<string, Ancestor>();
  const counted = new Set<string>();
  for (let depth = 1n; depth <= MAX_DEPTH && depth <= header.number; depth++) {
    const ancestor = getAncestor(header.number - depth);
    if (ancestor === undefined) break;
    ancestors.set(bytesToHex(ancestor.hash), ancestor);
    for (const hash of ancestor.uncleHashes) counted.add(hash);
  }
  uncles.forEach((uncle, index) => {
    const hash = bytesToHex(hashHeader(uncle));
    if (counted.has(hash)) throw new BlockError(`uncle ${index} was included before`);
    counted.add(hash);
    if (ancestors.has(hash)) throw new BlockError(`uncle ${index} is an ancestor`);
    const parentHash = bytesToHex(uncle.parentHash);
    const parent = ancestors.get(parentHash);
    if (parent === undefined || parentHash === bytesToHex(header.parentHash)) {
      throw new BlockError(`the parent of uncle ${index} is not an ancestor of this block`);
    }
    try {
      validate(uncle, parent);
    } catch (error) {
      throw new BlockError(`uncle ${index}: ${(error as Error).message}`);
    }
  });
}
