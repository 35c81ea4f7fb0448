import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { WINDOW_BLOCKS } from '../../../pool/heads/block-window.ts';
import type { BlockPosition, Send } from '../../../pool/upstream-request.ts';
import { Lru } from '../../../util/lru.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { type AncestorParts, HISTORY_LENGTH, proveOlderHash } from '../verifying/ancestor-proofs.ts';
import type { Verifier } from '../verifying/verifier.ts';

/** Maximum number of cached old heights, about 150 bytes each. */
const MAX_LINKED = 65_536;
/**
 * Several proofs are needed for a height that one proof does not reach. Intermediate proofs stop at multiples of this number, and the hashes there
 * are cached for other requests.
 */
const STOP = 7_680n;
/** Maximum number of successive proofs for one height. */
const MAX_JUMPS = 64n;
const LINK_LIMIT_MS = 10_000;
/** Time without proof requests after no node has sent a proof, milliseconds. */
const PAUSE_MS = 60_000;

type Block = { readonly number: bigint; readonly hash: string };

export type AgreedLinksParts = {
  readonly verifier: Verifier;
  readonly ask: Send;
  readonly findHeader: AncestorParts['findHeader'] & object;
  /** Returns the served head if enough operators report it now; undefined otherwise. */
  readonly agreedHead: () => Block | undefined;
};

/**
 * Verifies block hashes at old heights by proofs of the history contract (EIP-2935) in the state of a head that enough operators report. One proof
 * reaches hashes up to 8,191 blocks below its block. Any node may send a proof, because the hashes in the proof verify it.
 */
export class AgreedLinks {
  readonly #parts: AgreedLinksParts;
  /**
   * Verified hashes at heights more than `WINDOW_BLOCKS` below the head. Only a longer reorg can change them. `#recent` contains the higher heights.
   */
  readonly #old = new Lru<bigint, string>(MAX_LINKED, Number.POSITIVE_INFINITY);
  readonly #recent = new Lru<bigint, string>(WINDOW_BLOCKS, Number.POSITIVE_INFINITY);
  readonly #running = new Map<bigint, Promise<string | undefined>>();
  /** Time on the clock of `performance.now()` until which no proofs are requested. */
  #pausedUntil = 0;

  constructor(parts: AgreedLinksParts) {
    this.#parts = parts;
  }

  /** Returns whether a block's hash is the verified hash at its height, without a request. */
  has({ number, hash }: BlockPosition): boolean {
    return hash !== undefined && this.hashAt(number) === hash;
  }

  /** Returns the verified hash at a height if it is cached. */
  hashAt(number: bigint): string | undefined {
    return this.#old.get(number) ?? this.#recent.get(number);
  }

  /** Returns the verified hash at a height; requests proofs if it is not cached. Returns undefined if no proof is available. Never rejects. */
  findHash(number: bigint): PromiseOrValue<string | undefined> {
    const known = this.hashAt(number);
    const head = this.#parts.agreedHead();
    if (known !== undefined || head === undefined || number >= head.number) return known;
    if (performance.now() < this.#pausedUntil) return undefined;
    const running = this.#running.get(number) ?? this.#find(head, number);
    this.#running.set(number, running);
    return running;
  }

  /**
   * Drops the hashes that a reorg may have changed.
   * @param count number of blocks that the reorg removed
   */
  noteDeparture(count: number): void {
    this.#recent.clear();
    if (count >= WINDOW_BLOCKS) this.#old.clear();
  }

  /** Drops all hashes; called when the network becomes another chain. */
  forgetChain(): void {
    this.#recent.clear();
    this.#old.clear();
  }

  async #find(head: Block, number: bigint): Promise<string | undefined> {
    const scope = new RequestScope(performance.now() + LINK_LIMIT_MS);
    try {
      return await this.#goDown(head, number, scope);
    } catch (error) {
      if (!(error instanceof UpstreamFault || error instanceof ChainError)) throw error;
      this.#pausedUntil = performance.now() + PAUSE_MS;
      return undefined;
    } finally {
      this.#running.delete(number);
    }
  }

  async #goDown(head: Block, number: bigint, scope: RequestScope): Promise<string | undefined> {
    const { verifier, ask, findHeader } = this.#parts;
    let from = this.#findAbove(head, number);
    if (from.number - number > MAX_JUMPS * STOP) return undefined;
    while (from.number > number) {
      const isNear = from.number - number <= HISTORY_LENGTH;
      const to = isNear ? number : ((from.number - HISTORY_LENGTH + STOP - 1n) / STOP) * STOP;
      const hash = await proveOlderHash({ verifier, ask, scope, findHeader }, from, to);
      if (hash === undefined) {
        // Perhaps the history contract (EIP-2935) does not exist on this chain.
        this.#pausedUntil = performance.now() + PAUSE_MS;
        return undefined;
      }
      from = { number: to, hash };
      const links = head.number - to > BigInt(WINDOW_BLOCKS) ? this.#old : this.#recent;
      links.set(to, hash);
    }
    return from.hash;
  }

  /**
   * Returns the block from whose state the next proof is requested. If one proof suffices, returns the head, because nodes rarely serve proofs of
   * older states. If several proofs are needed, returns the lowest block above `number` whose hash is cached at a stop; returns the head if no such
   * stop is near enough.
   */
  #findAbove(head: Block, number: bigint): Block {
    if (head.number - number <= HISTORY_LENGTH) return head;
    for (
      let at = (number / STOP + 1n) * STOP;
      at < head.number && at - number <= MAX_JUMPS * STOP;
      at += STOP
    ) {
      const hash = this.#old.get(at);
      if (hash !== undefined) return { number: at, hash };
    }
    return head;
  }
}
