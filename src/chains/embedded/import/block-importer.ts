import { performance } from 'node:perf_hooks';
import { type Block, decodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import { hashHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesEqual, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { Evm } from '../../../../packages/evm/interpreter/evm.ts';
import { StateLimitError } from '../../../../packages/evm/interpreter/world-state.ts';
import { environmentOf } from '../../../../packages/evm/transition/block-environment.ts';
import { BlockError, EvmMemoryError } from '../../../../packages/evm/transition/block-error.ts';
import { type BlockResult, executeBlock } from '../../../../packages/evm/transition/execute-block.ts';
import { type BlockRules, isMergedBlock, rulesAt } from '../../../../packages/evm/transition/rules.ts';
import { TransactionError } from '../../../../packages/evm/transition/transaction-error.ts';
import { createEvm } from '../../../engine/create-evm.ts';
import { getCryptography } from '../../../engine/node-cryptography.ts';
import { CommitterBlock } from '../state/committer-block.ts';
import { StateCommitter } from '../state/state-committer.ts';
import type { ChainReader } from '../store/chain-reader.ts';
import {
  type ChainWriter,
  type EncodedBlock,
  type ExecutedBlock,
  encodeExecutedBlock,
} from '../store/chain-writer.ts';
import { checkStateRoot, compareWithHeader } from './check-result.ts';
import { RecentBlocks } from './recent-blocks.ts';
import { validateBody } from './validate-body.ts';
import { type ParentHeader, type SealCheck, validateHeader, validateLink } from './validate-header.ts';
import { validateUncles } from './validate-uncles.ts';

/**
 * Checks of imported blocks. `full`: all checks, including the state root of every block. `header`: all checks, but only the state root of the last
 * block of each batch. `none`: only number and parent hash.
 */
export type ImportChecks = 'none' | 'header' | 'full';

/** Maximum number of blocks, bytes and milliseconds per commit; a process that dies loses at most the work of one batch. */
const MAX_BATCH_BLOCKS = 512;
const MAX_BATCH_BYTES = 32 * 1024 * 1024;
const MAX_BATCH_MS = 500;

export type ImportOutcome = {
  /** `known`: the block was imported before. */
  readonly kind: 'imported' | 'known';
  readonly block: Block;
};

type Head = ParentHeader & { readonly totalDifficulty: bigint };

/**
 * Appends blocks to a store. Validates and executes blocks, checks the results, and commits in batches. An invalid block is rejected with a
 * `BlockError`; the blocks before it are committed, and no block after it is imported.
 */
export class BlockImporter {
  readonly #writer: ChainWriter;
  readonly #reader: ChainReader;
  readonly #seal: SealCheck;
  readonly #verification: ImportChecks;
  readonly #evm: Evm;
  #state: StateCommitter;
  #recent: RecentBlocks;
  #batch: EncodedBlock[] = [];
  #batchBytes = 0;
  #lastCommit: number = performance.now();
  #head: Head;

  /**
   * @param evm EVM of a finished importer for reuse, because creating an EVM takes as long as importing a small block
   * @param memoryLimit memory limit for the call frames of one transaction, bytes; ignored if `evm` is present
   */
  constructor(
    writer: ChainWriter,
    seal: SealCheck,
    verification: ImportChecks = 'full',
    evm?: Evm,
    memoryLimit?: number,
  ) {
    this.#writer = writer;
    this.#reader = writer.openReader();
    this.#seal = seal;
    this.#verification = verification;
    this.#state = new StateCommitter(this.#reader);
    this.#evm = evm ?? createEvm(this.#state, memoryLimit);
    this.#evm.attach(this.#state);
    this.#recent = new RecentBlocks(this.#reader);
    this.#head = this.#reader.head;
  }

  /** Number of the last imported block, committed or not. */
  get headNumber(): bigint {
    return this.#head.header.number;
  }

  /** Returns whether all imported blocks are in the store. */
  get isCommitted(): boolean {
    return this.#batch.length === 0;
  }

  /** Number of the last block in the store. */
  get #committedHead(): bigint {
    const [first] = this.#batch;
    return first === undefined ? this.headNumber : first.number - 1n;
  }

  get headHash(): string {
    return bytesToHex(this.#head.hash);
  }

  /**
   * Imports one RLP-encoded block.
   * @throws BlockError with the violated rule and the block number; for a wrong state root with `header` checks, with the block numbers of the batch
   */
  import(encoded: Uint8Array): ImportOutcome {
    let block: Block;
    try {
      block = decodeBlock(encoded);
    } catch (error) {
      throw new BlockError(`after block ${this.headNumber}: ${(error as Error).message}`);
    }
    const { number } = block.header;
    const hash = hashHeader(block.header);
    let executed: ExecutedBlock;
    try {
      if (number <= 1n) this.#checkGenesis(block, hash);
      if (number <= this.headNumber) return this.#checkKnown(block, hash);
      executed = this.#executeOrDiscard(block, hash);
    } catch (error) {
      if (error instanceof StateLimitError) throw new EvmMemoryError(`block ${number}: ${error.message}`);
      if (!(error instanceof BlockError || error instanceof TransactionError)) throw error;
      // If another process has moved the head, `requireHead` throws its own error, because the block may be valid.
      this.#writer.requireHead(this.#committedHead);
      throw new BlockError(`block ${number}: ${error.message}`);
    }
    this.#append(executed);
    return { kind: 'imported', block };
  }

  /**
   * Commits all blocks imported since the last commit.
   * @throws BlockError if the checks are `header` and the state root differs from the last block's; the store is then unchanged
   */
  commit(): void {
    const [first] = this.#batch;
    if (first === undefined) return;
    if (this.#verification === 'header') this.#checkBatch(first.number);
    this.#writer.append(this.#batch, this.#state.collectBatch());
    this.#batch = [];
    this.#batchBytes = 0;
    this.#state.forgetBatch();
    this.#lastCommit = performance.now();
  }

  #checkBatch(first: bigint): void {
    const last = this.#head.header;
    try {
      checkStateRoot(last, this.#state.computeRoot());
    } catch (error) {
      this.#dropBatch();
      throw new BlockError(`blocks ${first} to ${last.number}: ${(error as Error).message}`);
    }
  }

  #dropBatch(): void {
    this.#batch = [];
    this.#batchBytes = 0;
    this.#state = new StateCommitter(this.#reader);
    this.#evm.attach(this.#state);
    this.#recent = new RecentBlocks(this.#reader);
    this.#head = this.#reader.head;
  }

  /** Checks that block 0, or the parent of block 1, is the store's genesis block. */
  #checkGenesis({ header }: Block, hash: Uint8Array): void {
    const wanted = header.number === 0n ? hash : header.parentHash;
    const genesis = this.#reader.getHeader(0n)?.hash ?? EMPTY_BYTES;
    if (bytesEqual(genesis, wanted)) return;
    const what = header.number === 0n ? 'this is' : 'this block follows';
    throw new BlockError(
      `wrong genesis: ${what} ${bytesToHex(wanted)}, the store's is ${bytesToHex(genesis)}`,
    );
  }

  #checkKnown(block: Block, hash: Uint8Array): ImportOutcome {
    const { number } = block.header;
    // `RecentBlocks` caches only the last 256 blocks. After this commit, all older blocks are in the store.
    this.commit();
    const known = number === 0n ? hash : this.#recent.getHash(number);
    if (known === undefined || !bytesEqual(known, hash)) {
      const stored = known === undefined ? '' : `, which is ${bytesToHex(known)}`;
      throw new BlockError(`${bytesToHex(hash)} differs from the stored block${stored}`);
    }
    return { kind: 'known', block };
  }

  #append(executed: ExecutedBlock): void {
    const { block, hash, totalDifficulty } = executed;
    this.#head = { header: block.header, hash, totalDifficulty };
    this.#recent.add(block, hash);
    const encoded = encodeExecutedBlock(executed);
    this.#batch.push(encoded);
    const { header, body, receipts, accessList } = encoded;
    this.#batchBytes += header.length + body.length + receipts.length + (accessList?.length ?? 0);
    const bytes = this.#batchBytes + this.#state.size;
    const age = performance.now() - this.#lastCommit;
    if (this.#batch.length >= MAX_BATCH_BLOCKS || bytes >= MAX_BATCH_BYTES || age >= MAX_BATCH_MS)
      this.commit();
  }

  #executeOrDiscard(block: Block, hash: Uint8Array): ExecutedBlock {
    try {
      const executed = this.#execute(block, hash);
      this.#state.sealBlock(block.header.number);
      return executed;
    } catch (error) {
      this.#state.discardBlock();
      this.#evm.forget();
      throw error;
    }
  }

  #execute(block: Block, hash: Uint8Array): ExecutedBlock {
    const { header } = block;
    const parent = this.#head;
    const isMerged = isMergedBlock(this.#reader.config, parent.totalDifficulty, header);
    const rules = this.#rulesOf(header, isMerged);
    if (this.#verification === 'none') validateLink(header, parent);
    else this.#validate(block, parent, rules);
    const result = this.#run(block, rules);
    if (this.#verification !== 'none') compareWithHeader(block, result, rules);
    if (this.#verification === 'full') checkStateRoot(header, this.#state.computeRoot());
    const totalDifficulty = parent.totalDifficulty + header.difficulty;
    const { receipts, accessList } = result;
    return { block, hash, totalDifficulty, receipts, accessList: accessList?.encoded };
  }

  #run(block: Block, rules: BlockRules): BlockResult {
    const { header } = block;
    const evm = this.#evm;
    const environment = environmentOf(header, rules, (number) => this.#recent.getHash(number));
    return executeBlock(
      block,
      { evm, block: environment, rules, recoverPublicKey: getCryptography().recoverPublicKey },
      header.number === this.#reader.config.daoForkBlock,
      new CommitterBlock(this.#state, header.number),
    );
  }

  #validate(block: Block, parent: Head, rules: BlockRules): void {
    const { daoForkBlock } = this.#reader.config;
    const seal = this.#seal;
    validateHeader(block.header, parent, { rules, seal, daoForkBlock });
    validateBody(block, rules);
    validateUncles(
      block,
      (number) => this.#recent.get(number),
      // The fork rules at the uncle's own height apply to its header.
      (uncle, uncleParent) =>
        validateHeader(uncle, uncleParent, { rules: this.#rulesOf(uncle, false), seal, daoForkBlock }),
    );
  }

  #rulesOf({ number, timestamp }: Block['header'], isMerged: boolean): BlockRules {
    return rulesAt(this.#reader.config, { number, timestamp, isMerged });
  }
}
