import type { BlockHeader, ReportedBlock } from '../../src/pool/heads/block.ts';

/** Block interval of a tree, seconds. */
const BLOCK_SECONDS = 2;

/** Hash that encodes branch and number, so that the failure of a test is readable. */
export function hashOf(branch: string, number: bigint): string {
  const name = [...branch].map((letter) => letter.charCodeAt(0).toString(16)).join('');
  return `0x${name}${number.toString(16).padStart(64 - name.length, '0')}`;
}

/** A block of a branch; `parent` is the block below if that is on another branch. */
export function makeBlock(branch: string, number: bigint, parent?: BlockHeader): ReportedBlock {
  return {
    number,
    hash: hashOf(branch, number),
    parentHash: parent?.hash ?? (number === 0n ? `0x${'0'.repeat(64)}` : hashOf(branch, number - 1n)),
    timestamp: 1_700_000_000n + number * BigInt(BLOCK_SECONDS),
    gasLimit: 30_000_000n,
    baseFeePerGas: 7n,
    extraData: '0x',
    difficulty: 0n,
    transactionHashes: [],
    uncleHashes: [],
    logsBloom: undefined,
    blockAccessListHash: undefined,
  };
}

/** A chain of blocks from 0 on, of which others can fork off. */
export class TestChain {
  readonly blocks: ReportedBlock[];

  constructor(blocks: readonly ReportedBlock[]) {
    this.blocks = [...blocks];
  }

  static create(branch: string, length: number): TestChain {
    return new TestChain(Array.from({ length }, (_, number) => makeBlock(branch, BigInt(number))));
  }

  /** This chain up to `last`, continued by `length` blocks of another branch. */
  fork(branch: string, last: number, length: number): TestChain {
    return new TestChain(this.blocks.slice(0, last + 1)).grow(branch, length);
  }

  grow(branch: string, length: number): TestChain {
    for (let i = 0; i < length; i++)
      this.blocks.push(makeBlock(branch, BigInt(this.blocks.length), this.tip));
    return this;
  }

  get tip(): ReportedBlock {
    return this.at(this.blocks.length - 1);
  }

  at(number: number): ReportedBlock {
    const block = this.blocks[number];
    if (block === undefined) throw new RangeError(`no block ${number}`);
    return block;
  }
}
