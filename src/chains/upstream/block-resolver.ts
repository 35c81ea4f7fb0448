import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, BlockTag } from '../../chain/requests.ts';
import type { BlockHeader } from '../../pool/heads/block.ts';
import type { NetworkHead } from '../../pool/heads/network-head.ts';
import type { HeadHindrance } from '../../pool/heads/network-head-options.ts';
import type { SharedHeights } from '../../pool/heads/shared-heights.ts';
import type { PoolOptions } from '../../pool/options.ts';
import type { BlockPosition } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { ScopeWaiters } from '../../util/scope-waiters.ts';
import type { BlockDirectory } from './block-directory.ts';

/** Block to which a reference resolves at the served head. */
export type ResolvedBlock =
  | { readonly kind: 'block'; readonly position: BlockPosition; readonly isCanonical: boolean }
  | { readonly kind: 'pending' }
  /** No such block exists; `message` is geth's error text for a call at this reference. */
  | { readonly kind: 'none'; readonly message: string };

export type BlockResolverParts = {
  readonly head: NetworkHead;
  readonly directory: BlockDirectory;
  /** Heights that other processes of the service have served; absent if only one process serves the chain. */
  readonly heights?: Pick<SharedHeights, 'isCurrent' | 'catchUp'> | undefined;
  readonly tags: PoolOptions['tags'];
  /** Returns the genesis hash; undefined until enough nodes have reported it. */
  readonly genesisHash: () => string | undefined;
  /** Returns whether the first head may still be reported, because a node has started recently. */
  readonly mayBeKnown: () => boolean;
  /** Returns an error text with the reason why no node can be used. */
  readonly explainOutage: () => string;
};

type TagReference = { readonly kind: 'tag'; readonly tag: 'safe' | 'finalized' };

const MS = 1_000;

/** Resolves tags, numbers and hashes to one block, so that every upstream receives the same block. */
export class BlockResolver {
  readonly #parts: BlockResolverParts;
  /** Requests that wait for the first head. */
  readonly #waiting = new ScopeWaiters();

  constructor(parts: BlockResolverParts) {
    this.#parts = parts;
  }

  /**
   * Must be called when the head or the nodes change. Wakes the requests that wait for the first head when a head is known, or when no node is
   * expected to report one.
   */
  noteChange(): void {
    if (this.#waiting.size === 0) return;
    if (this.#parts.head.head === undefined && this.#parts.mayBeKnown()) return;
    this.#waiting.wake();
  }

  /**
   * Returns the served head.
   * @throws ChainError `unavailable` if no head is known in time, or if the head is too old to be served
   */
  async getHead(scope: RequestScope): Promise<BlockHeader> {
    const latest = await this.#getCurrentHead(scope);
    this.#checkAge(latest);
    return latest;
  }

  /**
   * Resolves a reference. Requests are sent only for an unknown hash, or for a tag whose block no node has reported yet.
   * @throws ChainError `unavailable` if no head is known in time. If the head is too old to be served, throws only for a reference that may resolve
   * to another block at another head.
   */
  async resolve(reference: BlockReference, scope: RequestScope): Promise<ResolvedBlock> {
    const before = await this.#getKnownHead(scope);
    const latest = this.#dependsOnHead(reference, before) ? await this.#getCurrentHead(scope) : before;
    if (!this.#isImmutable(reference)) this.#checkAge(latest);
    const known = this.#resolveKnown(reference);
    if (known !== undefined) return known;
    if (reference.kind === 'hash') return this.#resolveHash(reference, latest, scope);
    return this.#requestTag(reference as TagReference, scope);
  }

  /** Resolves a reference; the result is synchronous if no request is needed. */
  resolveSoon(reference: BlockReference, scope: RequestScope): PromiseOrValue<ResolvedBlock> {
    return this.resolveNow(reference) ?? this.resolve(reference, scope);
  }

  /** Resolves a reference without a request; returns undefined if a request is needed. */
  resolveNow(reference: BlockReference): ResolvedBlock | undefined {
    const { heights, head } = this.#parts;
    if (
      heights !== undefined &&
      head.head !== undefined &&
      this.#dependsOnHead(reference, head.head) &&
      !heights.isCurrent(head.head.number)
    )
      return undefined;
    return this.#resolveKnown(reference);
  }

  /** Returns whether a reference may resolve to another block at a higher head. */
  #dependsOnHead(reference: BlockReference, { number }: BlockHeader): boolean {
    if (reference.kind === 'tag') return reference.tag !== 'earliest';
    return reference.kind === 'hash' || reference.number > number;
  }

  #resolveKnown(reference: BlockReference): ResolvedBlock | undefined {
    const latest = this.#parts.head.head;
    if (latest === undefined) return undefined;
    if (this.#parts.head.isExpired && !this.#isImmutable(reference)) return undefined;
    switch (reference.kind) {
      case 'tag':
        return this.#resolveTag(reference.tag, latest);
      case 'number':
        if (reference.number > latest.number) return { kind: 'none', message: 'header not found' };
        return canonical({ number: reference.number, hash: this.#parts.directory.hashOf(reference.number) });
      case 'hash': {
        const { safe, finalized } = this.#parts.head;
        const known = [latest, finalized, safe].find((header) => header?.hash === reference.hash);
        return known === undefined ? undefined : canonical(known);
      }
    }
  }

  /** Returns the head; waits while it is below the height that another process has served. @throws ChainError `unavailable` */
  async #getCurrentHead(scope: RequestScope): Promise<BlockHeader> {
    const { head, heights } = this.#parts;
    const known = await this.#getKnownHead(scope);
    if (heights === undefined || heights.isCurrent(known.number)) return known;
    await heights.catchUp(scope);
    return head.head ?? known;
  }

  async #getKnownHead(scope: RequestScope): Promise<BlockHeader> {
    const { head } = this.#parts;
    if (head.head === undefined && this.#parts.mayBeKnown()) await this.#waiting.wait(scope);
    if (head.head === undefined) throw new ChainError('unavailable', this.#parts.explainOutage());
    return head.head;
  }

  #checkAge({ number }: BlockHeader): void {
    const { head, explainOutage } = this.#parts;
    if (head.hindrance === undefined) return;
    throw new ChainError(
      'unavailable',
      `${describeHindrance(head.hindrance, number, head)}: ${explainOutage()}`,
    );
  }

  /** Returns whether the reference means the same block at every head. */
  #isImmutable(reference: BlockReference): boolean {
    if (reference.kind === 'tag') return reference.tag === 'earliest';
    if (reference.kind === 'hash') return !reference.requireCanonical;
    return reference.number <= (this.#parts.head.finalized?.number ?? 0n);
  }

  #resolveTag(tag: BlockTag, latest: BlockHeader): ResolvedBlock | undefined {
    switch (tag) {
      case 'pending':
        return { kind: 'pending' };
      case 'latest':
        return canonical(latest);
      case 'earliest':
        return canonical({ number: 0n, hash: this.#parts.genesisHash() });
      default: {
        const { tags, head } = this.#parts;
        const substitute = tags[tag];
        if (substitute === 'none') return { kind: 'none', message: `${tag} block not found` };
        if (substitute !== undefined) return this.#resolveTag(substitute, latest);
        const header = head[tag];
        if (header !== undefined) return canonical(header);
        return head.hasMarks ? { kind: 'none', message: `${tag} block not found` } : undefined;
      }
    }
  }

  /** Requests the block of a tag, because nodes may not have reported it yet right after the start. */
  async #requestTag({ tag }: TagReference, scope: RequestScope): Promise<ResolvedBlock> {
    const requested = this.#parts.tags[tag] === 'safe' || tag === 'safe' ? 'safe' : 'finalized';
    const block = await this.#parts.directory.findByTag(requested, scope);
    return block === null ? { kind: 'none', message: `${tag} block not found` } : canonical(block);
  }

  async #resolveHash(
    { hash, requireCanonical }: Extract<BlockReference, { kind: 'hash' }>,
    latest: BlockHeader,
    scope: RequestScope,
  ): Promise<ResolvedBlock> {
    const { directory } = this.#parts;
    const block = await directory.findByHash(hash, scope);
    if (block === null || block.number > latest.number) {
      return { kind: 'none', message: 'header for hash not found' };
    }
    const { number } = block;
    const served = directory.hashOf(number) ?? (await directory.findByNumber(number, scope))?.hash;
    if (served === hash) return canonical({ number, hash });
    if (requireCanonical) return { kind: 'none', message: 'hash is not currently canonical' };
    return { kind: 'block', position: { number, hash }, isCanonical: false };
  }
}

/** Explains why no answer at the head is served, as the beginning of an error text. */
function describeHindrance(
  hindrance: HeadHindrance,
  number: bigint,
  { unconfirmedMs, shortMs }: Pick<NetworkHead, 'unconfirmedMs' | 'shortMs'>,
): string {
  switch (hindrance) {
    case 'age':
      return `no node has confirmed block ${number} for ${Math.floor(unconfirmedMs / MS)} s`;
    case 'voices':
      return `too few operators have block ${number}`;
    case 'stalled':
      return `too few operators have had a block above ${number} for ${Math.floor(shortMs / MS)} s`;
  }
}

function canonical({ number, hash }: BlockPosition): ResolvedBlock {
  return { kind: 'block', position: { number, hash }, isCanonical: true };
}
