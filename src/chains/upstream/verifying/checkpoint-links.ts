import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { Checkpoint } from '../../../pool/options.ts';
import type { BlockPosition, Send } from '../../../pool/upstream-request.ts';
import { Lru } from '../../../util/lru.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { HeaderReader, HISTORY_LENGTH, proveOlderHash } from './ancestor-proofs.ts';
import type { Verifier } from './verifier.ts';

/** Maximum number of headers that are followed for one request. */
export const MAX_WALK = 1_024n;
/**
 * Maximum number of blocks in each of the two LRU caches of linked blocks. A block takes about 150 bytes. `#linked` caches every linked block,
 * `#milestones` only blocks whose number is a multiple of `MILESTONE`.
 */
const MAX_LINKED = 65_536;
const MILESTONE = 512n;
/** Successive proofs downwards stop at multiples of this height. Stops are cached, and stay useful because they do not move with the checkpoint. */
const STOP = 15n * MILESTONE;
/** Time limit of one linking attempt, milliseconds. */
const LINK_LIMIT_MS = 10_000;
/** Maximum number of successive proofs for one old block. */
const MAX_JUMPS = 64n;
/**
 * Pause after nodes returned no state proof below an anchor, milliseconds. Without the pause, every request about an old block would cause a proof request.
 */
const PROOF_PAUSE_MS = 60_000;

type Block = { readonly number: bigint; readonly hash: string };

/** A configured checkpoint is fixed. A checkpoint that is anchored in layer 1 moves forward, days behind the head. */
type CheckpointKind = 'configured' | 'anchored';

/**
 * Blocks that are linked to the checkpoint by hashes: by `parentHash` or by the EIP-2935 history contract. Ancestors of the checkpoint are on the chain,
 * whatever nodes report. A descendant of the checkpoint is on no other known chain, but a node may have invented the descendant.
 */
export class CheckpointLinks {
  #checkpoint: Checkpoint;
  readonly #kind: CheckpointKind;
  readonly #verifier: Verifier;
  readonly #ask: Send;
  readonly #linked = new Lru<bigint, string>(MAX_LINKED, Number.POSITIVE_INFINITY);
  readonly #milestones = new Lru<bigint, string>(MAX_LINKED, Number.POSITIVE_INFINITY);
  readonly #running = new Map<string, Promise<string | undefined>>();
  /** Earliest time of the next proof below an anchor, on the clock of `performance.now()`. */
  #provesFrom = 0;

  constructor(checkpoint: Checkpoint, verifier: Verifier, ask: Send, kind: CheckpointKind = 'configured') {
    this.#checkpoint = checkpoint;
    this.#kind = kind;
    this.#verifier = verifier;
    this.#ask = ask;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  /** Replaces the checkpoint by a later block. Linked blocks remain linked. */
  moveTo(checkpoint: Checkpoint): void {
    this.#note(this.#checkpoint);
    this.#checkpoint = checkpoint;
    this.#provesFrom = 0;
  }

  /**
   * Returns why an unlinked block is unverifiable, as the end of a sentence; undefined if the block is linked or needs no link. Below an anchor in layer 1,
   * only blocks within `MAX_WALK` need a link, because headers alone can link them.
   */
  whyUnlinked(position: BlockPosition): string | undefined {
    if (this.has(position)) return undefined;
    const { number } = this.#checkpoint;
    if (this.#kind === 'configured')
      return `neither a state proof nor ${MAX_WALK} headers link the block to the checkpoint at block ${number}: check the number and hash of the checkpoint, or configure one that is nearer`;
    if (position.number > number || position.number + MAX_WALK < number) return undefined;
    return `no headers link the block to block ${number}, which is anchored in layer 1`;
  }

  /** Returns whether a block is known to be linked to the checkpoint. */
  has({ number, hash }: BlockPosition): boolean {
    return hash !== undefined && this.#find(number) === hash;
  }

  /** Returns the known hash of a block at or below the checkpoint. */
  hashAt(number: bigint): string | undefined {
    return number <= this.checkpoint.number ? this.#find(number) : undefined;
  }

  /**
   * Returns the hash of a block at or below the checkpoint. If the hash is unknown, links the block by requests to nodes. Returns undefined if the block
   * cannot be linked. Never rejects.
   */
  findHash(number: bigint): PromiseOrValue<string | undefined> {
    if (number > this.checkpoint.number) return undefined;
    return this.#find(number) ?? this.#once(`${number}`, (scope) => this.#goDown(number, scope));
  }

  /** Tries to link a block to the checkpoint. Never rejects. */
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

  /** Coalesces concurrent runs with the same name. No caller can abort the scope of a run. A fault of the nodes yields undefined. */
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

  /** Links the block at a height below the checkpoint. */
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

  /** Calls `#prove`. Below an anchor, the call is skipped for `PROOF_PAUSE_MS` after a failure. */
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

  /** Returns the lowest known linked block at or above a height. Every block up to `MAX_WALK` above is checked, and above that only the stops. */
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

  /** Links a block above the checkpoint that descends from it. */
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

  /** Returns the highest linked block below `number` and above the checkpoint, within the EIP-2935 window. Returns the checkpoint if there is none. */
  #findBelow(number: bigint): Block {
    for (let back = 1n; back <= HISTORY_LENGTH && number - back > this.checkpoint.number; back++) {
      const hash = this.#find(number - back);
      if (hash !== undefined) return { number: number - back, hash };
    }
    return this.checkpoint;
  }

  /** Links the ancestors of a linked block down to a height. */
  async #walk(from: Block, to: bigint, scope: RequestScope): Promise<void> {
    const headers = new HeaderReader({ verifier: this.#verifier, ask: this.#ask, scope });
    let at = from;
    while (at.number > to) {
      const { parentHash } = await headers.read(at, at.number - to);
      at = { number: at.number - 1n, hash: parentHash };
      this.#note(at);
    }
  }

  /**
   * Returns a block and its ancestors above the first linked ancestor. Returns undefined if the path reaches the checkpoint's height, or exceeds
   * `MAX_WALK`, without a linked ancestor.
   * @param to height of the expected linked block; headers down to it are prefetched
   */
  async #follow(block: Block, to: bigint, scope: RequestScope): Promise<readonly Block[] | undefined> {
    const headers = new HeaderReader({ verifier: this.#verifier, ask: this.#ask, scope });
    const path: Block[] = [];
    let at = block;
    while (!this.has(at)) {
      // If a reorg removed the expected linked block, an ancestor of that block is still linked.
      if (at.number <= this.checkpoint.number || block.number - at.number > MAX_WALK) return undefined;
      path.push(at);
      const left = at.number > to ? at.number - to : 1n;
      const { parentHash } = await headers.read(at, left);
      at = { number: at.number - 1n, hash: parentHash };
    }
    return path;
  }
}

/** Returns the oldest multiple of `STOP` within the history window (EIP-2935) of block `from`. */
function findStop(from: bigint): bigint {
  return ((from - HISTORY_LENGTH + STOP - 1n) / STOP) * STOP;
}
