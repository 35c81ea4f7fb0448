import { encodeBlockReference } from '../../chain/block-reference.ts';
import type { Chain, HeaderView } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, CallRequest } from '../../chain/requests.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import type { RequestScope } from '../../util/request-scope.ts';

/** One block for everything that an answer is made of. */
export type PinnedBlock = {
  /** Goes on meaning the same block. */
  readonly reference: BlockReference;
  /** The same as a parameter for methods of which many nodes take no hash: a number or a tag where it can be. */
  readonly parameter: unknown;
  /** To be called with the first questions. Rejects with ChainError when there is no such block. */
  readonly findHeader: () => Promise<HeaderView>;
};

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

/**
 * Pins what a reference means now. What a tag means has to be known first (pools know it without asking); a number, a
 * hash and the first block are pinned as they are, and their headers may come together with what is asked about them.
 * So may the pending one's, which nothing can pin.
 */
export async function pinBlock(
  chain: Chain,
  block: BlockReference,
  scope: RequestScope,
): Promise<PinnedBlock> {
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

/** A chain that builds no pending block is priced on its latest one. */
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

/** The base fee that counts for a request; undefined before London. */
export function findBaseFee(header: HeaderView, { blockOverrides }: CallRequest): bigint | undefined {
  const override = blockOverrides?.baseFeePerGas;
  return override === undefined ? header.baseFeePerGas : BigInt(override);
}
