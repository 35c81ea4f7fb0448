import { isTag } from '../chain/block-reference.ts';
import {
  type BlockReference,
  type CallRequest,
  type CallScope,
  type Chain,
  type HeaderView,
  UNSUPPORTED,
} from '../chain/chain.ts';
import type { ChainFigures } from '../observe/sources.ts';
import type { JsonResult, JsonStream, JsonText } from '../primitives/json-result.ts';
import type { BlockQuestions } from './block-questions.ts';
import type { CallQuestions } from './call-questions.ts';
import { toChainError } from './chain-errors.ts';
import { UpstreamFault } from './fault.ts';
import { followMoves, type Whereabouts } from './follow-moves.ts';
import type { OtherQuestions } from './other-questions.ts';

/** What an upstream chain is made of. */
export type UpstreamChainParts = {
  readonly chainId: bigint;
  readonly calls: CallQuestions;
  readonly blocks: BlockQuestions;
  readonly others: OtherQuestions;
  readonly where: Whereabouts;
  readonly isAnswerable: () => boolean;
  readonly describe: () => ChainFigures;
  readonly close: () => Promise<void>;
};

/** A chain that real nodes know: every operation becomes questions to the pool, every fault a ChainError. */
export class UpstreamChain implements Chain {
  readonly chainId: bigint;
  readonly #parts: UpstreamChainParts;

  constructor(parts: UpstreamChainParts) {
    this.chainId = parts.chainId;
    this.#parts = parts;
  }

  get isAnswerable(): boolean {
    return this.#parts.isAnswerable();
  }

  call(request: CallRequest, scope: CallScope): Promise<JsonResult> {
    return this.#answer(request.block, () => this.#parts.calls.call(request, scope)).then(translateFaults);
  }

  estimateGas(request: CallRequest, scope: CallScope): Promise<JsonText> {
    return this.#answer(request.block, () => this.#parts.calls.estimateGas(request, scope));
  }

  getBlockReceipts(block: BlockReference, scope: CallScope): Promise<JsonResult | null> {
    return this.#answer(block, () => this.#parts.blocks.getReceipts(block, scope)).then(translateFaults);
  }

  getTransactionByBlockAndIndex(
    block: BlockReference,
    index: bigint,
    scope: CallScope,
  ): Promise<JsonText | null> {
    return this.#answer(block, () => this.#parts.blocks.getTransaction(block, index, scope));
  }

  getUncleByBlockAndIndex(block: BlockReference, index: bigint, scope: CallScope): Promise<JsonText | null> {
    return this.#answer(block, () => this.#parts.blocks.getUncle(block, index, scope));
  }

  getHeader(block: BlockReference, scope: CallScope): Promise<HeaderView | null> {
    return this.#answer(block, () => this.#parts.blocks.getHeader(block, scope));
  }

  async request(
    method: string,
    params: readonly unknown[],
    scope: CallScope,
  ): Promise<JsonResult | typeof UNSUPPORTED> {
    const ask = (): Promise<JsonResult | typeof UNSUPPORTED> =>
      this.#parts.others.ask(method, params, scope).catch((error: unknown) => {
        if (error instanceof UpstreamFault && error.kind === 'unsupported') return UNSUPPORTED;
        throw error;
      });
    const answer = await followMoves(ask, params.some(isTag), this.#parts.where);
    return answer === UNSUPPORTED ? answer : translateFaults(answer);
  }

  /** What metrics and the status page show. */
  describe(): ChainFigures {
    return this.#parts.describe();
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  #answer<T>(block: BlockReference, ask: () => Promise<T>): Promise<T> {
    return followMoves(ask, block.kind === 'tag', this.#parts.where);
  }
}

/** A stream whose faults are ChainErrors. */
function translateFaults<T extends JsonResult | null>(result: T): T | JsonStream {
  if (result === null || typeof result === 'string') return result;
  return { pieces: readTranslated(result), cancel: () => result.cancel() };
}

async function* readTranslated(source: JsonStream): AsyncGenerator<Uint8Array> {
  try {
    yield* source.pieces;
  } catch (error) {
    throw toChainError(error);
  }
}
