/** Parameters and empty answers that the look-up methods for blocks and transactions share. */

import type { JsonResult, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockReference } from '../chain/requests.ts';
import type { Param } from '../rpc/method.ts';
import { boolean, hash32, integer64 } from '../rpc/schemas.ts';
import { anyBlock, anyBlockNumberOrTag } from './block-reference.ts';

/** Parameter that names a block by number or tag. */
export const NUMBER_PARAM: Param<BlockReference, true> = {
  name: 'block',
  description: 'The block.',
  required: true,
  codec: anyBlockNumberOrTag,
};

/** Parameter that names a block by number, tag or hash. */
export const ANY_BLOCK_PARAM: Param<BlockReference, true> = { ...NUMBER_PARAM, codec: anyBlock };

export const BLOCK_HASH_PARAM: Param<string, true> = {
  name: 'hash',
  description: 'Hash of the block.',
  required: true,
  codec: hash32,
};

export const TRANSACTION_HASH_PARAM: Param<string, true> = {
  ...BLOCK_HASH_PARAM,
  description: 'Hash of the transaction.',
};

export const INDEX_PARAM: Param<bigint, true> = {
  name: 'index',
  description: 'Position in the block.',
  required: true,
  codec: integer64,
};

/** Second parameter of the methods that return a block. */
export const FULL_PARAM: Param<boolean, true> = {
  name: 'full',
  description: 'Whether the result has whole transactions instead of hashes.',
  required: true,
  codec: boolean,
};

/** Returns a reference to the block with this hash; the block need not be canonical. */
export function blockOfHash(hash: string): BlockReference {
  return { kind: 'hash', hash, requireCanonical: false };
}

/** Answer for data that does not exist, as geth sends it. */
export const NO_BYTES: JsonText = '"0x"';

/** Returns `found`, or `otherwise` where `found` is null. */
export function orElse(
  found: PromiseOrValue<JsonResult | null>,
  otherwise: JsonText,
): PromiseOrValue<JsonResult> {
  return continueWith(found, (json) => json ?? otherwise);
}

/** Returns `found`, or JSON `null` where `found` is null. */
export function orNull(found: PromiseOrValue<JsonResult | null>): PromiseOrValue<JsonResult> {
  return orElse(found, 'null');
}
