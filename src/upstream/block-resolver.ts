import type { BlockReference, BlockTag, CallScope } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { BlockDirectory } from './block-directory.ts';
import type { BlockHeader } from './heads/block.ts';
import type { NetworkHead } from './heads/network-head.ts';
import type { PoolOptions } from './options.ts';
import type { BlockPosition } from './routed-call.ts';

/** What a reference means now. */
export type ResolvedBlock =
  | { readonly kind: 'block'; readonly position: BlockPosition; readonly isCanonical: boolean }
  | { readonly kind: 'pending' }
  /** There is no such block; `message` is geth's text for calls at it. */
  | { readonly kind: 'none'; readonly message: string };

export type BlockResolverParts = {
  readonly head: NetworkHead;
  readonly directory: BlockDirectory;
  readonly tags: PoolOptions['tags'];
  /** Undefined as long as too few nodes have said it. */
  readonly genesisHash: () => string | undefined;
  /** Whether there is a node that may yet tell a head. */
  readonly mayBeKnown: () => boolean;
};

type TagReference = { readonly kind: 'tag'; readonly tag: 'safe' | 'finalized' };

/** Turns tags, numbers and hashes into one block, the same one for every upstream that is asked. */
export class BlockResolver {
  readonly #parts: BlockResolverParts;
  /** Wakes those who wait for the first head. One reaction to `whenKnown` serves all: reactions cannot be taken back. */
  readonly #waiting = new Set<() => void>();

  constructor(parts: BlockResolverParts) {
    this.#parts = parts;
    void parts.head.whenKnown().then(() => {
      for (const wake of this.#waiting) wake();
    });
  }

  /** The served head. @throws ChainError `unavailable` when none is known in time. */
  async getHead(scope: CallScope): Promise<BlockHeader> {
    const { head } = this.#parts;
    if (head.head !== undefined) return head.head;
    if (!this.#parts.mayBeKnown()) throw new ChainError('unavailable', 'every node is of another chain');
    await this.#waitForHead(scope);
    if (head.head === undefined) throw new ChainError('unavailable', 'no node has told its head yet');
    return head.head;
  }

  /** What a reference means, asking nodes only for a hash that has not been seen and a tag that has not been told. */
  async resolve(reference: BlockReference, scope: CallScope): Promise<ResolvedBlock> {
    const latest = await this.getHead(scope);
    const known = this.resolveNow(reference);
    if (known !== undefined) return known;
    if (reference.kind === 'hash') return this.#resolveHash(reference, latest, scope);
    return this.#askTag(reference as TagReference, scope);
  }

  /** What a reference means, where that is known without asking anybody. */
  resolveNow(reference: BlockReference): ResolvedBlock | undefined {
    const latest = this.#parts.head.head;
    if (latest === undefined) return undefined;
    switch (reference.kind) {
      case 'tag':
        return this.#resolveTag(reference.tag, latest);
      case 'number':
        if (reference.number > latest.number) return { kind: 'none', message: 'header not found' };
        return canonical({ number: reference.number, hash: this.#parts.directory.hashOf(reference.number) });
      case 'hash':
        return reference.hash === latest.hash ? canonical(latest) : undefined;
    }
  }

  /** Until there is a head, the deadline has come or the caller has gone. */
  #waitForHead({ deadline, signal }: CallScope): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, deadline - performance.now()));
      this.#waiting.add(wake);
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake);
    });
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

  /** Right after the start the share may not have told a tag yet, but the nodes may know it. */
  async #askTag({ tag }: TagReference, scope: CallScope): Promise<ResolvedBlock> {
    const asked = this.#parts.tags[tag] === 'safe' || tag === 'safe' ? 'safe' : 'finalized';
    const block = await this.#parts.directory.findByTag(asked, scope);
    return block === null ? { kind: 'none', message: `${tag} block not found` } : canonical(block);
  }

  async #resolveHash(
    { hash, requireCanonical }: Extract<BlockReference, { kind: 'hash' }>,
    latest: BlockHeader,
    scope: CallScope,
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

function canonical({ number, hash }: BlockPosition): ResolvedBlock {
  return { kind: 'block', position: { number, hash }, isCanonical: true };
}
