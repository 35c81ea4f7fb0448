import type { Withdrawal } from '../../packages/ethereum/codecs/block.ts';
import type { Header } from '../../packages/ethereum/codecs/header.ts';
import type { StoredReceipt } from '../../packages/ethereum/codecs/receipt.ts';
import type { Transaction } from '../../packages/ethereum/codecs/transaction.ts';
import { parseGenesis } from '../../packages/evm/transition/genesis.ts';
import type { BlockRules } from '../../packages/evm/transition/rules.ts';
import type { ExecutedBlock } from '../../src/chains/embedded/store/chain-writer.ts';
import type { Account } from './accounts.ts';
import { BlockMaker } from './block-maker.ts';
import type { HeaderChoices } from './draft-header.ts';
import { type Fees, signTransaction, type TransactionPlan } from './transaction-plan.ts';

/** Defaults of every block of a chain; a transaction's plan may override the fees. */
export type ChainStyle = {
  readonly headerOf: (number: bigint) => HeaderChoices;
  readonly fees: Fees;
};

/** An uncle: an empty sibling of the ancestor `depth` generations back, by another author. */
export type UnclePlan = { readonly depth: bigint; readonly beneficiary: Uint8Array };

export type BlockPlan = {
  /** Description of the block's contents. */
  readonly shows: string;
  readonly transactions?: readonly TransactionPlan[];
  readonly uncles?: readonly UnclePlan[];
  /** Withdrawals since Shanghai; the builder assigns consecutive indexes. */
  readonly withdrawals?: readonly Omit<Withdrawal, 'index'>[];
};

/** Builds a chain in memory, block by block; every block is executed to fill its header. */
export class ChainBuilder {
  readonly #maker: BlockMaker;
  readonly #style: ChainStyle;
  readonly #chain: ExecutedBlock[];
  #withdrawals = 0n;

  /** @param genesisText a geth genesis file */
  constructor(genesisText: string, style: ChainStyle) {
    this.#style = style;
    this.#maker = new BlockMaker(parseGenesis(genesisText), (number) => this.#blockAt(number).hash);
    this.#chain = [this.#maker.genesisBlock];
  }

  /** The chain from genesis on. */
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
    return this.#maker.make(parent, choices, {
      transactions: this.#sign(transactions, this.#maker.rulesAfter(parent, choices.timestamp)),
      uncles: await this.#buildUncles(uncles, number),
      withdrawals: withdrawals.map((withdrawal) => ({ index: this.#withdrawals++, ...withdrawal })),
    });
  }

  #blockAt(number: bigint): ExecutedBlock {
    const block = this.#chain[Number(number)];
    if (block === undefined) throw new RangeError(`there is no block ${number}`);
    return block;
  }

  #sign(plans: readonly TransactionPlan[], rules: BlockRules): Transaction[] {
    const view = this.#maker.headState;
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
      const { block } = await this.#maker.make(this.#blockAt(height - 1n), choices, empty);
      uncles.push(block.header);
    }
    return uncles;
  }
}

/** Checks outcomes against the plans; receipts before Byzantium have no status and are not checked. */
function checkOutcomes(receipts: readonly StoredReceipt[], plans: readonly TransactionPlan[]): void {
  receipts.forEach(({ outcome }, index) => {
    const wanted = plans[index]?.fails === true ? 0n : 1n;
    if (typeof outcome !== 'bigint' || outcome === wanted) return;
    throw new Error(`transaction ${index} ${outcome === 1n ? 'succeeds' : 'fails'}`);
  });
}
