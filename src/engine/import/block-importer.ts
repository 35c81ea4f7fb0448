import { performance } from 'node:perf_hooks';
import { type Block, decodeBlock } from '../../chain/block.ts';
import type { Genesis } from '../../chain/genesis.ts';
import { hashHeader } from '../../chain/header.ts';
import { encodeReceipt } from '../../chain/receipt.ts';
import { mergeBloom } from '../../primitives/bloom.ts';
import { bytesEqual } from '../../primitives/bytes.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import { computeOrderedRoot } from '../../primitives/merkle-trie.ts';
import type { ChainReader } from '../../store/chain-reader.ts';
import type { ChainWriter, ExecutedBlock } from '../../store/chain-writer.ts';
import { Interpreters } from '../ethereumjs/interpreters.ts';
import { StateTrie } from '../state/state-trie.ts';
import { TrieStateView } from '../state/state-view.ts';
import { WorldState } from '../state/world-state.ts';
import { environmentOf } from '../transition/block-environment.ts';
import { type BlockResult, executeBlock } from '../transition/execute-block.ts';
import { type BlockRules, isMergedAfter, rulesAt } from '../transition/rules.ts';
import { TransactionError } from '../transition/transaction-error.ts';
import { BlockError } from './block-error.ts';
import { buildGenesisBlock } from './genesis-state.ts';
import { RecentBlocks } from './recent-blocks.ts';
import { StateBuffer } from './state-buffer.ts';
import { validateBody } from './validate-body.ts';
import { type ParentHeader, type SealCheck, validateHeader } from './validate-header.ts';
import { validateUncles } from './validate-uncles.ts';

/** What is committed at once; a process that dies loses at most this much work. */
const MAX_BATCH_BLOCKS = 512;
const MAX_BATCH_BYTES = 32 * 1024 * 1024;
const MAX_BATCH_MS = 500;

export type ImportOutcome = {
  /** `known`: the block is stored already. */
  readonly kind: 'imported' | 'known';
  readonly block: Block;
};

type Head = ParentHeader & { readonly totalDifficulty: bigint };

/**
 * Appends blocks to a store: validates, executes, checks every root, and commits in batches. A block that
 * fails is refused with a `BlockError`; what came before it stays, nothing after it is taken.
 */
export class BlockImporter {
  readonly #writer: ChainWriter;
  readonly #reader: ChainReader;
  readonly #seal: SealCheck;
  readonly #interpreters: Interpreters;
  readonly #buffer: StateBuffer;
  readonly #recent: RecentBlocks;
  #batch: ExecutedBlock[] = [];
  #batchBytes = 0;
  #lastCommit: number = performance.now();
  #head: Head;

  constructor(writer: ChainWriter, seal: SealCheck) {
    this.#writer = writer;
    this.#reader = writer.openReader();
    this.#seal = seal;
    this.#interpreters = new Interpreters(this.#reader.config.chainId);
    this.#buffer = createBuffer(this.#reader);
    this.#recent = new RecentBlocks(this.#reader);
    this.#head = this.#reader.head;
  }

  /** Number of the last block taken, committed or not. */
  get headNumber(): bigint {
    return this.#head.header.number;
  }

  get headHash(): string {
    return bytesToHex(this.#head.hash);
  }

  /** Takes one encoded block. @throws BlockError with the block's number and what is wrong. */
  async import(encoded: Uint8Array): Promise<ImportOutcome> {
    let block: Block;
    try {
      block = decodeBlock(encoded);
    } catch (error) {
      throw new BlockError(`after block ${this.headNumber}: ${(error as Error).message}`);
    }
    const { number } = block.header;
    try {
      const hash = hashHeader(block.header);
      if (number <= this.headNumber) return this.#checkKnown(block, hash);
      const executed = await this.#execute(block, hash);
      this.#append(executed, encoded.length);
      return { kind: 'imported', block };
    } catch (error) {
      if (!(error instanceof BlockError || error instanceof TransactionError)) throw error;
      throw new BlockError(`block ${number}: ${error.message}`);
    }
  }

  /** Writes everything taken so far. */
  commit(): void {
    this.#writer.append(this.#batch, this.#buffer.contents);
    this.#batch = [];
    this.#batchBytes = 0;
    this.#buffer.clear();
    this.#lastCommit = performance.now();
  }

  #checkKnown(block: Block, hash: Uint8Array): ImportOutcome {
    const { number } = block.header;
    const known = number === 0n ? this.#reader.getHeader(0n)?.hash : this.#recent.getHash(number);
    if (known === undefined || !bytesEqual(known, hash)) {
      const what = number === 0n ? 'is not the genesis block of this store' : 'differs from the stored block';
      throw new BlockError(`${bytesToHex(hash)} ${what}`);
    }
    return { kind: 'known', block };
  }

  #append(executed: ExecutedBlock, size: number): void {
    const { block, hash, totalDifficulty } = executed;
    this.#head = { header: block.header, hash, totalDifficulty };
    this.#recent.add(block, hash);
    this.#batch.push(executed);
    this.#batchBytes += size;
    const bytes = this.#batchBytes + this.#buffer.size;
    const age = performance.now() - this.#lastCommit;
    if (this.#batch.length >= MAX_BATCH_BLOCKS || bytes >= MAX_BATCH_BYTES || age >= MAX_BATCH_MS)
      this.commit();
  }

  async #execute(block: Block, hash: Uint8Array): Promise<ExecutedBlock> {
    const { header } = block;
    const parent = this.#head;
    const isMerged = isMergedAfter(this.#reader.config, parent.totalDifficulty);
    const rules = this.#rulesOf(header, isMerged);
    this.#validate(block, parent, rules);
    const world = new WorldState(
      new TrieStateView(parent.header.stateRoot, {
        loadNode: this.#buffer.loadNode,
        loadCode: this.#buffer.loadCode,
      }),
    );
    const trie = new StateTrie(parent.header.stateRoot, this.#buffer.loadNode, this.#buffer.storeNode);
    const result = await executeBlock(
      block,
      {
        world,
        interpreter: await this.#interpreters.get(rules.revision),
        block: environmentOf(header, rules, (number) => this.#recent.getHash(number)),
        rules,
      },
      header.number === this.#reader.config.daoForkBlock,
      () => {
        const root = trie.apply(world);
        this.#buffer.addCodes(world.codes);
        return root;
      },
    );
    checkResult(block, result);
    const totalDifficulty = parent.totalDifficulty + header.difficulty;
    return { block, hash, totalDifficulty, receipts: result.receipts };
  }

  #validate(block: Block, parent: Head, rules: BlockRules): void {
    const { daoForkBlock } = this.#reader.config;
    const seal = this.#seal;
    validateHeader(block.header, parent, { rules, seal, daoForkBlock });
    validateBody(block, rules);
    validateUncles(
      block,
      (number) => this.#recent.get(number),
      // An uncle stands at a height of its own and obeys the rules of that height.
      (uncle, uncleParent) =>
        validateHeader(uncle, uncleParent, { rules: this.#rulesOf(uncle, false), seal, daoForkBlock }),
    );
  }

  #rulesOf({ number, timestamp }: Block['header'], isMerged: boolean): BlockRules {
    return rulesAt(this.#reader.config, { number, timestamp, isMerged });
  }
}

function createBuffer(reader: ChainReader): StateBuffer {
  return new StateBuffer(
    (hash) => reader.getNode(hash),
    (hash) => reader.getCode(hash),
  );
}

/** Writes block 0 into an empty store, or checks that the store's block 0 is this one. */
export function initializeStore(writer: ChainWriter, genesis: Genesis, configText: string): void {
  const buffer = writer.isEmpty
    ? new StateBuffer(
        () => undefined,
        () => undefined,
      )
    : createBuffer(writer.openReader());
  const block = buildGenesisBlock(genesis, buffer);
  if (writer.isEmpty) {
    writer.initialize(configText, block, buffer.contents);
    return;
  }
  const stored = writer.openReader().getHeader(0n)?.hash;
  if (stored === undefined || !bytesEqual(stored, block.hash)) {
    throw new BlockError(
      `block 0: the store's genesis is ${bytesToHex(stored ?? new Uint8Array(0))}, this one is ${bytesToHex(block.hash)}`,
    );
  }
}

/** Compares what execution gave with what the header says. */
function checkResult({ header }: Block, result: BlockResult): void {
  const mismatch = (what: string, have: string, want: string): BlockError =>
    new BlockError(`${what} mismatch: computed ${have}, header has ${want}`);
  if (result.gasUsed !== header.gasUsed) {
    throw mismatch('gas used', result.gasUsed.toString(), header.gasUsed.toString());
  }
  const bloom = new Uint8Array(256);
  for (const { logsBloom } of result.receipts) mergeBloom(bloom, logsBloom);
  const hashes: readonly (readonly [string, Uint8Array, Uint8Array])[] = [
    ['receipts root', computeOrderedRoot(result.receipts.map(encodeReceipt)), header.receiptsRoot],
    ['logs bloom', bloom, header.logsBloom],
    ['requests hash', result.requestsHash ?? new Uint8Array(0), header.requestsHash ?? new Uint8Array(0)],
    ['state root', result.stateRoot, header.stateRoot],
  ];
  for (const [what, have, want] of hashes) {
    if (!bytesEqual(have, want)) throw mismatch(what, bytesToHex(have), bytesToHex(want));
  }
}
