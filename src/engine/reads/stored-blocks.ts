import { ChainError } from '../../chain/errors.ts';
import type { BlockReference } from '../../chain/requests.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import { copyText } from '../../util/copy-text.ts';
import { Lru } from '../../util/lru.ts';
import { blobBaseFeeOf } from '../transition/block-environment.ts';
import { rulesOfHeader } from '../transition/rules.ts';
import { BlockParts } from './block-parts.ts';

/** For the parts of blocks that are kept. */
const MAX_PARTS_BYTES = 16 * 1024 * 1024;
/** For the JSON of receipts and logs that is kept. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/** A longer text is not kept: of a receipt with so many logs, making it is little beside sending it. UTF-16 units. */
const MAX_TEXT_LENGTH = 16 * 1024;

/** The block that provides the state, and whether the reference was `pending`. */
export type StatePosition = { readonly block: StoredHeader; readonly isPending: boolean };

/**
 * The blocks of a store by reference. The chain has no pending block and no finality of its own: `latest`, `safe` and
 * `finalized` are the head.
 */
export class StoredBlocks {
  readonly reader: ChainReader;
  /** Of blocks that were read lately; blocks of a store never change. */
  readonly #parts = new Lru<bigint, BlockParts>(
    MAX_PARTS_BYTES,
    Number.POSITIVE_INFINITY,
    () => 0,
    ({ weight }) => weight,
  );
  /** By kind, block and index in it: clients ask for the same receipts and logs of recent blocks. All of it is ASCII. */
  readonly #texts = new Lru<string, JsonText>(
    MAX_TEXT_BYTES,
    Number.POSITIVE_INFINITY,
    () => 0,
    ({ length }) => length,
  );
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

  /** Body and receipts of a stored block. */
  getParts({ header: { number } }: Pick<StoredHeader, 'header'>): BlockParts {
    const known = this.#parts.get(number);
    if (known !== undefined) return known;
    const { reader } = this;
    const parts = new BlockParts(
      requirePart(reader.getBody(number)),
      requirePart(reader.getReceipts(number)),
    );
    this.#parts.set(number, parts);
    return parts;
  }

  /** The JSON of a receipt or log that was kept with `keepText`. */
  findText(
    kind: 'receipt' | 'log',
    { header: { number } }: StoredHeader,
    index: number,
  ): JsonText | undefined {
    return this.#texts.get(`${kind} ${number} ${index}`);
  }

  keepText(
    kind: 'receipt' | 'log',
    { header: { number } }: StoredHeader,
    index: number,
    text: JsonText,
  ): void {
    if (text.length <= MAX_TEXT_LENGTH) this.#texts.set(`${kind} ${number} ${index}`, copyText(text));
  }

  /** Price of blob gas in a stored block, wei; 0 before Cancun. */
  getBlobGasPrice({ header }: Pick<StoredHeader, 'header'>): bigint {
    return blobBaseFeeOf(header, rulesOfHeader(this.reader.config, header));
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
