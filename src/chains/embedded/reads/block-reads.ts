import {
  decodeBody,
  decodeUncleAt,
  joinBlock,
  splitTransactions,
  splitUncles,
} from '../../../../packages/ethereum/codecs/block.ts';
import { decodeBlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { encodeHeader, type Header } from '../../../../packages/ethereum/codecs/header.ts';
import { decodeStoredReceipts, encodeReceipt } from '../../../../packages/ethereum/codecs/receipt.ts';
import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodeHexData, toHexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { EMPTY_LIST_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { encodeBlockAccessListJson } from '../../../chain/block-access-list-json.ts';
import {
  encodeBlockJson,
  encodeHeaderJson,
  encodePendingBlockJson,
  encodeUncleJson,
} from '../../../chain/block-json.ts';
import type { BlockReads, HeaderView } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { AccessListForm, BlockReference, RawPart } from '../../../chain/requests.ts';
import { encodeReceipts } from '../../../chain/wire-json.ts';
import { buildPendingHeader } from '../simulation/pending-header.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { joinParts } from './join-parts.ts';
import { buildPendingBlock } from './pending-block.ts';
import type { StoredBlocks } from './stored-blocks.ts';

const EMPTY_LIST = Uint8Array.of(0xc0);

/** Reads of stored blocks. The pending block is the block after the head, with no transactions. */
export class EngineBlocks implements BlockReads {
  readonly #blocks: StoredBlocks;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  getHeader(block: BlockReference): HeaderView | null {
    if (isPending(block)) return viewOf(buildPendingHeader(this.#blocks.head, this.#blocks.reader.config));
    const position = this.#blocks.find(block);
    return position === undefined ? null : { ...viewOf(position.header), hash: position.hashText };
  }

  getBlock(block: BlockReference, hasTransactions: boolean): JsonResult | null {
    if (isPending(block)) {
      const pending = buildPendingBlock(this.#blocks.head, this.#blocks.reader.config);
      return encodePendingBlockJson(pending.header, pending.body);
    }
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const { header, hashText } = position;
    const { body, storedReceipts: receipts } = this.#blocks.getParts(position);
    const parts = encodeBlockJson({ header, hash: hashText, body, receipts }, hasTransactions);
    return joinParts(parts, body.length + receipts.length);
  }

  getHeaderObject(block: BlockReference): JsonText | null {
    const position = this.#blocks.find(block);
    return position === undefined ? null : encodeHeaderJson(position.header, position.hashText);
  }

  findHeaderObject(hash: string): JsonText | null {
    return this.getHeaderObject({ kind: 'hash', hash, requireCanonical: false });
  }

  countTransactions(block: BlockReference): JsonText | null {
    return this.#count(block, splitTransactions);
  }

  countUncles(block: BlockReference): JsonText | null {
    return this.#count(block, splitUncles);
  }

  getUncle(block: BlockReference, index: bigint): JsonText | null {
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const uncle = decodeUncleAt(this.#blocks.getParts(position).body, index);
    return uncle === undefined ? null : encodeUncleJson(uncle);
  }

  getReceipts(block: BlockReference): JsonResult | null {
    if (isPending(block)) return '[]';
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const { body, storedReceipts: stored } = this.#blocks.getParts(position);
    const { transactions } = decodeBody(body);
    const receipts = decodeStoredReceipts(stored);
    const place = { header: position.header, hash: position.hashText };
    const parts = encodeReceipts(transactions, receipts, place, this.#blocks.getBlobGasPrice(position));
    return joinParts(parts, body.length + stored.length);
  }

  getRaw(block: BlockReference, part: RawPart): JsonResult | null {
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    switch (part) {
      case 'header':
        return encodeHexData(toHexData(encodeHeader(position.header)));
      case 'block':
        return encodeHexData(toHexData(joinBlock(position.header, this.#blocks.getParts(position).body)));
      case 'receipts': {
        const { storedReceipts: stored } = this.#blocks.getParts(position);
        return joinParts(encodeRawReceipts(stored), stored.length);
      }
    }
  }

  /** Returns a block's access list. @throws ChainError `absent` for a block before Amsterdam, `pruned` when the list is no longer stored */
  getAccessList(block: BlockReference, form: AccessListForm): JsonResult | null {
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const { blockAccessListHash: hash } = position.header;
    if (hash === undefined) throw new ChainError('absent', 'the block has no access list');
    // A genesis block with Amsterdam has an empty access list, which is not stored.
    const isEmpty = bytesEqual(hash, EMPTY_LIST_HASH);
    const encoded = isEmpty ? EMPTY_LIST : this.#blocks.reader.getAccessList(position.header.number);
    if (encoded === undefined) throw new ChainError('pruned', 'the access list of the block is not stored');
    if (form === 'raw') return encodeHexData(toHexData(encoded));
    return joinParts(encodeBlockAccessListJson(decodeBlockAccessList(encoded)), encoded.length);
  }

  /** Counts the items of a block's body. @param split lists the items to count in an encoded body: transactions or uncles */
  #count(block: BlockReference, split: (body: Uint8Array) => readonly Uint8Array[]): JsonText | null {
    if (isPending(block)) return '"0x0"';
    const position: StoredHeader | undefined = this.#blocks.find(block);
    if (position === undefined) return null;
    return `"${encodeQuantity(split(this.#blocks.getParts(position).body).length)}"`;
  }
}

function isPending(block: BlockReference): boolean {
  return block.kind === 'tag' && block.tag === 'pending';
}

function* encodeRawReceipts(stored: Uint8Array): Generator<string> {
  yield '[';
  for (const [index, receipt] of decodeStoredReceipts(stored).entries()) {
    yield `${index === 0 ? '' : ','}"${bytesToHex(encodeReceipt(receipt))}"`;
  }
  yield ']';
}

function viewOf({ number, timestamp, gasLimit, baseFeePerGas, extraData }: Header): HeaderView {
  return {
    number,
    timestamp,
    gasLimit,
    extraData: bytesToHex(extraData),
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
  };
}
