import { ChainError } from '../../chain/errors.ts';
import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import { Lru } from '../../util/lru.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import type { Checkpoint } from '../options.ts';
import type { Ask, BlockPosition } from '../routed-call.ts';
import { HeaderReader, HISTORY_LENGTH, proveOlderHash } from './ancestor-proofs.ts';
import type { Verifier } from './verifier.ts';

/** Headers that are followed for one question, so many of them asked for at a time. */
export const MAX_WALK = 1_024n;
/** Linked blocks that are remembered, the last ones and one of so many: about 150 bytes each. */
const MAX_LINKED = 65_536;
const MILESTONE = 512n;
/** Heights at which proofs stop on their way down, multiples of this one: they are remembered, and the same for checkpoints that move on. */
const STOP = 15n * MILESTONE;
/** How long finding out may take. */
const LINK_LIMIT_MS = 10_000;
/** Proofs that are followed one after the other to one old block. */
const MAX_JUMPS = 64n;
/** How long no more proofs of old states are asked for below an anchor of which nodes had none: any question about an old block would. */
const PROOF_PAUSE_MS = 60_000;

type Block = { readonly number: bigint; readonly hash: string };

/** A configured checkpoint stays; one that layer 1 anchors moves on, and is days behind the head. */
type CheckpointKind = 'configured' | 'anchored';

/**
 * Blocks that hashes link to the checkpoint. Its ancestors, by the parents that headers name or by what EIP-2935 keeps in a block's state, are blocks of the
 * chain whatever nodes say. A block above it that has it among its ancestors is of no other chain, but may still be one that nodes invented.
 */
export class CheckpointLinks {
  #checkpoint: Checkpoint;
  readonly #kind: CheckpointKind;
  readonly #verifier: Verifier;
  readonly #ask: Ask;
  readonly #linked = new Lru<bigint, string>(MAX_LINKED, Number.POSITIVE_INFINITY);
  readonly #milestones = new Lru<bigint, string>(MAX_LINKED, Number.POSITIVE_INFINITY);
  readonly #running = new Map<string, Promise<string | undefined>>();
  /** From then on proofs below an anchor are asked for again, on the clock of `performance.now()`. */
  #provesFrom = 0;

  constructor(checkpoint: Checkpoint, verifier: Verifier, ask: Ask, kind: CheckpointKind = 'configured') {
    this.#checkpoint = checkpoint;
    this.#kind = kind;
    this.#verifier = verifier;
    this.#ask = ask;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  /** Takes a later block for the checkpoint. What is linked stays so. */
  moveTo(checkpoint: Checkpoint): void {
    this.#note(this.#checkpoint);
    this.#checkpoint = checkpoint;
    this.#provesFrom = 0;
  }

  /**
   * Why a block that is not linked cannot be believed, as the rest of a sentence; undefined where it need not be linked. An anchor binds those below it
   * that headers alone would link.
   */
  whyUnlinked(position: BlockPosition): string | undefined {
    if (this.has(position)) return undefined;
    const { number } = this.#checkpoint;
    if (this.#kind === 'configured')
      return `no more than ${MAX_WALK} headers, nor a proof of state, link the block to the checkpoint, block ${number}: check its number and hash, or configure one that is nearer`;
    if (position.number > number || position.number + MAX_WALK < number) return undefined;
    return `no headers link the block to block ${number}, which is anchored in layer 1`;
  }

  /** Whether a block is linked to the checkpoint, as far as that is known. */
  has({ number, hash }: BlockPosition): boolean {
    return hash !== undefined && this.#find(number) === hash;
  }

  /** The hash of a height at or below the checkpoint, as far as it is known. */
  hashAt(number: bigint): string | undefined {
    return number <= this.checkpoint.number ? this.#find(number) : undefined;
  }

  /** The same; asks nodes for the blocks between. Undefined where they do not lead there. Never rejects. */
  findHash(number: bigint): PromiseOrValue<string | undefined> {
    if (number > this.checkpoint.number) return undefined;
    return this.#find(number) ?? this.#once(`${number}`, (scope) => this.#goDown(number, scope));
  }

  /** Finds out whether a block is linked. Never rejects. */
  link(position: BlockPosition): PromiseOrValue<unknown> {
    const { number, hash } = position;
    if (hash === undefined || this.has(position)) return undefined;
    if (number <= this.checkpoint.number) return this.findHash(number);
    if (this.#kind === 'anchored') return undefined;
    return this.#once(hash, (scope) => this.#reachUp({ number, hash }, scope));
  }

  #find(number: bigint): string | undefined {
    if (number === this.checkpoint.number) return this.checkpoint.hash;
    return this.#linked.get(number) ?? this.#milestones.get(number);
  }

  #note({ number, hash }: Block): void {
    this.#linked.set(number, hash);
    if (number % MILESTONE === 0n) this.#milestones.set(number, hash);
  }

  /** Once for all that ask at the same time, whichever of them goes away; what nodes cannot answer links nothing. */
  #once(
    name: string,
    work: (scope: RequestScope) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const result = work(new RequestScope(performance.now() + LINK_LIMIT_MS))
      .catch((error: unknown) => {
        if (error instanceof UpstreamFault || error instanceof ChainError) return undefined;
        throw error;
      })
      .finally(() => this.#running.delete(name));
    this.#running.set(name, result);
    return result;
  }

  /** Links the block of a height below the checkpoint. */
  async #goDown(number: bigint, scope: RequestScope): Promise<string | undefined> {
    let from = this.#findAbove(number);
    if (from.number - number > MAX_JUMPS * STOP) return undefined;
    for (let jumps = 0n; from.number - number > MAX_WALK && jumps < MAX_JUMPS; jumps++) {
      const to = from.number - number > HISTORY_LENGTH ? findStop(from.number) : number;
      const hash = await this.#jump(from, to, scope);
      if (hash === undefined) return undefined;
      from = { number: to, hash };
      this.#note(from);
    }
    await this.#walk(from, number, scope);
    return this.#find(number);
  }

  /** The same as `#prove`, but not soon after nodes had no proof below an anchor. */
  async #jump(from: Block, to: bigint, scope: RequestScope): Promise<string | undefined> {
    if (performance.now() < this.#provesFrom) return undefined;
    let hash: string | undefined;
    try {
      hash = await this.#prove(from, to, scope);
    } finally {
      if (hash === undefined && this.#kind === 'anchored')
        this.#provesFrom = performance.now() + PROOF_PAUSE_MS;
    }
    return hash;
  }

  #prove(from: Block, to: bigint, scope: RequestScope): Promise<string | undefined> {
    return proveOlderHash({ verifier: this.#verifier, ask: this.#ask, scope }, from, to);
  }

  /** The linked block that is least far above a height: one of the next, or one that jumps have passed. */
  #findAbove(number: bigint): Block {
    const { checkpoint } = this;
    const next = number + MAX_WALK < checkpoint.number ? number + MAX_WALK : checkpoint.number;
    for (let at = number; at <= next; at++) {
      const hash = this.#find(at);
      if (hash !== undefined) return { number: at, hash };
    }
    const last =
      number + MAX_JUMPS * STOP < checkpoint.number ? number + MAX_JUMPS * STOP : checkpoint.number;
    for (let at = (next / STOP + 1n) * STOP; at <= last; at += STOP) {
      const hash = this.#find(at);
      if (hash !== undefined) return { number: at, hash };
    }
    return checkpoint;
  }

  /** Links a block above the checkpoint, where it has it among its ancestors. */
  async #reachUp(block: Block, scope: RequestScope): Promise<string | undefined> {
    const below = this.#findBelow(block.number);
    const distance = block.number - below.number;
    if (distance > HISTORY_LENGTH) return undefined;
    if (distance > MAX_WALK) {
      if ((await this.#prove(block, below.number, scope)) !== below.hash) return undefined;
      this.#note(block);
    } else {
      const path = await this.#follow(block, below.number, scope);
      if (path === undefined) return undefined;
      for (const each of path) this.#note(each);
    }
    return block.hash;
  }

  /** The linked block that is least far below a height above the checkpoint, as far as EIP-2935 reaches; otherwise the checkpoint. */
  #findBelow(number: bigint): Block {
    for (let back = 1n; back <= HISTORY_LENGTH && number - back > this.checkpoint.number; back++) {
      const hash = this.#find(number - back);
      if (hash !== undefined) return { number: number - back, hash };
    }
    return this.checkpoint;
  }

  /** Links the parents of a linked block, down to a height. */
  async #walk(from: Block, to: bigint, scope: RequestScope): Promise<void> {
    const headers = new HeaderReader({ verifier: this.#verifier, ask: this.#ask, scope });
    let at = from;
    while (at.number > to) {
      const { parentHash } = await headers.read(at, at.number - to);
      at = { number: at.number - 1n, hash: parentHash };
      this.#note(at);
    }
  }

  /** A block and its ancestors down to a linked one. Undefined where the first of those at or below a height is not linked. */
  async #follow(block: Block, to: bigint, scope: RequestScope): Promise<readonly Block[] | undefined> {
    const headers = new HeaderReader({ verifier: this.#verifier, ask: this.#ask, scope });
    const path: Block[] = [];
    let at = block;
    while (!this.has(at)) {
      // Where the block below has left the chain, its own ancestors are still linked.
      if (at.number <= this.checkpoint.number || block.number - at.number > MAX_WALK) return undefined;
      path.push(at);
      const left = at.number > to ? at.number - to : 1n;
      const { parentHash } = await headers.read(at, left);
      at = { number: at.number - 1n, hash: parentHash };
    }
    return path;
  }
}

/** The oldest multiple of `STOP` within the history window (EIP-2935) of block `from`. */
function findStop(from: bigint): bigint {
  return ((from - HISTORY_LENGTH + STOP - 1n) / STOP) * STOP;
}
