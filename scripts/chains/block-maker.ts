import {
  type Block,
  unclesToRlp,
  type Withdrawal,
  withdrawalToRlp,
} from '../../packages/ethereum/codecs/block.ts';
import { type Header, hashHeader } from '../../packages/ethereum/codecs/header.ts';
import { encodeReceipt, type StoredReceipt } from '../../packages/ethereum/codecs/receipt.ts';
import { blobGasOf } from '../../packages/ethereum/codecs/transaction.ts';
import { mergeBloom } from '../../packages/ethereum/primitives/bloom.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../packages/ethereum/primitives/ordered-root.ts';
import { encodeRlp } from '../../packages/ethereum/primitives/rlp.ts';
import type { Evm } from '../../packages/evm/interpreter/evm.ts';
import type { StateChanges, StateReader } from '../../packages/evm/interpreter/host.ts';
import { environmentOf } from '../../packages/evm/transition/block-environment.ts';
import { type BlockResult, executeBlock } from '../../packages/evm/transition/execute-block.ts';
import type { Genesis } from '../../packages/evm/transition/genesis.ts';
import { type BlockRules, isMergedAfter, rulesAt } from '../../packages/evm/transition/rules.ts';
import { buildGenesisBlock, listGenesisState } from '../../src/chains/embedded/import/genesis-state.ts';
import { CommitterBlock } from '../../src/chains/embedded/state/committer-block.ts';
import { StateCommitter } from '../../src/chains/embedded/state/state-committer.ts';
import { EMPTY_SOURCE } from '../../src/chains/embedded/state/state-source.ts';
import type { ExecutedBlock } from '../../src/chains/embedded/store/chain-writer.ts';
import { createEvm } from '../../src/engine/create-evm.ts';
import { getCryptography } from '../../src/engine/node-cryptography.ts';
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
