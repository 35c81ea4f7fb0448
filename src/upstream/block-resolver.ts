import { setTimeout as wait } from 'node:timers/promises';
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
  readonly genesisHash: string | undefined;
};

/** Turns tags, numbers and hashes into one block, the same one for every upstream that is asked. */
export class BlockResolver {
  readonly #parts: BlockResolverParts;

  constructor(parts: BlockResolverParts) {
    this.#parts = parts;
  }

  /** The served head. @throws ChainError `unavailable` when none is known in time. */
  async getHead(scope: CallScope): Promise<BlockHeader> {
    const { head } = this.#parts;
    if (head.head !== undefined) return head.head;
    await waitFor(head.whenKnown(), scope.deadline);
    if (head.head === undefined) throw new ChainError('unavailable', 'no node has told its head yet');
    return head.head;
  }

  /** Without asking anybody, but for a hash that has not been seen and a tag that has not been told. */
  async resolve(reference: BlockReference, scope: CallScope): Promise<ResolvedBlock> {
    const latest = await this.getHead(scope);
    switch (reference.kind) {
      case 'tag':
        return this.#resolveTag(reference.tag, latest, scope);
      case 'number':
        if (reference.number > latest.number) return { kind: 'none', message: 'header not found' };
        return canonical({ number: reference.number, hash: this.#parts.directory.hashOf(reference.number) });
      case 'hash':
        return this.#resolveHash(reference.hash, latest, scope);
    }
  }

  async #resolveTag(tag: BlockTag, latest: BlockHeader, scope: CallScope): Promise<ResolvedBlock> {
    switch (tag) {
      case 'pending':
        return { kind: 'pending' };
      case 'latest':
        return canonical(latest);
      case 'earliest':
        return canonical({ number: 0n, hash: this.#parts.genesisHash });
      default: {
        const { tags, head, directory } = this.#parts;
        const substitute = tags[tag];
        if (substitute !== undefined && substitute !== 'none') {
          return this.#resolveTag(substitute, latest, scope);
        }
        // Right after the start the share may not have told it yet, but one node may know it.
        const block = substitute === 'none' ? null : (head[tag] ?? (await directory.findByTag(tag, scope)));
        return block === null ? { kind: 'none', message: `${tag} block not found` } : canonical(block);
      }
    }
  }

  async #resolveHash(hash: string, latest: BlockHeader, scope: CallScope): Promise<ResolvedBlock> {
    if (hash === latest.hash) return canonical(latest);
    const block = await this.#parts.directory.findByHash(hash, scope);
    if (block === null || block.number > latest.number) {
      return { kind: 'none', message: 'header for hash not found' };
    }
    const isCanonical = this.#parts.directory.hashOf(block.number) === hash;
    return { kind: 'block', position: { number: block.number, hash }, isCanonical };
  }
}

function canonical({ number, hash }: BlockPosition): ResolvedBlock {
  return { kind: 'block', position: { number, hash }, isCanonical: true };
}

/** Until it is done or the deadline (of `performance.now()`) has come. */
async function waitFor(work: Promise<void>, deadline: number): Promise<void> {
  const limit = new AbortController();
  const timeUp = wait(Math.max(0, deadline - performance.now()), undefined, { signal: limit.signal });
  await Promise.race([work, timeUp.catch(() => {})]);
  limit.abort();
}
