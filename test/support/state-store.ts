/** A store that is filled with states directly, without execution. */
import { type Header, hashHeader } from '../../packages/ethereum/codecs/header.ts';
import { EMPTY_BYTES } from '../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../packages/ethereum/primitives/keccak.ts';
import type { StateChanges } from '../../packages/evm/interpreter/host.ts';
import { StateCommitter } from '../../src/chains/embedded/state/state-committer.ts';
import { EMPTY_SOURCE } from '../../src/chains/embedded/state/state-source.ts';
import type { ChainReader } from '../../src/chains/embedded/store/chain-reader.ts';
import {
  ChainWriter,
  type ExecutedBlock,
  encodeExecutedBlock,
} from '../../src/chains/embedded/store/chain-writer.ts';
import { openStore, type Tables } from '../../src/chains/embedded/store/schema.ts';

const CONFIG = JSON.stringify({ chainId: 1337 });

/** Creates a block that has only its number and its state root. */
function createBlock(number: bigint, stateRoot: Uint8Array): ExecutedBlock {
  const header: Header = {
    parentHash: new Uint8Array(32),
    ommersHash: EMPTY_LIST_HASH,
    beneficiary: new Uint8Array(20),
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: number,
    extraData: EMPTY_BYTES,
    mixHash: new Uint8Array(32),
    nonce: new Uint8Array(8),
  };
  const block = { header, transactions: [], uncles: [] };
  return { block, hash: hashHeader(header), totalDifficulty: 0n, receipts: [] };
}

/** Writes states block after block; uncommitted ones are in memory only. */
export class StateStore {
  readonly tables: Tables;
  readonly writer: ChainWriter;
  readonly reader: ChainReader;
  state: StateCommitter;
  #blocks: ExecutedBlock[] = [];
  #number = 0n;

  /** Block 0 has no state. */
  constructor(path: string) {
    const store = openStore(path, false);
    this.tables = store.tables;
    this.writer = new ChainWriter(store);
    this.writer.initialize(
      CONFIG,
      createBlock(0n, EMPTY_TRIE_ROOT),
      new StateCommitter(EMPTY_SOURCE).collectBatch(),
    );
    this.reader = this.writer.openReader();
    this.state = new StateCommitter(this.reader);
  }

  /** Number of the next block. */
  get number(): bigint {
    return this.#number + 1n;
  }

  apply(changes: StateChanges): void {
    this.state.apply(changes, this.number);
  }

  seal(stateRoot: Uint8Array = EMPTY_TRIE_ROOT): void {
    this.state.sealBlock(this.number);
    this.#blocks.push(createBlock(this.number, stateRoot));
    this.#number++;
  }

  commit(): void {
    this.writer.append(this.#blocks.map(encodeExecutedBlock), this.state.collectBatch());
    this.state.forgetBatch();
    this.#blocks = [];
  }

  /** Drops uncommitted state, as the restart of a process does. */
  reopenState(): void {
    this.state = new StateCommitter(this.reader);
  }

  close(): Promise<void> {
    return this.writer.close();
  }
}
