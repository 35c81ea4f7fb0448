/** Makes small valid chains, block by block, out of whatever a test wants to put into them. */
import {
  type Block,
  encodeBlock,
  unclesToRlp,
  type Withdrawal,
  withdrawalToRlp,
} from '../../src/chain/block.ts';
import { type Genesis, parseGenesis } from '../../src/chain/genesis.ts';
import { BLANK_HEADER, type Header, hashHeader } from '../../src/chain/header.ts';
import { encodeReceipt } from '../../src/chain/receipt.ts';
import {
  assembleTransaction,
  blobGasOf,
  encodeSigningPayload,
  type Transaction,
  type TransactionBody,
} from '../../src/chain/transaction.ts';
import { Interpreters } from '../../src/engine/ethereumjs/interpreters.ts';
import { buildGenesisBlock } from '../../src/engine/import/genesis-state.ts';
import { StateBuffer } from '../../src/engine/import/state-buffer.ts';
import { nextBaseFee, nextExcessBlobGas } from '../../src/engine/import/validate-header.ts';
import { StateTrie } from '../../src/engine/state/state-trie.ts';
import { TrieStateView } from '../../src/engine/state/state-view.ts';
import { WorldState } from '../../src/engine/state/world-state.ts';
import { environmentOf } from '../../src/engine/transition/block-environment.ts';
import { executeBlock } from '../../src/engine/transition/execute-block.ts';
import { type BlockRules, isMergedAfter, rulesAt } from '../../src/engine/transition/rules.ts';
import { computeDifficulty } from '../../src/evm/difficulty.ts';
import { isAtLeast } from '../../src/evm/revision.ts';
import { mergeBloom } from '../../src/primitives/bloom.ts';
import { bytesEqual, concatBytes, EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { EMPTY_LIST_HASH, keccak256 } from '../../src/primitives/keccak.ts';
import { computeOrderedRoot } from '../../src/primitives/merkle-trie.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import { signHash } from '../../src/primitives/signature.ts';

/** What a block may contain beside what follows from its parent. */
export type BlockParts = {
  readonly transactions?: readonly Transaction[];
  readonly uncles?: readonly Header[];
  readonly withdrawals?: readonly Withdrawal[];
  readonly beneficiary?: Uint8Array;
  /** Seconds after the parent. */
  readonly delay?: bigint;
};

const SLOT_SECONDS = 12n;

export class ChainBuilder {
  readonly genesis: Genesis;
  /** The blocks added so far, without block 0. */
  readonly blocks: Block[] = [];
  readonly #buffer: StateBuffer = new StateBuffer(
    () => undefined,
    () => undefined,
  );
  readonly #interpreters: Interpreters;
  readonly #hashes: Uint8Array[];
  readonly genesisBlock: Block;
  #totalDifficulty: bigint;

  /** @param genesisText a geth genesis file */
  constructor(genesisText: string) {
    this.genesis = parseGenesis(genesisText);
    const { block, hash } = buildGenesisBlock(this.genesis, this.#buffer);
    this.genesisBlock = block;
    this.#hashes = [hash];
    this.#totalDifficulty = block.header.difficulty;
    this.#interpreters = new Interpreters(this.genesis.config.chainId);
  }

  get head(): Block {
    return this.blocks.at(-1) ?? this.genesisBlock;
  }

  /** Hash of the block at this height. */
  hashAt(number: number): Uint8Array {
    return this.#hashes[number] as Uint8Array;
  }

  /** All blocks after block 0, as a block file has them. */
  encode(): Uint8Array {
    return concatBytes(...this.blocks.map(encodeBlock));
  }

  /** Executes a block on top of the head and appends it. */
  async add(parts: BlockParts = {}): Promise<Block> {
    const { config } = this.genesis;
    const parent = this.head.header;
    const number = parent.number + 1n;
    const timestamp = parent.timestamp + (parts.delay ?? SLOT_SECONDS);
    const isMerged = isMergedAfter(config, this.#totalDifficulty);
    const rules = rulesAt(config, { number, timestamp, isMerged });
    const draft = this.#draftBlock(parts, rules, { ...BLANK_HEADER, number, timestamp });
    const view = { loadNode: this.#buffer.loadNode, loadCode: this.#buffer.loadCode };
    const world = new WorldState(new TrieStateView(parent.stateRoot, view));
    const trie = new StateTrie(parent.stateRoot, this.#buffer.loadNode, this.#buffer.storeNode);
    const interpreter = await this.#interpreters.get(rules.revision);
    const block = environmentOf(draft.header, rules, (height) => this.hashAt(Number(height)));
    const result = await executeBlock(draft, { world, interpreter, block, rules }, false, () =>
      trie.apply(world),
    );
    this.#buffer.addCodes(world.codes);
    const logsBloom = new Uint8Array(256);
    for (const receipt of result.receipts) mergeBloom(logsBloom, receipt.logsBloom);
    const header: Header = {
      ...draft.header,
      stateRoot: result.stateRoot,
      receiptsRoot: computeOrderedRoot(result.receipts.map(encodeReceipt)),
      logsBloom,
      gasUsed: result.gasUsed,
      ...(result.requestsHash !== undefined && { requestsHash: result.requestsHash }),
    };
    const complete = { ...draft, header };
    this.blocks.push(complete);
    this.#hashes.push(hashHeader(header));
    this.#totalDifficulty += header.difficulty;
    return complete;
  }

  /** A block that lacks only what its execution gives. */
  #draftBlock(
    { transactions = [], uncles = [], withdrawals = [], beneficiary }: BlockParts,
    rules: BlockRules,
    place: Header,
  ): Block {
    const parent = this.head.header;
    const since = (revision: Parameters<typeof isAtLeast>[1]): boolean => isAtLeast(rules.revision, revision);
    const baseFeePerGas = nextBaseFee(parent, rules);
    const excessBlobGas = nextExcessBlobGas(parent, rules);
    const hasUncles = !bytesEqual(parent.ommersHash, EMPTY_LIST_HASH);
    const input = { ...place, parent: { ...parent, hasUncles }, bombDelay: rules.bombDelay };
    const withdrawalsRoot = computeOrderedRoot(withdrawals.map((entry) => encodeRlp(withdrawalToRlp(entry))));
    const header: Header = {
      ...place,
      parentHash: this.hashAt(Number(parent.number)),
      ommersHash: keccak256(encodeRlp(unclesToRlp(uncles))),
      beneficiary: beneficiary ?? place.beneficiary,
      transactionsRoot: computeOrderedRoot(transactions.map(({ encoded }) => encoded)),
      difficulty: rules.isMerged ? 0n : computeDifficulty(input, rules.revision),
      gasLimit: parent.gasLimit,
      ...(baseFeePerGas !== undefined && { baseFeePerGas }),
      ...(since('shanghai') && { withdrawalsRoot }),
      ...(excessBlobGas !== undefined && {
        blobGasUsed: transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n),
        excessBlobGas,
        parentBeaconBlockRoot: new Uint8Array(32),
      }),
    };
    return { header, transactions, uncles, ...(since('shanghai') && { withdrawals }) };
  }
}

/** A transaction whose missing fields are plain: type 2, plenty of gas, price of up to 10 gwei, no data. */
export function signTransaction(key: Uint8Array, fields: Partial<TransactionBody>): Transaction {
  const body: TransactionBody = {
    type: 2,
    chainId: 1337n,
    nonce: 0n,
    gasLimit: 5_000_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: fields.type === 0 || fields.type === 1 ? 10n ** 10n : 1n,
    to: undefined,
    value: 0n,
    data: EMPTY_BYTES,
    accessList: [],
    maxFeePerBlobGas: fields.type === 3 ? 10n ** 9n : 0n,
    blobVersionedHashes: [],
    authorizationList: [],
    ...fields,
  };
  return assembleTransaction(body, signHash(keccak256(encodeSigningPayload(body)), key));
}
