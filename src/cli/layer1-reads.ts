import type { BlockReads } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';

type Layer1 = { readonly blocks: Pick<BlockReads, 'getHeader'> };

/** Reads layer 1 and says in its errors that layer 1, not the rollup's nodes, is out of reach. */
export function readLayer1(layer1: Layer1 | Promise<Layer1>): Layer1['blocks'] {
  return {
    async getHeader(block, scope) {
      try {
        return await (await layer1).blocks.getHeader(block, scope);
      } catch (error) {
        // A refusal by a bound names the bound already.
        if (!(error instanceof ChainError) || error.kind === 'aborted' || error.kind === 'busy') throw error;
        throw new ChainError(error.kind, `layer 1 cannot be asked: ${error.message}`);
      }
    },
  };
}
