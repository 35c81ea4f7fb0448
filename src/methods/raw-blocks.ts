/** Blocks in their network encoding, and geth's answers where there is none. */

import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockReference, RawPart } from '../chain/requests.ts';
import { RpcError } from '../rpc/errors.ts';
import { blockOfHash, NO_BYTES, orElse } from './lookups.ts';
import type { MethodContext } from './method-context.ts';

/**
 * Returns a block or its header as RLP.
 * @throws RpcError for an unknown hash in geth's words, which show its bytes as numbers, and for the pending block
 */
export function getRawBytes(
  block: BlockReference,
  part: Exclude<RawPart, 'receipts'>,
  context: MethodContext,
): PromiseOrValue<JsonResult> {
  return continueWith(read(block, part, context), (found) => {
    if (found !== null) return found;
    if (block.kind === 'hash') {
      throw new RpcError('serverError', `${part} #[${hexToBytes(block.hash).join(' ')}] not found`);
    }
    // geth builds a pending block and then fails to find its hash in the database.
    if (block.kind === 'tag' && block.tag === 'pending') {
      throw new RpcError('serverError', 'pending block is not available');
    }
    return NO_BYTES;
  });
}

/** Returns the receipts of a block, each encoded. */
export function getRawReceipts(block: BlockReference, context: MethodContext): PromiseOrValue<JsonResult> {
  const isEmpty = block.kind === 'hash' || (block.kind === 'tag' && block.tag === 'pending');
  return orElse(read(block, 'receipts', context), isEmpty ? '[]' : 'null');
}

/** Reads by hash without a canonicity check, as geth does. */
function read(
  block: BlockReference,
  part: RawPart,
  { network, scope }: MethodContext,
): PromiseOrValue<JsonResult | null> {
  const reference = block.kind === 'hash' ? blockOfHash(block.hash) : block;
  return network.chain.blocks.getRaw(reference, part, scope);
}
