import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import {
  continueWith,
  type PromiseOrValue,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { blobBaseFeeOf } from '../../../../packages/evm/transition/block-environment.ts';
import { isMergedPast, rulesAt } from '../../../../packages/evm/transition/rules.ts';
import type { FeeReads } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import { quantity } from '../../../chain/json-values.ts';
import type { BlockReference, FeeHistoryRequest } from '../../../chain/requests.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import { nextBaseFee } from '../import/validate-header.ts';
import { buildPendingHeader } from '../simulation/pending-header.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { NO_TIPS, TipReader } from './block-tips.ts';
import { type FeeBlock, FeeHistory, findRewards } from './fee-history.ts';
import { joinParts } from './join-parts.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';
import { TipOracle } from './tip-oracle.ts';

/** Approximate size of one reward in an `eth_feeHistory` answer, including its share of the other members, bytes. */
const REWARD_BYTES = 16;

/** Gas prices and fee history at the head of the store. Reading many blocks runs in scheduler slots of the request's owner. */
export class EngineFees implements FeeReads {
  readonly #blocks: StoredBlocks;
  readonly #tips: TipReader;
  readonly #oracle: TipOracle;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
    this.#tips = new TipReader(blocks);
    this.#oracle = new TipOracle(blocks, this.#tips);
  }

  getGasPrice(scope: RequestScope): PromiseOrValue<JsonText> {
    const { head } = this.#blocks;
    return continueWith(this.suggestTip(scope, head), (tip) =>
      quantity(tip + (head.header.baseFeePerGas ?? 0n)),
    );
  }

  getPriorityFee(scope: RequestScope): PromiseOrValue<JsonText> {
    return continueWith(this.suggestTip(scope), quantity);
  }

  getFeeHistory(request: FeeHistoryRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    const { newest } = request;
    const isPending = newest.kind === 'tag' && newest.tag === 'pending';
    const block = isPending ? this.#buildPending() : this.#findBlock(newest);
    return this.#run(this.#collectHistory(block, isPending, request), scope);
  }

  getBaseFee(): JsonText {
    const { head, reader } = this.#blocks;
    const { header } = head;
    const { config } = reader;
    const { number, timestamp } = header;
    const isMerged = isMergedPast(config, head);
    const baseFee = nextBaseFee(header, rulesAt(config, { number: number + 1n, timestamp, isMerged }));
    return baseFee === undefined ? 'null' : quantity(baseFee);
  }

  getBlobBaseFee(): JsonText {
    const { header, isMerged } = describe(this.#blocks.head.header);
    if (header.excessBlobGas === undefined) return 'null';
    const { number, timestamp } = header;
    return quantity(
      blobBaseFeeOf(header, rulesAt(this.#blocks.reader.config, { number, timestamp, isMerged })),
    );
  }

  /** Returns a priority fee that recent blocks accepted, wei per gas. */
  suggestTip(scope: RequestScope, head: StoredHeader = this.#blocks.head): PromiseOrValue<bigint> {
    return this.#oracle.findKnown(head) ?? this.#run(this.#oracle.suggest(head), scope);
  }

  #run<T>(work: Generator<undefined, T>, scope: RequestScope): PromiseOrValue<T> {
    return SCHEDULER.run(scope.owner ?? '', stopWhenAborted(work, scope));
  }

  /** Builds the block after the head, without transactions. */
  #buildPending(): FeeBlock {
    const { head, reader } = this.#blocks;
    const header = buildPendingHeader(head, reader.config);
    const blobs = header.excessBlobGas === undefined ? undefined : { blobGasUsed: 0n };
    return describe({ ...header, gasUsed: 0n, ...blobs });
  }

  #findBlock(reference: BlockReference): FeeBlock {
    const { number: head } = this.#blocks.head.header;
    if (reference.kind === 'number' && reference.number > head) {
      throw new ChainError(
        'failed',
        `request beyond head block: requested ${reference.number}, head ${head}`,
      );
    }
    const stored = this.#blocks.find(reference);
    if (stored === undefined) throw new ChainError('failed', 'header not found');
    return describe(stored.header);
  }

  *#collectHistory(
    newest: FeeBlock,
    isPending: boolean,
    { blockCount, percentiles }: FeeHistoryRequest,
  ): Generator<undefined, JsonResult> {
    const { reader } = this.#blocks;
    const last = newest.header.number;
    const count = last + 1n < blockCount ? Number(last + 1n) : blockCount;
    const history = new FeeHistory(reader.config);
    for (let number = last + 1n - BigInt(count); number <= last; number++) {
      const isNewest = number === last;
      const block = isNewest ? newest : describe(requirePart(reader.getHeader(number)).header);
      const { header } = block;
      if (percentiles.length === 0) history.add(block, undefined);
      else {
        const tips = isNewest && isPending ? NO_TIPS : yield* this.#tips.read(header);
        history.add(block, findRewards(tips, header.gasUsed, percentiles));
      }
      yield;
    }
    return joinParts(history.encode(), count * (percentiles.length + 4) * REWARD_BYTES);
  }
}

/**
 * Describes a block for the fee history. As in geth, the header decides whether the block is after the merge. A block with blob gas fields also
 * counts as after the merge: a genesis block with Cancun may have a difficulty.
 */
function describe(header: Header): FeeBlock {
  return { header, isMerged: header.difficulty === 0n || header.excessBlobGas !== undefined };
}

/** Runs the work. If the caller disconnects, stops the work at its next pause. @throws ChainError `aborted` */
function* stopWhenAborted<T>(work: Generator<undefined, T>, scope: RequestScope): Generator<undefined, T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (scope.aborted) throw new ChainError('aborted', 'the caller has cancelled the request');
    yield;
  }
}
