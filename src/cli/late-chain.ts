import type { BlockReads, BlockReference, Chain, HeaderView } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** A chain that opens in its own time, and tries again when it is asked: nothing else waits for it, or fails with it. */
export class LateChain implements Pick<BlockReads, 'getHeader'>, Pick<Chain, 'close'> {
  readonly #open: () => Promise<Chain>;
  #opening: Promise<Chain> | undefined;
  #opened: Chain | undefined;
  #isClosed = false;

  /** @param open is called at once, and again after a failure */
  constructor(open: () => Promise<Chain>) {
    this.#open = open;
    this.#find().catch(() => {});
  }

  /** @throws ChainError `unavailable` as long as it cannot be opened */
  async getHeader(block: BlockReference, scope: RequestScope): Promise<HeaderView | null> {
    let chain: Chain;
    try {
      chain = await this.#find();
    } catch {
      throw new ChainError('unavailable', 'layer 1 cannot be asked');
    }
    return chain.blocks.getHeader(block, scope);
  }

  /** What is still opening is closed when it is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened?.close();
  }

  #find(): Promise<Chain> {
    this.#opening ??= this.#try();
    return this.#opening;
  }

  async #try(): Promise<Chain> {
    try {
      const chain = await this.#open();
      if (this.#isClosed) await chain.close();
      else this.#opened = chain;
      return chain;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }
}
