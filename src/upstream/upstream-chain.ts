import { isTag } from '../chain/block-reference.ts';
import {
  type BlockReads,
  type BlockReference,
  type Chain,
  type Executions,
  type FeeReads,
  type LogReads,
  type NodeReads,
  type StateReads,
  type TransactionReads,
  type TransactionReference,
  UNSUPPORTED,
} from '../chain/chain.ts';
import type { ChainFigures } from '../observe/sources.ts';
import type { JsonResult, JsonStream } from '../primitives/json-result.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { BlockQuestions } from './block-questions.ts';
import type { CallQuestions } from './call-questions.ts';
import { toChainError } from './chain-errors.ts';
import { UpstreamFault } from './fault.ts';
import type { FeeQuestions } from './fee-questions.ts';
import { followMoves, type Whereabouts } from './follow-moves.ts';
import type { LogQuestions } from './log-questions.ts';
import type { OtherQuestions } from './other-questions.ts';
import type { StateQuestions } from './state-questions.ts';
import type { StatusQuestions } from './status-questions.ts';
import type { TransactionQuestions } from './transaction-questions.ts';

/** What an upstream chain is made of. */
export type UpstreamChainParts = {
  readonly chainId: bigint;
  readonly calls: CallQuestions;
  readonly blocks: BlockQuestions;
  readonly transactions: TransactionQuestions;
  readonly logs: LogQuestions;
  readonly others: OtherQuestions;
  readonly state: StateQuestions;
  readonly fees: FeeQuestions;
  readonly status: StatusQuestions;
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
  readonly fees: Promised<FeeReads>;
  readonly node: Promised<NodeReads>;
  readonly #parts: UpstreamChainParts;

  constructor(parts: UpstreamChainParts) {
    const { blocks, transactions, calls, logs, state, fees, status, where } = parts;
    this.chainId = parts.chainId;
    this.#parts = parts;
    const answer = <T>(block: BlockReference, ask: () => Promise<T>): Promise<T> =>
      followMoves(ask, block.kind === 'tag', where);
    // Where a transaction is may change with the head, whatever it was called by.
    const answerAbout = <T>(transaction: TransactionReference, ask: () => Promise<T>): Promise<T> =>
      followMoves(ask, 'hash' in transaction || transaction.block.kind === 'tag', where);
    this.blocks = {
      getHeader: (block, scope) => answer(block, () => blocks.getHeader(block, scope)),
      getBlock: (block, hasTransactions, scope) =>
        answer(block, () => blocks.getBlock(block, hasTransactions, scope)).then(translateFaults),
      getHeaderObject: (block, scope) => answer(block, () => blocks.getHeaderObject(block, scope)),
      countTransactions: (block, scope) => answer(block, () => blocks.countTransactions(block, scope)),
      countUncles: (block, scope) => answer(block, () => blocks.countUncles(block, scope)),
      getUncle: (block, index, scope) => answer(block, () => blocks.getUncle(block, index, scope)),
      getReceipts: (block, scope) =>
        answer(block, () => blocks.getReceipts(block, scope)).then(translateFaults),
      getRaw: (block, part, scope) =>
        answer(block, () => blocks.getRaw(block, part, scope)).then(translateFaults),
    };
    this.transactions = {
      getTransaction: (transaction, scope) =>
        answerAbout(transaction, () => transactions.getTransaction(transaction, scope)),
      getRawTransaction: (transaction, scope) =>
        answerAbout(transaction, () => transactions.getRawTransaction(transaction, scope)),
      getReceipt: (hash, scope) => answerAbout({ hash }, () => transactions.getReceipt(hash, scope)),
    };
    this.logs = {
      getLogs: (filter, scope) =>
        followMoves(() => logs.getLogs(filter, scope), filter.blocks.kind === 'range', where).then(
          translateFaults,
        ),
    };
    this.state = {
      getBalance: (address, block, scope) => answer(block, () => state.getBalance(address, block, scope)),
      getCode: (address, block, scope) => answer(block, () => state.getCode(address, block, scope)),
      getTransactionCount: (address, block, scope) =>
        answer(block, () => state.getTransactionCount(address, block, scope)),
      getStorageAt: (address, slot, block, scope) =>
        answer(block, () => state.getStorageAt(address, slot, block, scope)),
      getStorageValues: (requests, block, scope) =>
        answer(block, () => state.getStorageValues(requests, block, scope)),
      getProof: (address, slots, block, scope) =>
        answer(block, () => state.getProof(address, slots, block, scope)),
    };
    this.execution = {
      call: (request, scope) => answer(request.block, () => calls.call(request, scope)).then(translateFaults),
      estimateGas: (request, scope) => answer(request.block, () => calls.estimateGas(request, scope)),
      createAccessList: (request, scope) =>
        answer(request.block, () => calls.createAccessList(request, scope)).then(translateFaults),
      simulate: (request, scope) =>
        answer(request.block, () => calls.simulate(request, scope)).then(translateFaults),
    };
    const answerAtHead = <T>(ask: () => Promise<T>): Promise<T> => followMoves(ask, true, where);
    this.fees = {
      getGasPrice: (scope) => answerAtHead(() => fees.getGasPrice(scope)),
      getPriorityFee: (scope) => answerAtHead(() => fees.getPriorityFee(scope)),
      getFeeHistory: (request, scope) => answer(request.newest, () => fees.getFeeHistory(request, scope)),
      getBaseFee: (scope) => answerAtHead(() => fees.getBaseFee(scope)),
      getBlobBaseFee: (scope) => answerAtHead(() => fees.getBlobBaseFee(scope)),
    };
    this.node = {
      getSyncing: (scope) => answerAtHead(() => status.getSyncing(scope)),
      getConfig: (scope) => answerAtHead(() => status.getConfig(scope)),
      getCapabilities: (scope) => answerAtHead(() => status.getCapabilities(scope)),
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
