import type { BlockReference, StateReads } from '../../chain/chain.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { createStateReader } from '../state/state-reader.ts';
import type { StoredBlocks } from './stored-blocks.ts';

/** Accounts at stored blocks. Without transactions that wait, `pending` is the head. */
export class EngineState implements StateReads {
  readonly #blocks: StoredBlocks;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  getTransactionCount(address: string, block: BlockReference): JsonText {
    const { block: position } = this.#blocks.findState(block);
    const state = createStateReader(this.#blocks.reader, position.header.number);
    return `"${encodeQuantity(state.getAccount(hexToBytes(address))?.nonce ?? 0n)}"`;
  }
}
