import { type Block, unclesToRlp, type Withdrawal, withdrawalToRlp } from '../../src/chain/block.ts';
import type { Genesis } from '../../src/chain/genesis.ts';
import { type Header, hashHeader } from '../../src/chain/header.ts';
import { encodeReceipt, type StoredReceipt } from '../../src/chain/receipt.ts';
import { blobGasOf } from '../../src/chain/transaction.ts';
import { Interpreters } from '../../src/engine/ethereumjs/interpreters.ts';
import { buildGenesisBlock } from '../../src/engine/import/genesis-state.ts';
import { StateBuffer } from '../../src/engine/import/state-buffer.ts';
import { StateTrie } from '../../src/engine/state/state-trie.ts';
import { TrieStateView } from '../../src/engine/state/state-view.ts';
import { WorldState } from '../../src/engine/state/world-state.ts';
import { environmentOf } from '../../src/engine/transition/block-environment.ts';
import { type BlockResult, executeBlock } from '../../src/engine/transition/execute-block.ts';
import { type BlockRules, isMergedAfter, rulesAt } from '../../src/engine/transition/rules.ts';
import { isAtLeast } from '../../src/evm/revision.ts';
import { mergeBloom } from '../../src/primitives/bloom.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { computeOrderedRoot } from '../../src/primitives/merkle-trie.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import type { ExecutedBlock } from '../../src/store/chain-writer.ts';
import { draftHeader, type HeaderChoices } from './draft-header.ts';

/** Withdrawals count since Shanghai only. */
export type BlockContents = Pick<Block, 'transactions' | 'uncles'> & {
  readonly withdrawals: readonly Withdrawal[];
};

/** Makes valid blocks in memory: executes what they contain and fills in their headers. */
export class BlockMaker {
  readonly genesisBlock: ExecutedBlock;
  readonly #genesis: Genesis;
  readonly #interpreters: Interpreters;
  readonly #hashAt: (number: bigint) => Uint8Array;
  readonly #buffer: StateBuffer = new StateBuffer(
    () => undefined,
    () => undefined,
  );

  /** @param hashAt hash of a block that was made before, on the chain that is being made */
  constructor(genesis: Genesis, hashAt: (number: bigint) => Uint8Array) {
    this.#genesis = genesis;
    this.#hashAt = hashAt;
    this.#interpreters = new Interpreters(genesis.config.chainId);
    this.genesisBlock = buildGenesisBlock(genesis, this.#buffer);
  }

  rulesAfter({ block, totalDifficulty }: ExecutedBlock, timestamp: bigint): BlockRules {
    const { config } = this.#genesis;
    const isMerged = isMergedAfter(config, totalDifficulty);
    return rulesAt(config, { number: block.header.number + 1n, timestamp, isMerged });
  }

  viewAfter({ block }: ExecutedBlock): TrieStateView {
    return new TrieStateView(block.header.stateRoot, this.#buffer);
  }

  /** @throws Error when a transaction may not be executed */
  async make(
    parent: ExecutedBlock,
    choices: HeaderChoices,
    { transactions, uncles, withdrawals }: BlockContents,
  ): Promise<ExecutedBlock> {
    const rules = this.rulesAfter(parent, choices.timestamp);
    const hasWithdrawals = isAtLeast(rules.revision, 'shanghai');
    const draft = draftHeader(parent, choices, rules);
    const body = { transactions, uncles, ...(hasWithdrawals && { withdrawals }) };
    const result = await this.#execute(parent, { header: draft, ...body }, rules);
    const header: Header = {
      ...draft,
      ommersHash: keccak256(encodeRlp(unclesToRlp(uncles))),
      transactionsRoot: computeOrderedRoot(transactions.map(({ encoded }) => encoded)),
      receiptsRoot: computeOrderedRoot(result.receipts.map(encodeReceipt)),
      logsBloom: joinBlooms(result.receipts),
      stateRoot: result.stateRoot,
      gasUsed: result.gasUsed,
      ...(hasWithdrawals && {
        withdrawalsRoot: computeOrderedRoot(withdrawals.map((item) => encodeRlp(withdrawalToRlp(item)))),
      }),
      ...(rules.blobs !== undefined && {
        blobGasUsed: transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n),
      }),
      ...(result.requestsHash !== undefined && { requestsHash: result.requestsHash }),
    };
    return {
      block: { header, ...body },
      hash: hashHeader(header),
      totalDifficulty: parent.totalDifficulty + header.difficulty,
      receipts: result.receipts,
    };
  }

  async #execute(parent: ExecutedBlock, block: Block, rules: BlockRules): Promise<BlockResult> {
    const { header } = block;
    const world = new WorldState(this.viewAfter(parent));
    const { loadNode, storeNode } = this.#buffer;
    const trie = new StateTrie(parent.block.header.stateRoot, loadNode, storeNode);
    return executeBlock(
      block,
      {
        world,
        interpreter: await this.#interpreters.get(rules.revision),
        block: environmentOf(header, rules, this.#hashAt),
        rules,
      },
      header.number === this.#genesis.config.daoForkBlock,
      () => {
        const root = trie.apply(world);
        this.#buffer.addCodes(world.codes);
        return root;
      },
    );
  }
}

function joinBlooms(receipts: readonly StoredReceipt[]): Uint8Array {
  const bloom = new Uint8Array(256);
  for (const { logsBloom } of receipts) mergeBloom(bloom, logsBloom);
  return bloom;
}
