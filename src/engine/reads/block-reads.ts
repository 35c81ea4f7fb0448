import { decodeBody, decodeUncleAt } from '../../chain/block.ts';
import { encodeBlockJson, encodeUncleJson } from '../../chain/block-json.ts';
import type { BlockReads, BlockReference, HeaderView } from '../../chain/chain.ts';
import type { Header } from '../../chain/header.ts';
import { decodeStoredReceipts } from '../../chain/receipt.ts';
import { encodeReceipts } from '../../chain/wire-json.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import type { StoredHeader } from '../../store/chain-reader.ts';
import { buildPendingHeader } from '../simulation/pending-header.ts';
import { blobBaseFeeOf } from '../transition/block-environment.ts';
import { rulesAt } from '../transition/rules.ts';
import { joinParts } from './join-parts.ts';
import type { StoredBlocks } from './stored-blocks.ts';

/** Blocks of the store. */
export class EngineBlocks implements BlockReads {
  readonly #blocks: StoredBlocks;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  getHeader(block: BlockReference): HeaderView | null {
    if (block.kind === 'tag' && block.tag === 'pending') {
      return viewOf(buildPendingHeader(this.#blocks.head, this.#blocks.reader.config));
    }
    const position = this.#blocks.find(block);
    return position === undefined ? null : { ...viewOf(position.header), hash: position.hashText };
  }

  getBlock(block: BlockReference, hasTransactions: boolean): JsonText | null {
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const { header, hashText } = position;
    const body = decodeBody(this.#blocks.getBody(position));
    const receipts = decodeStoredReceipts(this.#blocks.getReceipts(position));
    return encodeBlockJson({ header, ...body }, hashText, receipts, hasTransactions);
  }

  getUncle(block: BlockReference, index: bigint): JsonText | null {
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const uncle = decodeUncleAt(this.#blocks.getBody(position), index);
    return uncle === undefined ? null : encodeUncleJson(uncle);
  }

  getReceipts(block: BlockReference): JsonResult | null {
    // The block that comes next has no transactions: none wait.
    if (block.kind === 'tag' && block.tag === 'pending') return '[]';
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const body = this.#blocks.getBody(position);
    const stored = this.#blocks.getReceipts(position);
    const { transactions } = decodeBody(body);
    const receipts = decodeStoredReceipts(stored);
    const place = { header: position.header, hash: position.hashText };
    const parts = encodeReceipts(transactions, receipts, place, this.#blobGasPrice(position));
    return joinParts(parts[Symbol.iterator](), body.length + stored.length);
  }

  #blobGasPrice({ header }: StoredHeader): bigint {
    const { number, timestamp, difficulty } = header;
    const rules = rulesAt(this.#blocks.reader.config, { number, timestamp, isMerged: difficulty === 0n });
    return blobBaseFeeOf(header, rules);
  }
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
