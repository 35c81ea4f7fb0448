import { type Block, unclesToRlp, type Withdrawal, withdrawalToRlp } from '../../src/chain/block.ts';
import type { Genesis } from '../../src/chain/genesis.ts';
import { type Header, hashHeader } from '../../src/chain/header.ts';
import { encodeReceipt, type StoredReceipt } from '../../src/chain/receipt.ts';
import { blobGasOf } from '../../src/chain/transaction.ts';
import { buildGenesisBlock, listGenesisState } from '../../src/chains/embedded/import/genesis-state.ts';
import { CommitterBlock } from '../../src/chains/embedded/state/committer-block.ts';
import { StateCommitter } from '../../src/chains/embedded/state/state-committer.ts';
import { EMPTY_SOURCE } from '../../src/chains/embedded/state/state-source.ts';
import type { ExecutedBlock } from '../../src/chains/embedded/store/chain-writer.ts';
import { createEvm } from '../../src/engine/create-evm.ts';
import { getCryptography } from '../../src/engine/cryptography/create-cryptography.ts';
import { environmentOf } from '../../src/engine/transition/block-environment.ts';
import { type BlockResult, executeBlock } from '../../src/engine/transition/execute-block.ts';
import { type BlockRules, isMergedAfter, rulesAt } from '../../src/engine/transition/rules.ts';
import type { Evm } from '../../src/evm/evm.ts';
import type { StateChanges, StateReader } from '../../src/evm/host.ts';
import { mergeBloom } from '../../src/primitives/bloom.ts';
import { bytesToHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { computeOrderedRoot } from '../../src/primitives/ordered-root.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import { draftHeader, type HeaderChoices } from './draft-header.ts';

/** Contents of a block; withdrawals are ignored before Shanghai. */
export type BlockContents = Pick<Block, 'transactions' | 'uncles'> & {
  readonly withdrawals: readonly Withdrawal[];
};

/** A block and its state changes. */
type MadeBlock = {
  readonly parent: MadeBlock | undefined;
  readonly number: bigint;
  readonly changes: readonly StateChanges[];
};

/** Makes valid blocks in memory: executes their contents and fills in their headers. */
export class BlockMaker {
  readonly genesisBlock: ExecutedBlock;
  readonly #genesis: Genesis;
  readonly #evm: Evm;
  readonly #hashAt: (number: bigint) => Uint8Array;
  /** State after the head. */
  #state = new StateCommitter(EMPTY_SOURCE);
  /** Blocks of every branch by hash. */
  readonly #made = new Map<string, MadeBlock>();
  #head: MadeBlock;

  /** @param hashAt returns the hash of an earlier block on the branch of the block that is being made */
  constructor(genesis: Genesis, hashAt: (number: bigint) => Uint8Array) {
    this.#genesis = genesis;
    this.#hashAt = hashAt;
    this.#evm = createEvm(this.#state);
    this.genesisBlock = buildGenesisBlock(genesis, this.#state);
    this.#head = { parent: undefined, number: 0n, changes: [listGenesisState(genesis)] };
    this.#made.set(bytesToHex(this.genesisBlock.hash), this.#head);
  }

  rulesAfter({ block, totalDifficulty }: ExecutedBlock, timestamp: bigint): BlockRules {
    const { config } = this.#genesis;
    const isMerged = isMergedAfter(config, totalDifficulty);
    return rulesAt(config, { number: block.header.number + 1n, timestamp, isMerged });
  }

  get headState(): StateReader {
    return this.#state;
  }

  /** Makes an existing block the head, on whichever branch it is. */
  moveHead({ hash }: ExecutedBlock): void {
    this.#head = this.#find(hash);
    this.#state = rebuildState(this.#head);
  }

  /**
   * Makes the block after `parent`. If that is the head, the new block becomes it.
   * @throws Error when a transaction may not be executed
   */
  make(
    parent: ExecutedBlock,
    choices: HeaderChoices,
    { transactions, uncles, withdrawals }: BlockContents,
  ): ExecutedBlock {
    const rules = this.rulesAfter(parent, choices.timestamp);
    const { hasWithdrawals } = rules.revision;
    const draft = draftHeader(parent, choices, rules);
    const body = { transactions, uncles, ...(hasWithdrawals && { withdrawals }) };
    const below = this.#find(parent.hash);
    const isHead = below === this.#head;
    const state = isHead ? this.#state : rebuildState(below);
    const changes: StateChanges[] = [];
    const result = this.#execute({ header: draft, ...body }, rules, state, changes);
    const header: Header = {
      ...draft,
      ommersHash: keccak256(encodeRlp(unclesToRlp(uncles))),
      transactionsRoot: computeOrderedRoot(transactions.map(({ encoded }) => encoded)),
      receiptsRoot: computeOrderedRoot(result.receipts.map(encodeReceipt)),
      logsBloom: joinBlooms(result.receipts),
      stateRoot: state.computeRoot(),
      gasUsed: result.gasUsed,
      ...(hasWithdrawals && {
        withdrawalsRoot: computeOrderedRoot(withdrawals.map((item) => encodeRlp(withdrawalToRlp(item)))),
      }),
      ...(rules.blobs !== undefined && {
        blobGasUsed: transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n),
      }),
      ...(result.requestsHash !== undefined && { requestsHash: result.requestsHash }),
      ...(result.accessList !== undefined && { blockAccessListHash: keccak256(result.accessList.encoded) }),
    };
    state.sealBlock(header.number);
    const hash = hashHeader(header);
    const made = { parent: below, number: header.number, changes };
    this.#made.set(bytesToHex(hash), made);
    if (isHead) this.#head = made;
    return {
      block: { header, ...body },
      hash,
      totalDifficulty: parent.totalDifficulty + header.difficulty,
      receipts: result.receipts,
      accessList: result.accessList?.encoded,
    };
  }

  #find(hash: Uint8Array): MadeBlock {
    const found = this.#made.get(bytesToHex(hash));
    if (found === undefined) throw new RangeError(`block ${bytesToHex(hash)} was not made here`);
    return found;
  }

  #execute(block: Block, rules: BlockRules, state: StateCommitter, changes: StateChanges[]): BlockResult {
    const { header } = block;
    const evm = this.#evm;
    evm.attach(state);
    const environment = environmentOf(header, rules, this.#hashAt);
    const isDaoFork = header.number === this.#genesis.config.daoForkBlock;
    try {
      const { recoverPublicKey } = getCryptography();
      const context = { evm, block: environment, rules, recoverPublicKey };
      const onApplied = (change: StateChanges): number => changes.push(change);
      return executeBlock(block, context, isDaoFork, new CommitterBlock(state, header.number, onApplied));
    } catch (error) {
      state.discardBlock();
      evm.forget();
      throw error;
    }
  }
}

/** Rebuilds the state after a block from its changes and those of all blocks below it. */
function rebuildState(block: MadeBlock): StateCommitter {
  const path: MadeBlock[] = [];
  for (let at: MadeBlock | undefined = block; at !== undefined; at = at.parent) path.push(at);
  const state = new StateCommitter(EMPTY_SOURCE);
  for (const { number, changes } of path.reverse()) {
    for (const change of changes) state.apply(change, number);
    state.sealBlock(number);
  }
  return state;
}

function joinBlooms(receipts: readonly StoredReceipt[]): Uint8Array {
  const bloom = new Uint8Array(256);
  for (const { logsBloom } of receipts) mergeBloom(bloom, logsBloom);
  return bloom;
}
