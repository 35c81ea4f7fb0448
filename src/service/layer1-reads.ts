import type { BlockReads } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';

type Layer1 = { readonly blocks: Pick<BlockReads, 'getHeader'> };

/** Wraps layer 1 so that its errors say that layer 1 is unreachable, not the rollup's nodes. */
export function readLayer1(layer1: Layer1 | Promise<Layer1>): Layer1['blocks'] {
  return {
    async getHeader(block, scope) {
      try {
        return await (await layer1).blocks.getHeader(block, scope);
      } catch (error) {
        // The error of a bound names the bound already.
        if (!(error instanceof ChainError) || error.kind === 'aborted' || error.kind === 'busy') throw error;
        throw new ChainError(error.kind, `layer 1 cannot be asked: ${error.message}`);
      }
    },
  };
}
