/** A rollup and its layer 1, each a chain of one real node. */
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { Members } from '../../packages/proofs/findings.ts';
import { makeGame } from '../rollup/games.ts';
import { type Anvil, startAnvil } from './anvil.ts';

/** The L2ToL1MessagePasser. */
export const PASSER = '0x4200000000000000000000000000000000000016';
export const PORTAL: string = `0x${'a1'.repeat(20)}`;
export const REGISTRY: string = `0x${'a2'.repeat(20)}`;
const GAME = `0x${'a4'.repeat(20)}`;
/** Creation time of the games, seconds. */
export const GAME_TIME = 1_000n;
/** Blocks of layer 1 above its finalized one. */
export const FINALITY = 2;
export const BLOCK_SECONDS = 2n;

/** 32 bytes as hex text. */
export function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

export class AnchoredRollup {
  readonly l1: Anvil;
  readonly rollup: Anvil;

  private constructor(l1: Anvil, rollup: Anvil) {
    this.l1 = l1;
    this.rollup = rollup;
  }

  /** @param blocks number of blocks that the rollup has */
  static async start(blocks: bigint): Promise<AnchoredRollup> {
    const l1 = await startAnvil({ args: ['--no-mining', '--slots-in-an-epoch', '1'] });
    const rollup = await startAnvil({ args: ['--no-mining'] });
    await rollup.request('anvil_setCode', PASSER, '0x00');
    await rollup.request('anvil_setStorageAt', PASSER, word(1n), word(7n));
    await rollup.request('anvil_mine', encodeQuantity(blocks), encodeQuantity(BLOCK_SECONDS));
    await l1.request('anvil_mine', encodeQuantity(8n));
    return new AnchoredRollup(l1, rollup);
  }

  async kill(): Promise<void> {
    await this.l1.kill();
    await this.rollup.kill();
  }

  async readBlock(number: bigint): Promise<Members> {
    return (await this.rollup.request('eth_getBlockByNumber', encodeQuantity(number), false)) as Members;
  }

  async readStorageRoot(number: bigint): Promise<string> {
    const proof = (await this.rollup.request('eth_getProof', PASSER, [], encodeQuantity(number))) as Members;
    return String(proof['storageHash']);
  }

  /** The output root of a block, as a proposer computes it. */
  async findOutputRoot(number: bigint, block?: Members): Promise<string> {
    const { stateRoot, hash } = block ?? (await this.readBlock(number));
    const parts = [word(0n), String(stateRoot), await this.readStorageRoot(number), String(hash)];
    return bytesToHex(keccak256(hexToBytes(`0x${parts.map((part) => part.slice(2)).join('')}`)));
  }

  /** Changes slots and codes of layer 1 and mines until the changes are in a finalized block. */
  async finalize(...changes: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<void> {
    for (const [method, ...params] of changes) await this.l1.request(method, ...params);
    await this.l1.request('anvil_mine', encodeQuantity(BigInt(FINALITY + 2)));
  }

  /** Makes layer 1 accept a game about a block. */
  async resolveGame(number: bigint, root: string, game: string = GAME): Promise<void> {
    await this.finalize(
      ['anvil_setStorageAt', PORTAL, word(62n), word(BigInt(REGISTRY))],
      ['anvil_setStorageAt', REGISTRY, word(2n), word(BigInt(game))],
      // Resolved after its creation, with a result.
      ['anvil_setStorageAt', game, word(0n), word((2n << 128n) | (2_000n << 64n) | GAME_TIME)],
      ['anvil_setCode', game, bytesToHex(makeGame(root, word(number).slice(2)))],
    );
  }
}
