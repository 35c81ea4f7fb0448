import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../chain/errors.ts';
import type { FeedBlock } from './feed.ts';

const HASH = /^0x[0-9a-f]{64}$/;
const QUANTITY = /^0x[0-9a-f]{1,16}$/;

/** Hash and number that a header must have. */
export type ExpectedBlock = { readonly hash?: string; readonly number?: bigint };

/**
 * Parses the JSON text of a header object to a block.
 * @throws ChainError `unavailable` for an invalid header, or for the header of another block
 */
export function parseFeedHeader(header: JsonText, expected: ExpectedBlock): FeedBlock {
  const { number, hash, parentHash } = readMembers(header);
  if (
    typeof number !== 'string' ||
    typeof hash !== 'string' ||
    typeof parentHash !== 'string' ||
    !QUANTITY.test(number) ||
    !HASH.test(hash) ||
    !HASH.test(parentHash)
  ) {
    throw new ChainError('unavailable', 'a header lacks its number, hash or parent');
  }
  const block = { number: BigInt(number), hash, parentHash, header };
  if (
    (expected.hash !== undefined && expected.hash !== block.hash) ||
    (expected.number !== undefined && expected.number !== block.number)
  ) {
    throw new ChainError('unavailable', 'a header belongs to another block');
  }
  return block;
}

function readMembers(header: JsonText): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(header);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Malformed JSON throws the same error as a value that is not an object.
  }
  throw new ChainError('unavailable', 'a header is not a JSON object');
}
