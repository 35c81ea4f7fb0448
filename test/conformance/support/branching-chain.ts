import { type Block, decodeBlock } from '../../../packages/ethereum/codecs/block.ts';
import { type Header, hashHeader } from '../../../packages/ethereum/codecs/header.ts';
import { EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { Evm } from '../../../packages/evm/interpreter/evm.ts';
import { BlockError } from '../../../packages/evm/transition/block-error.ts';
import { parseGenesis } from '../../../packages/evm/transition/genesis.ts';
import { BlockImporter } from '../../../src/chains/embedded/import/block-importer.ts';
import { initializeStore } from '../../../src/chains/embedded/import/initialize-store.ts';
import { openChainWriter } from '../../../src/chains/embedded/store/chain-writer.ts';
import { createEvm } from '../../../src/engine/create-evm.ts';
import { makeTemporaryFolder } from '../../support/embedded.ts';

type Hash = string;

/** An accepted block, on any branch. */
export type TakenBlock = {
  readonly hash: Hash;
  /** Undefined for genesis. */
  readonly parent: TakenBlock | undefined;
  readonly encoded: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly number: bigint;
  /** Total difficulty of the chain up to this block. */
  readonly totalDifficulty: bigint;
};

/** A store that has exactly one branch. */
type Branch = { readonly importer: BlockImporter; readonly genesis: Header; close(): Promise<void> };

/**
 * A tree of blocks over an importer that only appends: a block whose parent is not the tip of the current branch
 * is imported into a fresh store, after its ancestors. Every block, on any branch, is
 * validated and executed like the next head.
 */
export class BranchingChain {
  readonly #genesisText: string;
  readonly #configText: string;
  readonly #taken = new Map<Hash, TakenBlock>();
  #branch: Branch;
  #head: TakenBlock;

  private constructor(genesisText: string, configText: string) {
    this.#genesisText = genesisText;
    this.#configText = configText;
    this.#branch = this.#openBranch();
    const { stateRoot, difficulty } = this.#branch.genesis;
    this.#head = {
      hash: this.#branch.importer.headHash,
      parent: undefined,
      encoded: new Uint8Array(0),
      stateRoot,
      number: 0n,
      totalDifficulty: difficulty,
    };
    this.#taken.set(this.#head.hash, this.#head);
  }

  /** @param genesis a geth genesis file with `config` as its `config` */
  static open(genesis: Readonly<Record<string, unknown>>, config: unknown): BranchingChain {
    return new BranchingChain(JSON.stringify({ ...genesis, config }), JSON.stringify(config));
  }

  /** The block with the most total difficulty; among several the highest, among these the first (EIP-3675 adds none). */
  get head(): TakenBlock {
    return this.#head;
  }

  /** Imports one encoded block. @returns why it is refused, or undefined */
  async import(encoded: Uint8Array): Promise<string | undefined> {
    let block: Block;
    try {
      block = decodeBlock(encoded);
    } catch (error) {
      return (error as Error).message;
    }
    const hash = bytesToHex(hashHeader(block.header));
    if (this.#taken.has(hash)) return undefined;
    const parent = this.#taken.get(bytesToHex(block.header.parentHash));
    if (parent === undefined) return 'unknown parent';
    await this.#goTo(parent);
    const refusal = await importInto(this.#branch.importer, encoded);
    if (refusal === undefined) this.#take(block, hash, parent, encoded);
    return refusal;
  }

  close(): Promise<void> {
    return this.#branch.close();
  }

  #take({ header }: Block, hash: Hash, parent: TakenBlock, encoded: Uint8Array): void {
    const { number, stateRoot } = header;
    const totalDifficulty = parent.totalDifficulty + header.difficulty;
    const taken = { hash, parent, encoded, stateRoot, number, totalDifficulty };
    this.#taken.set(hash, taken);
    const gain = totalDifficulty - this.#head.totalDifficulty;
    if (gain > 0n || (gain === 0n && number > this.#head.number)) this.#head = taken;
  }

  /** Makes `tip` the last block of the current branch. */
  async #goTo(tip: TakenBlock): Promise<void> {
    if (this.#branch.importer.headHash === tip.hash) return;
    await this.#branch.close();
    this.#branch = this.#openBranch();
    const path: Uint8Array[] = [];
    for (let at = tip; at.parent !== undefined; at = at.parent) path.unshift(at.encoded);
    for (const encoded of path) {
      const refusal = await importInto(this.#branch.importer, encoded);
      if (refusal !== undefined) throw new Error(`a block that was taken is refused now: ${refusal}`);
    }
  }

  #openBranch(): Branch {
    const folder = makeTemporaryFolder();
    const writer = openChainWriter(folder.path);
    initializeStore(writer, parseGenesis(this.#genesisText), this.#configText);
    return {
      importer: new BlockImporter(writer, 'ethash-format', 'full', evm),
      genesis: writer.openReader().head.header,
      async close() {
        await writer.close();
        folder.remove();
      },
    };
  }
}

/** All branches share one EVM, one after the other: most have too few blocks to be worth an EVM of their own. */
const evm: Evm = createEvm({
  getAccount: () => undefined,
  getStorage: () => EMPTY_BYTES,
  getCode: () => EMPTY_BYTES,
});

async function importInto(importer: BlockImporter, encoded: Uint8Array): Promise<string | undefined> {
  try {
    const { kind } = await importer.import(encoded);
    return kind === 'imported' ? undefined : 'known already';
  } catch (error) {
    if (error instanceof BlockError) return error.message;
    throw error;
  }
}
