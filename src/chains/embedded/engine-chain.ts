import type { ChainConfig } from '../../../packages/ethereum/codecs/chain-config.ts';
import type { Chain } from '../../chain/chain.ts';
import { UNSUPPORTED } from '../../chain/errors.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits } from '../../chain/log-range.ts';
import type { ChainFigures } from '../../observe/sources.ts';
import { EngineExecutions } from './execution/engine-executions.ts';
import type { ExecutionPool } from './execution/execution-pool.ts';
import { DEFAULT_PROOF_BLOCKS } from './options.ts';
import { EngineBlocks } from './reads/block-reads.ts';
import { EngineFees } from './reads/fee-reads.ts';
import { EngineHeads } from './reads/head-reads.ts';
import { EngineLogs } from './reads/log-reads.ts';
import { EngineNode } from './reads/node-reads.ts';
import { EngineState } from './reads/state-reads.ts';
import { StoredBlocks } from './reads/stored-blocks.ts';
import { EngineTransactions } from './reads/transaction-reads.ts';
import { openChainReader } from './store/chain-reader.ts';

export type EngineChainOptions = {
  /** Number of blocks below the head for which proofs are available. */
  readonly proofBlocks?: number;
  /** Limits of one `eth_getLogs` request: blocks of its range, logs and bytes of its answer. */
  readonly logs?: LogLimits;
};

/** The embedded chain: reads are served from stored blocks, and calls execute on their state. */
export class EngineChain implements Chain {
  /** Always true: a store that has no head cannot be opened. */
  readonly isAnswerable: boolean = true;
  readonly blocks: EngineBlocks;
  readonly transactions: EngineTransactions;
  readonly logs: EngineLogs;
  readonly state: EngineState;
  readonly execution: EngineExecutions;
  readonly fees: EngineFees;
  readonly node: EngineNode;
  readonly heads: EngineHeads;
  readonly #stored: StoredBlocks;

  constructor(
    store: string,
    pool: ExecutionPool,
    { proofBlocks = DEFAULT_PROOF_BLOCKS, logs = DEFAULT_LOG_LIMITS }: EngineChainOptions = {},
  ) {
    const reader = openChainReader(store);
    if (!reader.isIndexed) {
      void reader.close();
      throw new Error(`the store in ${store} has no indexes: open it once with write access`);
    }
    this.#stored = new StoredBlocks(reader);
    this.blocks = new EngineBlocks(this.#stored);
    this.transactions = new EngineTransactions(this.#stored);
    this.logs = new EngineLogs(this.#stored, logs);
    this.state = new EngineState(this.#stored, proofBlocks);
    this.fees = new EngineFees(this.#stored);
    this.execution = new EngineExecutions(this.#stored, store, pool, (scope) => this.fees.suggestTip(scope));
    this.node = new EngineNode(this.#stored, proofBlocks);
    this.heads = new EngineHeads(this.#stored);
  }

  get config(): ChainConfig {
    return this.#stored.reader.config;
  }

  get chainId(): bigint {
    return this.#stored.reader.config.chainId;
  }

  /** Returns `UNSUPPORTED`, because an embedded chain has no node to which it could forward a request. */
  request(): typeof UNSUPPORTED {
    return UNSUPPORTED;
  }

  /** Returns the figures for metrics and the status page. */
  describe(): ChainFigures {
    const { header, hashText } = this.#stored.reader.head;
    const { number, timestamp } = header;
    const head = { number: Number(number), hash: hashText, timestamp: Number(timestamp) * 1_000 };
    // Every stored block is served as finalized.
    return { chainId: `${this.chainId}`, head, safe: head.number, finalized: head.number, upstreams: [] };
  }

  async close(): Promise<void> {
    this.heads.close();
    await this.#stored.reader.close();
  }
}
