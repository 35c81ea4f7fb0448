import type { BlockReference } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import { blobBaseFeeOf } from '../transition/block-environment.ts';
import { rulesAt } from '../transition/rules.ts';

/** The block that provides the state, and whether the reference was `pending`. */
export type StatePosition = { readonly block: StoredHeader; readonly isPending: boolean };

/**
 * The blocks of a store by reference. The chain has no pending block and no finality of its own: `latest`, `safe` and
 * `finalized` are the head.
 */
export class StoredBlocks {
  readonly reader: ChainReader;
  #headOfTurn: StoredHeader | undefined;

  constructor(reader: ChainReader) {
    this.reader = reader;
  }

  /** Read once in a turn of the event loop: the items of a batch all see the same one. */
  get head(): StoredHeader {
    if (this.#headOfTurn === undefined) {
      this.#headOfTurn = this.reader.head;
      setImmediate(() => {
        this.#headOfTurn = undefined;
      });
    }
    return this.#headOfTurn;
  }

  /** The stored block that a reference names; undefined when there is none, as for `pending`. */
  find(block: BlockReference): StoredHeader | undefined {
    if (block.kind === 'number') return this.reader.getHeader(block.number);
    if (block.kind === 'hash') {
      const number = this.reader.getNumberByHash(hexToBytes(block.hash));
      return number === undefined ? undefined : this.reader.getHeader(number);
    }
    if (block.tag === 'pending') return undefined;
    return block.tag === 'earliest' ? this.reader.getHeader(0n) : this.head;
  }

  /** `pending` is the head here. @throws ChainError in geth's words when there is no such block */
  findState(block: BlockReference): StatePosition {
    const isPending = block.kind === 'tag' && block.tag === 'pending';
    const position = isPending ? this.head : this.find(block);
    if (position === undefined) throw new ChainError('failed', missingHeaderText(block));
    return { block: position, isPending };
  }

  /** RLP of a stored block's body. */
  getBody({ header }: Pick<StoredHeader, 'header'>): Uint8Array {
    return requirePart(this.reader.getBody(header.number));
  }

  /** Price of blob gas in a stored block, wei; 0 before Cancun. */
  getBlobGasPrice({ header }: Pick<StoredHeader, 'header'>): bigint {
    const { number, timestamp, difficulty } = header;
    const rules = rulesAt(this.reader.config, { number, timestamp, isMerged: difficulty === 0n });
    return blobBaseFeeOf(header, rules);
  }

  /** The receipts of a stored block as the store has them. */
  getReceipts({ header }: Pick<StoredHeader, 'header'>): Uint8Array {
    return requirePart(this.reader.getReceipts(header.number));
  }
}

export function requirePart<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the store lacks a part of a block that it has');
  return value;
}

/** geth's texts for calls at a block that is not there. */
function missingHeaderText(block: BlockReference): string {
  return block.kind === 'hash' ? 'header for hash not found' : 'header not found';
}
