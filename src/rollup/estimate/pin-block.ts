import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { encodeBlockReference } from '../../chain/block-reference.ts';
import type { Chain, HeaderView } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';

/** Block at which all parts of one result are read. */
export type EstimateBlock = {
  /** Reference to the block. A tag is replaced by a hash if possible, so that all requests read the same block. */
  readonly reference: BlockReference;
  /** Block parameter for methods in which many nodes reject a hash: a number or a tag, if possible. */
  readonly parameter: unknown;
  /** Resolves the header; called in the first round of requests. Rejects with ChainError if the block does not exist. */
  readonly findHeader: () => Promise<HeaderView>;
};

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

/**
 * Pins a reference to its current block. A tag has to be resolved first; a pool of nodes already knows the blocks of tags, and sends no request. A
 * number, a hash and `earliest` are used unchanged, and their headers are requested together with other data. The tag `pending` is also used
 * unchanged, because its block cannot be pinned.
 * @throws ChainError if the referenced block does not exist
 */
export async function pinBlock(
  chain: Chain,
  block: BlockReference,
  scope: RequestScope,
): Promise<EstimateBlock> {
  if (block.kind !== 'tag' || block.tag === 'earliest')
    return {
      reference: block,
      parameter: encodeBlockReference(block),
      findHeader: () => findHeader(chain, block, scope),
    };
  if (block.tag === 'pending') {
    return {
      reference: block,
      parameter: block.tag,
      findHeader: () => findPendingHeader(chain, block, scope),
    };
  }
  const header = await findHeader(chain, block, scope);
  const reference: BlockReference =
    header.hash === undefined ? block : { kind: 'hash', hash: header.hash, requireCanonical: false };
  return { reference, parameter: encodeQuantity(header.number), findHeader: async () => header };
}

/** Returns the pending header; if the chain builds no pending block, returns the latest header. */
async function findPendingHeader(
  chain: Chain,
  pending: BlockReference,
  scope: RequestScope,
): Promise<HeaderView> {
  return (await chain.blocks.getHeader(pending, scope)) ?? findHeader(chain, LATEST, scope);
}

async function findHeader(chain: Chain, block: BlockReference, scope: RequestScope): Promise<HeaderView> {
  const header = await chain.blocks.getHeader(block, scope);
  if (header === null) throw new ChainError('failed', 'header not found');
  return header;
}

/** Returns the base fee for a request in wei; undefined before London. */
export function findBaseFee(header: HeaderView, { blockOverrides }: CallRequest): bigint | undefined {
  const override = blockOverrides?.baseFeePerGas;
  return override === undefined ? header.baseFeePerGas : BigInt(override);
}
