import type { JsonResult, JsonStream, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockReads, StateReads } from '../../chain/chain.ts';
import type { BlockReference, TransactionReference } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { AccountRequests } from './account-requests.ts';
import type { BlockRequests } from './block-requests.ts';
import type { ReportedPlace } from './checks/check-parts.ts';
import { followMoves, type Whereabouts } from './follow-moves.ts';
import type { TransactionRequests } from './transaction-requests.ts';
import { translateFaults } from './translate-faults.ts';

export type NodeAnswersParts = {
  readonly blocks: BlockRequests;
  readonly transactions: TransactionRequests;
  readonly state: AccountRequests;
  readonly where: Whereabouts;
};

/** Reads of transactions that nodes answer. */
export type TransactionAnswers = {
  getTransaction(transaction: TransactionReference, scope: RequestScope): Promise<JsonText | null>;
  getRawTransaction(transaction: TransactionReference, scope: RequestScope): Promise<JsonText | null>;
  getReceipt(hash: string, scope: RequestScope): ReturnType<TransactionRequests['getReceipt']>;
  /** Returns the place in a served block at which the last answer found the transaction. */
  findPlace(hash: string): ReportedPlace | undefined;
};

/**
 * Reads of blocks, transactions and state that nodes answer. A read is repeated after a reorg, and faults become ChainErrors. Transactions that were
 * sent here and are not in a block have no effect on these reads.
 */
export class NodeAnswers {
  readonly blocks: BlockReads;
  readonly transactions: TransactionAnswers;
  readonly state: StateReads;

  constructor({ blocks, transactions, state, where }: NodeAnswersParts) {
    const answer = <T>(block: BlockReference, ask: () => PromiseOrValue<T>): PromiseOrValue<T> =>
      followMoves(ask, block.kind === 'tag', where, passOn);
    const answerPieces = <T extends JsonResult | null>(
      block: BlockReference,
      ask: () => PromiseOrValue<T>,
    ): PromiseOrValue<T | JsonStream> => followMoves(ask, block.kind === 'tag', where, translateFaults<T>);
    // A new head may contain the transaction in another block, even if the request contains no tag.
    const answerAbout = <T>(transaction: TransactionReference, ask: () => Promise<T>): Promise<T> =>
      followMoves(ask, 'hash' in transaction || transaction.block.kind === 'tag', where, passOn);
    this.blocks = {
      getHeader: (block, scope) => answer(block, () => blocks.getHeader(block, scope)),
      getBlock: (block, hasTransactions, scope) =>
        answerPieces(block, () => blocks.getBlock(block, hasTransactions, scope)),
      getHeaderObject: (block, scope) => answer(block, () => blocks.getHeaderObject(block, scope)),
      findHeaderObject: (hash, scope) =>
        followMoves(() => blocks.findHeaderObject(hash, scope), false, where, passOn),
      countTransactions: (block, scope) => answer(block, () => blocks.countTransactions(block, scope)),
      countUncles: (block, scope) => answer(block, () => blocks.countUncles(block, scope)),
      getUncle: (block, index, scope) => answer(block, () => blocks.getUncle(block, index, scope)),
      getReceipts: (block, scope) => answerPieces(block, () => blocks.getReceipts(block, scope)),
      getRaw: (block, part, scope) => answerPieces(block, () => blocks.getRaw(block, part, scope)),
      getAccessList: (block, form, scope) => answer(block, () => blocks.getAccessList(block, form, scope)),
    };
    this.transactions = {
      getTransaction: (transaction, scope) =>
        answerAbout(transaction, () => transactions.getTransaction(transaction, scope)),
      getRawTransaction: (transaction, scope) =>
        answerAbout(transaction, () => transactions.getRawTransaction(transaction, scope)),
      getReceipt: (hash, scope) => answerAbout({ hash }, () => transactions.getReceipt(hash, scope)),
      findPlace: (hash) => transactions.findPlace(hash),
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
  }
}

function passOn<T>(answer: T): T {
  return answer;
}
