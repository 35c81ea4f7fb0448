/** Blocks in their network encoding (RLP), and geth's answers for blocks that do not exist. */

import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockReference, RawPart } from '../chain/requests.ts';
import { RpcError } from '../rpc/errors.ts';
import { blockOfHash, NO_BYTES, orElse } from './lookups.ts';
import type { MethodContext } from './method-context.ts';

/**
 * Returns a block or its header as RLP.
 * @throws RpcError for the pending block, and for an unknown hash. As in geth, the message shows the bytes of the hash as decimal numbers.
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
    // geth builds a pending block, and then fails because the database does not contain its hash.
    if (block.kind === 'tag' && block.tag === 'pending') {
      throw new RpcError('serverError', 'pending block is not available');
    }
    return NO_BYTES;
  });
}

/** Returns the receipts of a block, each in its network encoding. */
export function getRawReceipts(block: BlockReference, context: MethodContext): PromiseOrValue<JsonResult> {
  const isEmpty = block.kind === 'hash' || (block.kind === 'tag' && block.tag === 'pending');
  return orElse(read(block, 'receipts', context), isEmpty ? '[]' : 'null');
}

/** Reads a block. As in geth, a block that the client names by hash need not be canonical. */
function read(
  block: BlockReference,
  part: RawPart,
  { network, scope }: MethodContext,
): PromiseOrValue<JsonResult | null> {
  const reference = block.kind === 'hash' ? blockOfHash(block.hash) : block;
  return network.chain.blocks.getRaw(reference, part, scope);
}
