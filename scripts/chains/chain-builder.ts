import { type Block, unclesToRlp, type Withdrawal, withdrawalToRlp } from '../../src/chain/block.ts';
import type { ChainConfig } from '../../src/chain/chain-config.ts';
import { parseGenesis } from '../../src/chain/genesis.ts';
import { type Header, hashHeader } from '../../src/chain/header.ts';
import { encodeReceipt, type StoredReceipt } from '../../src/chain/receipt.ts';
import { blobGasOf, type Transaction } from '../../src/chain/transaction.ts';
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
import type { Account } from './accounts.ts';
import { draftHeader, type HeaderChoices } from './draft-header.ts';
import { type Fees, signTransaction, type TransactionPlan } from './transaction-plan.ts';

/** What every block of a chain has unless its plan says otherwise. */
export type ChainStyle = {
  readonly headerOf: (number: bigint) => HeaderChoices;
  readonly fees: Fees;
};

/** An empty block next to the ancestor `depth` generations back, by another author. */
export type UnclePlan = { readonly depth: bigint; readonly beneficiary: Uint8Array };

export type BlockPlan = {
  /** What a reader finds in this block. */
  readonly shows: string;
  readonly transactions?: readonly TransactionPlan[];
  readonly uncles?: readonly UnclePlan[];
  /** Since Shanghai; they are numbered through. */
  readonly withdrawals?: readonly Omit<Withdrawal, 'index'>[];
};

type Draft = Omit<Block, 'withdrawals'> & { readonly withdrawals: readonly Withdrawal[] };

/** Builds a chain in memory, block by block; every block is executed to fill its header. */
export class ChainBuilder {
  readonly #config: ChainConfig;
  readonly #style: ChainStyle;
  readonly #interpreters: Interpreters;
  readonly #buffer: StateBuffer = new StateBuffer(
    () => undefined,
    () => undefined,
  );
  readonly #chain: ExecutedBlock[];
  #withdrawals = 0n;

  /** @param genesisText a geth genesis file */
  constructor(genesisText: string, style: ChainStyle) {
    const genesis = parseGenesis(genesisText);
    this.#config = genesis.config;
    this.#style = style;
    this.#interpreters = new Interpreters(genesis.config.chainId);
    this.#chain = [buildGenesisBlock(genesis, this.#buffer)];
  }

  /** From genesis on. */
  get chain(): readonly ExecutedBlock[] {
    return this.#chain;
  }

  /** @throws Error when a transaction is invalid or does not end as planned */
  async append(plan: BlockPlan): Promise<void> {
    const number = BigInt(this.#chain.length);
    try {
      const executed = await this.#buildNext(plan, number);
      checkOutcomes(executed.receipts, plan.transactions ?? []);
      this.#chain.push(executed);
    } catch (cause) {
      throw new Error(`block ${number} (${plan.shows}): ${(cause as Error).message}`, { cause });
    }
  }

  async #buildNext(plan: BlockPlan, number: bigint): Promise<ExecutedBlock> {
    const { transactions = [], uncles = [], withdrawals = [] } = plan;
    const parent = this.#blockAt(number - 1n);
    const choices = this.#style.headerOf(number);
    return this.#build(parent, choices, {
      transactions: this.#sign(transactions, parent, this.#rulesAfter(parent, choices.timestamp)),
      uncles: await this.#buildUncles(uncles, number),
      withdrawals: withdrawals.map((withdrawal) => ({ index: this.#withdrawals++, ...withdrawal })),
    });
  }

  #blockAt(number: bigint): ExecutedBlock {
    const block = this.#chain[Number(number)];
    if (block === undefined) throw new RangeError(`there is no block ${number}`);
    return block;
  }

  #rulesAfter({ block, totalDifficulty }: ExecutedBlock, timestamp: bigint): BlockRules {
    const isMerged = isMergedAfter(this.#config, totalDifficulty);
    return rulesAt(this.#config, { number: block.header.number + 1n, timestamp, isMerged });
  }

  #viewAfter({ block }: ExecutedBlock): TrieStateView {
    return new TrieStateView(block.header.stateRoot, this.#buffer);
  }

  #sign(plans: readonly TransactionPlan[], parent: ExecutedBlock, rules: BlockRules): Transaction[] {
    const view = this.#viewAfter(parent);
    const sent = new Map<Account, bigint>();
    const nonceOf = (account: Account): bigint =>
      (view.getAccount(account.address)?.nonce ?? 0n) + (sent.get(account) ?? 0n);
    const { chainId, hasReplayProtection } = rules;
    return plans.map((plan) => {
      const nonce = nonceOf(plan.from);
      sent.set(plan.from, (sent.get(plan.from) ?? 0n) + 1n);
      return signTransaction(plan, nonce, { chainId, hasReplayProtection, nonceOf, fees: this.#style.fees });
    });
  }

  async #buildUncles(plans: readonly UnclePlan[], number: bigint): Promise<Header[]> {
    const uncles: Header[] = [];
    for (const { depth, beneficiary } of plans) {
      const height = number - depth;
      const choices = { ...this.#style.headerOf(height), beneficiary };
      const empty = { transactions: [], uncles: [], withdrawals: [] };
      const { block } = await this.#build(this.#blockAt(height - 1n), choices, empty);
      uncles.push(block.header);
    }
    return uncles;
  }

  async #build(
    parent: ExecutedBlock,
    choices: HeaderChoices,
    { transactions, uncles, withdrawals }: Omit<Draft, 'header'>,
  ): Promise<ExecutedBlock> {
    const rules = this.#rulesAfter(parent, choices.timestamp);
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
    const world = new WorldState(this.#viewAfter(parent));
    const { loadNode, storeNode } = this.#buffer;
    const trie = new StateTrie(parent.block.header.stateRoot, loadNode, storeNode);
    return executeBlock(
      block,
      {
        world,
        interpreter: await this.#interpreters.get(rules.revision),
        block: environmentOf(header, rules, (number) => this.#blockAt(number).hash),
        rules,
      },
      header.number === this.#config.daoForkBlock,
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

/** Receipts before Byzantium do not tell success from failure: there nothing is checked. */
function checkOutcomes(receipts: readonly StoredReceipt[], plans: readonly TransactionPlan[]): void {
  receipts.forEach(({ outcome }, index) => {
    const wanted = plans[index]?.fails === true ? 0n : 1n;
    if (typeof outcome !== 'bigint' || outcome === wanted) return;
    throw new Error(`transaction ${index} ${outcome === 1n ? 'succeeds' : 'fails'}`);
  });
}
