import { encodeQuantity, parseQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference, BlockTag } from './requests.ts';

const TAGS: ReadonlySet<string> = new Set<BlockTag>(['latest', 'earliest', 'pending', 'safe', 'finalized']);

/** Returns whether a parameter is one of the block tags. */
export function isTag(value: unknown): value is BlockTag {
  return typeof value === 'string' && TAGS.has(value);
}

/** Encodes a block reference as a request parameter: tag, quantity or EIP-1898 object. */
export function encodeBlockReference(block: BlockReference): unknown {
  switch (block.kind) {
    case 'tag':
      return block.tag;
    case 'number':
      return encodeQuantity(block.number);
    case 'hash':
      return { blockHash: block.hash, requireCanonical: block.requireCanonical };
  }
}

/**
 * Inverse of `encodeBlockReference`, for parameters that were already checked.
 * @throws RangeError if the value is not a block reference
 */
export function decodeBlockReference(value: unknown): BlockReference {
  if (typeof value === 'string') {
    return TAGS.has(value)
      ? { kind: 'tag', tag: value as BlockTag }
      : { kind: 'number', number: parseQuantity(value, 64) };
  }
  const { blockHash, requireCanonical } = Object(value) as Record<string, unknown>;
  if (typeof blockHash !== 'string') throw new RangeError('not a block reference');
  return { kind: 'hash', hash: blockHash, requireCanonical: requireCanonical === true };
}
