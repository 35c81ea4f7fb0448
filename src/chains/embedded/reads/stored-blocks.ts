import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { blobBaseFeeOf } from '../../../../packages/evm/transition/block-environment.ts';
import { rulesOfHeader } from '../../../../packages/evm/transition/rules.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { BlockReference } from '../../../chain/requests.ts';
import { copyText } from '../../../util/copy-text.ts';
import { Lru } from '../../../util/lru.ts';
import type { ChainReader, StoredHeader } from '../store/chain-reader.ts';
import { BlockParts } from './block-parts.ts';

/** Cache limit for parts of blocks, bytes. */
const MAX_PARTS_BYTES = 16 * 1024 * 1024;
/** Cache limit for the JSON of receipts and logs, bytes. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/**
 * Maximum length of a cached text, UTF-16 units. A longer text is not cached, because encoding it again takes little time compared with sending it.
 */
const MAX_TEXT_LENGTH = 16 * 1024;

/** Stored block whose state a request uses, and whether the request named `pending`. */
export type StatePosition = { readonly block: StoredHeader; readonly isPending: boolean };

/** Finds stored blocks by reference. The chain has no pending block and no finality: `latest`, `safe` and `finalized` are the head. */
export class StoredBlocks {
  readonly reader: ChainReader;
  /** Parts of recently read blocks; stored blocks never change. */
  readonly #parts = new Lru<bigint, BlockParts>(
    MAX_PARTS_BYTES,
    Number.POSITIVE_INFINITY,
    () => 0,
    ({ weight }) => weight,
  );
  /** JSON by kind, block and index, cached because clients request the same receipts and logs of recent blocks. All texts are ASCII. */
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

  /** The head, read once per turn of the event loop, so that all items of a batch see the same head. */
  get head(): StoredHeader {
    if (this.#headOfTurn === undefined) {
      this.#headOfTurn = this.reader.head;
      setImmediate(() => {
        this.#headOfTurn = undefined;
      });
    }
    return this.#headOfTurn;
  }

  /** Returns the stored block that a reference names; undefined for `pending` or if the block is not stored. */
  find(block: BlockReference): StoredHeader | undefined {
    if (block.kind === 'number') return this.reader.getHeader(block.number);
    if (block.kind === 'hash') {
      const number = this.reader.getNumberByHash(hexToBytes(block.hash));
      return number === undefined ? undefined : this.reader.getHeader(number);
    }
    if (block.tag === 'pending') return undefined;
    return block.tag === 'earliest' ? this.reader.getHeader(0n) : this.head;
  }

  /**
   * Returns the block whose state is used for a reference; for `pending` it is the head.
   * @throws ChainError with geth's text when there is no such
   * block
   */
  findState(block: BlockReference): StatePosition {
    const isPending = block.kind === 'tag' && block.tag === 'pending';
    const position = isPending ? this.head : this.find(block);
    if (position === undefined) throw new ChainError('failed', missingHeaderText(block));
    return { block: position, isPending };
  }

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

  /** Returns the JSON of a receipt or log if it is cached (`keepText`). */
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

  /** Returns the blob gas price of a stored block, wei; 0 before Cancun. */
  getBlobGasPrice({ header }: Pick<StoredHeader, 'header'>): bigint {
    return blobBaseFeeOf(header, rulesOfHeader(this.reader.config, header));
  }
}

/** Returns the value. @throws Error when the value is undefined, because the store lacks a part of a stored block */
export function requirePart<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the store lacks a part of a stored block');
  return value;
}

/** Returns geth's error text for a call at a missing block. */
function missingHeaderText(block: BlockReference): string {
  return block.kind === 'hash' ? 'header for hash not found' : 'header not found';
}
