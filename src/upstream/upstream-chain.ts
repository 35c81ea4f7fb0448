import { isTag } from '../chain/block-reference.ts';
import {
  type BlockReads,
  type BlockReference,
  type Chain,
  type Executions,
  type LogReads,
  type StateReads,
  type TransactionReads,
  UNSUPPORTED,
} from '../chain/chain.ts';
import type { ChainFigures } from '../observe/sources.ts';
import type { JsonResult, JsonStream } from '../primitives/json-result.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { BlockQuestions } from './block-questions.ts';
import type { CallQuestions } from './call-questions.ts';
import { toChainError } from './chain-errors.ts';
import { UpstreamFault } from './fault.ts';
import { followMoves, type Whereabouts } from './follow-moves.ts';
import type { LogQuestions } from './log-questions.ts';
import type { OtherQuestions } from './other-questions.ts';

/** What an upstream chain is made of. */
export type UpstreamChainParts = {
  readonly chainId: bigint;
  readonly calls: CallQuestions;
  readonly blocks: BlockQuestions;
  readonly logs: LogQuestions;
  readonly others: OtherQuestions;
  readonly where: Whereabouts;
  readonly isAnswerable: () => boolean;
  readonly describe: () => ChainFigures;
  readonly close: () => Promise<void>;
};

/** A reader whose answers always have to be waited for. */
type Promised<T> = {
  readonly [K in keyof T]: T[K] extends (...parameters: infer P) => infer R
    ? (...parameters: P) => Promise<Awaited<R>>
    : never;
};

/** A chain that real nodes know: every operation becomes questions to the pool, every fault a ChainError. */
export class UpstreamChain implements Chain {
  readonly chainId: bigint;
  readonly blocks: Promised<BlockReads>;
  readonly transactions: Promised<TransactionReads>;
  readonly logs: Promised<LogReads>;
  readonly state: Promised<StateReads>;
  readonly execution: Promised<Executions>;
  readonly #parts: UpstreamChainParts;

  constructor(parts: UpstreamChainParts) {
    const { blocks, calls, logs, others, where } = parts;
    this.chainId = parts.chainId;
    this.#parts = parts;
    const answer = <T>(block: BlockReference, ask: () => Promise<T>): Promise<T> =>
      followMoves(ask, block.kind === 'tag', where);
    this.blocks = {
      getHeader: (block, scope) => answer(block, () => blocks.getHeader(block, scope)),
      getBlock: (block, hasTransactions, scope) =>
        answer(block, () => others.getBlock(block, hasTransactions, scope)).then(translateFaults),
      getUncle: (block, index, scope) => answer(block, () => blocks.getUncle(block, index, scope)),
      getReceipts: (block, scope) =>
        answer(block, () => blocks.getReceipts(block, scope)).then(translateFaults),
    };
    this.transactions = {
      getTransaction: ({ block, index }, scope) =>
        answer(block, () => blocks.getTransaction(block, index, scope)),
    };
    this.logs = {
      getLogs: (filter, scope) =>
        followMoves(() => logs.getLogs(filter, scope), filter.blocks.kind === 'range', where).then(
          translateFaults,
        ),
    };
    this.state = {
      getTransactionCount: (address, block, scope) =>
        answer(block, () => others.getTransactionCount(address, block, scope)),
    };
    this.execution = {
      call: (request, scope) => answer(request.block, () => calls.call(request, scope)).then(translateFaults),
      estimateGas: (request, scope) => answer(request.block, () => calls.estimateGas(request, scope)),
    };
  }

  get isAnswerable(): boolean {
    return this.#parts.isAnswerable();
  }

  async request(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
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
