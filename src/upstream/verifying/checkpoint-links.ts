import { ChainError } from '../../chain/errors.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import { parseJson } from '../../primitives/parse-json.ts';
import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { Lru } from '../../util/lru.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { asText, isMembers } from '../../verification/members.ts';
import { verifyAccountProof } from '../../verification/state-proof.ts';
import { type VerifiedHeader, verifyHeader } from '../../verification/verify-block.ts';
import { UpstreamFault } from '../fault.ts';
import type { Checkpoint } from '../options.ts';
import type { Ask, BlockPosition, RoutedCall } from '../routed-call.ts';
import { describeRead } from '../state-asker.ts';
import type { Upstream } from '../upstream.ts';
import type { Verifier } from './verifier.ts';

/** Headers that are followed for one question, so many of them asked for at a time. */
export const MAX_WALK = 1_024n;
const BATCH = 64n;
/** Linked blocks that are remembered, the last ones and one of so many: about 150 bytes each. */
const MAX_LINKED = 65_536;
const MILESTONE = 512n;
/** Heights at which proofs stop on their way down, multiples of this one: they are remembered, and the same for checkpoints that move on. */
const STOP = 15n * MILESTONE;
/** How long finding out may take. */
const LINK_LIMIT_MS = 10_000;
/** EIP-2935: the contract that keeps hashes of the last blocks, and how many. */
const HISTORY_ADDRESS = '0x0000f90827f1c53a10cb7a02335b175320002935';
export const HISTORY_LENGTH = 8_191n;
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

  /** The same as `#proveOlder`, but not soon after nodes had no proof below an anchor. */
  async #jump(from: Block, to: bigint, scope: RequestScope): Promise<string | undefined> {
    if (performance.now() < this.#provesFrom) return undefined;
    let hash: string | undefined;
    try {
      hash = await this.#proveOlder(from, to, scope);
    } finally {
      if (hash === undefined && this.#kind === 'anchored')
        this.#provesFrom = performance.now() + PROOF_PAUSE_MS;
    }
    return hash;
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
      if ((await this.#proveOlder(block, below.number, scope)) !== below.hash) return undefined;
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
    const headers = new HeaderReader(this.#verifier, this.#ask, scope);
    let at = from;
    while (at.number > to) {
      const { parentHash } = await headers.read(at, at.number - to);
      at = { number: at.number - 1n, hash: parentHash };
      this.#note(at);
    }
  }

  /** A block and its ancestors down to a linked one. Undefined where the first of those at or below a height is not linked. */
  async #follow(block: Block, to: bigint, scope: RequestScope): Promise<readonly Block[] | undefined> {
    const headers = new HeaderReader(this.#verifier, this.#ask, scope);
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

  /** What the state of a block has as the hash of an older one (EIP-2935). Undefined where it has none. */
  async #proveOlder(from: Block, to: bigint, scope: RequestScope): Promise<string | undefined> {
    const { stateRoot } = await new HeaderReader(this.#verifier, this.#ask, scope).read(from, 1n);
    const slot = `0x${(to % HISTORY_LENGTH).toString(16).padStart(64, '0')}`;
    const question = { address: HISTORY_ADDRESS, slots: [slot] };
    let word = 0n;
    const call: RoutedCall = {
      ...describeRead('eth_getProof', `"${HISTORY_ADDRESS}",["${slot}"]`, { ...from, isCanonical: true }),
      check: (result) => {
        const { findings } = this.#verifier.openTools();
        const proven = verifyAccountProof(parseJson(result as JsonText), question, stateRoot, findings);
        if (proven === undefined)
          throw new UpstreamFault('wrong', 'the proof of an older block hash is wrong');
        word = proven.words[0] ?? 0n;
        return result;
      },
    };
    await this.#ask({ call, scope });
    return word === 0n ? undefined : `0x${word.toString(16).padStart(64, '0')}`;
  }
}

/** The oldest multiple of `STOP` within the history window (EIP-2935) of block `from`. */
function findStop(from: bigint): bigint {
  return ((from - HISTORY_LENGTH + STOP - 1n) / STOP) * STOP;
}

/** A header that was recomputed, and the node that gave it. */
type ToldHeader = { readonly header: VerifiedHeader; readonly upstream: Upstream | undefined };

/** Headers of blocks with known hashes, one parent after the other: those that come next are asked for together, by number. */
class HeaderReader {
  readonly #verifier: Verifier;
  readonly #ask: Ask;
  readonly #scope: RequestScope;
  readonly #coming = new Map<bigint, Promise<ToldHeader | undefined>>();

  constructor(verifier: Verifier, ask: Ask, scope: RequestScope) {
    this.#verifier = verifier;
    this.#ask = ask;
    this.#scope = scope;
  }

  /**
   * @param left headers that will be read from this one on
   * @throws UpstreamFault where no node has it
   */
  async read({ number, hash }: Block, left: bigint): Promise<VerifiedHeader> {
    if (left > 1n && !this.#coming.has(number)) {
      for (let i = 0n; i < left && i < BATCH; i++) this.#coming.set(number - i, this.#readAt(number - i));
    }
    const coming = await this.#coming.get(number);
    this.#coming.delete(number);
    if (coming?.header.hash === hash) return coming.header;
    // Nodes may have another block at the height by now, or tell a wrong one.
    if (coming !== undefined) this.#verifier.noteOther({ number, hash }, coming.upstream);
    const { header, upstream } = await this.#request('eth_getBlockByHash', hash, { number, hash });
    this.#verifier.judge(header, [], ['header'], upstream);
    return header;
  }

  #readAt(number: bigint): Promise<ToldHeader | undefined> {
    const told = this.#request('eth_getBlockByNumber', encodeQuantity(number), { number, hash: undefined });
    return told.catch((error: unknown) => {
      if (error instanceof UpstreamFault || error instanceof ChainError) return undefined;
      throw error;
    });
  }

  async #request(method: string, name: string, block: BlockPosition): Promise<ToldHeader> {
    let told: ToldHeader | undefined;
    const call: RoutedCall = {
      method,
      params: `["${name}",false]`,
      block,
      nulls: 'fault',
      isText: true,
      check: (result, upstream) => {
        told = { header: this.#verify(result, block), upstream };
        return result;
      },
    };
    await this.#ask({ call, scope: this.#scope });
    if (told === undefined) throw new UpstreamFault('missing', 'no node has the header');
    return told;
  }

  #verify(result: JsonResult, { number, hash }: BlockPosition): VerifiedHeader {
    const block: unknown = parseJson(result as JsonText);
    const members = isMembers(block) ? block : {};
    const header = verifyHeader(members, hash ?? asText(members['hash']), this.#verifier.openTools());
    if (header?.number !== number) throw new UpstreamFault('wrong', 'the header is not that of its block');
    return header;
  }
}
