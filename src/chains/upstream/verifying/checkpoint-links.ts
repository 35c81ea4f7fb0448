import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { Checkpoint } from '../../../pool/options.ts';
import type { BlockPosition, Send } from '../../../pool/upstream-request.ts';
import { Lru } from '../../../util/lru.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { HeaderReader, HISTORY_LENGTH, proveOlderHash } from './ancestor-proofs.ts';
import type { Verifier } from './verifier.ts';

/** Maximum number of headers through which one request links a block. */
export const MAX_WALK = 1_024n;
/**
 * Maximum number of blocks in each of the two LRU caches of linked blocks. A cached block takes about 150 bytes. `#linked` caches every linked block,
 * `#milestones` only blocks whose number is a multiple of `MILESTONE`.
 */
const MAX_LINKED = 65_536;
const MILESTONE = 512n;
/**
 * If a height needs several proofs, each proof except the last stops at a multiple of this number. Multiples of this number stay the same when the
 * checkpoint moves, so cached hashes at these heights stay useful.
 */
const STOP = 15n * MILESTONE;
/** Time limit of one linking attempt, milliseconds. */
const LINK_LIMIT_MS = 10_000;
/** Maximum number of successive proofs for one height. */
const MAX_JUMPS = 64n;
/** Pause after nodes returned no state proof below an anchor, milliseconds. During the pause, requests about old blocks cause no proof request. */
const PROOF_PAUSE_MS = 60_000;

type Block = { readonly number: bigint; readonly hash: string };

/** `configured`: the checkpoint is fixed. `anchored`: the checkpoint comes from layer 1 and moves forward, days behind the head. */
type CheckpointKind = 'configured' | 'anchored';

/**
 * Blocks that are linked to the checkpoint, by `parentHash` of headers or by the history contract (EIP-2935). Ancestors of the checkpoint are
 * canonical, whatever nodes report. A descendant of the checkpoint may be invented by a node, but it is on no other known chain.
 */
export class CheckpointLinks {
  #checkpoint: Checkpoint;
  readonly #kind: CheckpointKind;
  readonly #verifier: Verifier;
  readonly #ask: Send;
  readonly #linked = new Lru<bigint, string>(MAX_LINKED, Number.POSITIVE_INFINITY);
  readonly #milestones = new Lru<bigint, string>(MAX_LINKED, Number.POSITIVE_INFINITY);
  readonly #running = new Map<string, Promise<string | undefined>>();
  /** Time before which no proof of a block below a layer 1 anchor is requested, on the clock of `performance.now()`. */
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

  /** Replaces the checkpoint by a later block. A block that is linked to the previous checkpoint stays linked. */
  moveTo(checkpoint: Checkpoint): void {
    this.#note(this.#checkpoint);
    this.#checkpoint = checkpoint;
    this.#provesFrom = 0;
  }

  /**
   * Returns the reason why an unlinked block is unverifiable, as a clause for an error text; undefined if the block is linked or needs no link. Below
   * a layer 1 anchor, only blocks within `MAX_WALK` need a link: headers are enough to link them.
   */
  whyUnlinked(position: BlockPosition): string | undefined {
    if (this.has(position)) return undefined;
    const { number } = this.#checkpoint;
    if (this.#kind === 'configured')
      return `neither a state proof nor ${MAX_WALK} headers link the block to the checkpoint at block ${number}: check the number and hash of the checkpoint, or configure one that is nearer`;
    if (position.number > number || position.number + MAX_WALK < number) return undefined;
    return `no headers link the block to block ${number}, which is anchored in layer 1`;
  }

  /** Returns whether a block is linked to the checkpoint, without a request. */
  has({ number, hash }: BlockPosition): boolean {
    return hash !== undefined && this.#find(number) === hash;
  }

  /** Returns the cached hash of the linked block at a height up to the checkpoint. */
  hashAt(number: bigint): string | undefined {
    return number <= this.checkpoint.number ? this.#find(number) : undefined;
  }

  /**
   * Returns the hash of a block at or below the checkpoint. If the hash is unknown, links the block by requests to nodes. Returns undefined if the
   * block cannot be linked. Never rejects.
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

  /**
   * Runs work once for all concurrent callers with the same name. If a caller disconnects, the work continues. Returns undefined if the nodes fail.
   */
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

  /** Links the block at a height below the checkpoint. @returns the hash of the block; undefined if no proof or header is available */
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

  /** Requests a proof of an older hash. With a layer 1 anchor, no proof is requested for `PROOF_PAUSE_MS` after a failure. */
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

  /**
   * Returns the lowest linked block at or above a height. First checks every height up to `MAX_WALK` above the requested height. Above `MAX_WALK`,
   * checks only multiples of `STOP`.
   */
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

  /** Links a block above the checkpoint, if the block descends from the checkpoint. */
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

  /** Returns the highest linked block below `number` within the reach of the history contract (EIP-2935); returns the checkpoint if there is none. */
  #findBelow(number: bigint): Block {
    for (let back = 1n; back <= HISTORY_LENGTH && number - back > this.checkpoint.number; back++) {
      const hash = this.#find(number - back);
      if (hash !== undefined) return { number: number - back, hash };
    }
    return this.checkpoint;
  }

  /** Links all ancestors of a linked block down to a height, by their headers. */
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
   * Returns a block and its ancestors down to the first linked ancestor, exclusively. Returns undefined if none of `MAX_WALK` ancestors above the
   * checkpoint's height is linked.
   * @param to height at which a linked ancestor is expected; headers down to this height are requested in advance
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

/** Returns the lowest multiple of `STOP` whose hash is in the history contract (EIP-2935) at block `from`. */
function findStop(from: bigint): bigint {
  return ((from - HISTORY_LENGTH + STOP - 1n) / STOP) * STOP;
}
