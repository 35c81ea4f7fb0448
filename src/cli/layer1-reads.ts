import type { BlockReads } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';

type Layer1 = { readonly blocks: Pick<BlockReads, 'getHeader'> };

/** Reads of layer 1, whose outages say that they are not of the rollup's own nodes. */
export function readLayer1(layer1: Layer1 | Promise<Layer1>): Layer1['blocks'] {
  return {
    async getHeader(block, scope) {
      try {
        return await (await layer1).blocks.getHeader(block, scope);
      } catch (error) {
        // What a bound refuses names the bound, whichever nodes it is about.
        if (!(error instanceof ChainError) || error.kind === 'aborted' || error.kind === 'busy') throw error;
        throw new ChainError(error.kind, `layer 1 cannot be asked: ${error.message}`);
      }
    },
  };
}
