import type { CacheKey } from '../cache/cache.ts';
import { isComplete, type JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { Subject } from '../verification/findings.ts';
import { NO_UNCLES } from '../verification/verify-block.ts';
import type { QuestionParts } from './call-questions.ts';
import { checkBlock } from './checks/check-block.ts';
import type { RoutedCall } from './routed-call.ts';
import { listHashes, type ProvenBlock } from './verifying/proven-blocks.ts';

/** How a block is asked for. */
export type BlockQuestion = Pick<RoutedCall, 'method' | 'params' | 'nulls' | 'block'>;

/** A block of which number and hash are known; one that is not canonical has to be asked for by its hash. */
type KnownBlock = { readonly number: bigint; readonly hash: string };

/** Without which a block is not kept among the verified ones. */
const KEPT_SUBJECTS: readonly Subject[] = ['header', 'transactions', 'withdrawals'];

/** Asks for blocks as objects, and verifies what comes. */
export class WholeBlocks {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /** The block of this hash; null where there is none. @param isFull with whole transactions, so that it may be large @param keyAs under what it is kept instead */
  ask(
    question: BlockQuestion,
    hash: string,
    isFull: boolean,
    scope: RequestScope,
    keyAs?: CacheKey,
  ): PromiseOrValue<JsonResult | null> {
    const { cacheScope, directory, proofs, ask } = this.#parts;
    const isKnown = checkBlock(hash, directory.findKnown(hash));
    const mark = proofs?.keyPart(isFull ? 'transactions' : 'header') ?? '';
    const answer = ask({
      call: {
        ...question,
        key: keyAs ?? { blockHash: hash, question: `${cacheScope()}:block:${isFull}${mark}` },
        isBound: true,
        isKept: () => mark === '' || proofs?.verifier?.whyUnproven(hash, KEPT_SUBJECTS) === undefined,
        ...(isFull ? { isHeld: true, takesBytes: true } : { isText: true }),
        check: (result, upstream) => {
          // What is recomputed needs no comparison with what others said of it.
          const verified = proofs?.blocks?.check(hash, result, isFull, upstream) ?? result;
          return proofs?.blocks?.find(hash) === undefined ? isKnown(verified) : verified;
        },
      },
      scope,
    });
    return continueWith(answer, (found) => (found === 'null' ? null : found));
  }

  /**
   * A block with the hashes of its transactions. Made of the whole one the first time, and compared with it from then on, as long as it is remembered; asked for
   * as such where the whole one is too large. What the hashes of uncles are compared with is not remembered.
   */
  askHashes(
    question: (isFull: boolean) => BlockQuestion,
    hash: string,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null> {
    const { cacheScope, keep, recall, proofs } = this.#parts;
    const key = { blockHash: hash, question: `${cacheScope()}:block:hashes:verified` };
    return continueWith(recall?.(key), (kept) => {
      if (kept !== undefined) return kept;
      if (proofs?.blocks?.find(hash)?.header.unclesHash === NO_UNCLES)
        return this.ask(question(false), hash, false, scope, key);
      return continueWith<JsonResult | null, JsonResult | null>(
        this.ask(question(true), hash, true, scope),
        (block) => {
          if (block === null) return null;
          if (!isComplete(block)) {
            block.cancel();
            return this.ask(question(false), hash, false, scope);
          }
          const listed = listHashes(typeof block === 'string' ? block : block.text);
          if (proofs?.verifier?.whyUnproven(hash, KEPT_SUBJECTS) === undefined) keep(key, listed);
          return listed;
        },
      );
    });
  }

  /** A block that was verified as a whole; undefined where that cannot be. */
  prove(
    block: KnownBlock,
    isCanonical: boolean,
    scope: RequestScope,
  ): PromiseOrValue<ProvenBlock | undefined> {
    const { proofs } = this.#parts;
    if (proofs?.blocks === undefined) return undefined;
    return proofs.blocks.prove(
      block.hash,
      (inner) => this.ask(nameBlock(block, isCanonical), block.hash, true, inner),
      scope,
    );
  }
}

function nameBlock({ number, hash }: KnownBlock, isCanonical: boolean): BlockQuestion {
  const block = { number, hash };
  return isCanonical
    ? { method: 'eth_getBlockByNumber', params: `["${encodeQuantity(number)}",true]`, block, nulls: 'doubt' }
    : { method: 'eth_getBlockByHash', params: `["${hash}",true]`, block, nulls: 'fault' };
}
