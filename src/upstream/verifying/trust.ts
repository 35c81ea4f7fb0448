import { ChainError } from '../../chain/errors.ts';
import type { RequestScope, Trust } from '../../util/request-scope.ts';
import type { Subject } from '../../verification/findings.ts';
import type { BlockPosition } from '../routed-call.ts';
import type { Verifier } from './verifier.ts';

const ONE_NODE = 'only one node has the block';

/** Whether a hash is that of the block of its height by more than one node's word: an anchor. */
export type IsAnchored = (position: BlockPosition) => boolean;

/** Says how far answers are to be believed, and refuses those that are not proven where the network requires it. */
export class TrustRules {
  readonly #verifier: Verifier | undefined;
  readonly #isAnchored: IsAnchored;
  /** Answers so far. */
  readonly counts: Record<Trust, number> = { proven: 0, agreed: 0, single: 0 };

  /** @param verifier absent where nothing is verified */
  constructor(verifier: Verifier | undefined, isAnchored: IsAnchored) {
    this.#verifier = verifier;
    this.#isAnchored = isAnchored;
  }

  /**
   * Notes for the caller how far an answer about a block is to be believed.
   * @param isNamed whether the caller named the block by its hash, which anchors it
   * @param subjects what was compared
   * @throws ChainError `unavailable` where it has to be proven and is not
   */
  note(scope: RequestScope, position: BlockPosition, isNamed: boolean, subjects: readonly Subject[]): void {
    const { hash } = position;
    const isAnchored = this.#isBelieved(position, isNamed);
    const why = this.#explain(hash, isAnchored, subjects);
    this.#record(scope, why, isAnchored ? 'agreed' : 'single');
  }

  /**
   * The same for logs up to a block.
   * @param why they are not proven, as the rest of a sentence; undefined where they are, as far as the block is that of its height
   */
  noteLogs(scope: RequestScope, position: BlockPosition, isNamed: boolean, why: string | undefined): void {
    const isAnchored = this.#isBelieved(position, isNamed);
    this.#record(scope, why ?? (isAnchored ? undefined : ONE_NODE), 'single');
  }

  /** @throws ChainError `unavailable` where answers have to be proven @param why this one is not */
  demandProof(why: string): void {
    if (this.#verifier?.mode === 'require') throw notProven(why);
  }

  #isBelieved(position: BlockPosition, isNamed: boolean): boolean {
    return isNamed || (position.hash !== undefined && this.#isAnchored(position));
  }

  /** @param otherwise what an answer is that is not proven */
  #record(scope: RequestScope, why: string | undefined, otherwise: Trust): void {
    if (why !== undefined) this.demandProof(why);
    const trust = why === undefined ? 'proven' : otherwise;
    scope.trust = trust;
    this.counts[trust]++;
  }

  /**
   * Notes for the caller that an answer is one node's word.
   * @param why as the rest of a sentence
   * @throws ChainError `unavailable` where it has to be proven
   */
  noteSingle(scope: RequestScope, why: string): void {
    this.#record(scope, why, 'single');
  }

  /** Notes how far an answer is to be believed that no block commits to. @param isHashed whether it hashes to what the caller named it by */
  noteAlone(scope: RequestScope, isHashed: boolean): void {
    const trust = isHashed && this.#verifier !== undefined ? 'proven' : 'single';
    scope.trust = trust;
    this.counts[trust]++;
  }

  /** Notes for the caller that an answer was executed here on state that is proven at a block. */
  noteExecuted(scope: RequestScope, position: BlockPosition, isNamed: boolean): void {
    scope.trust = isNamed || this.#isAnchored(position) ? 'proven' : 'single';
    this.counts[scope.trust]++;
  }

  /** Why an answer is not proven; undefined where it is. */
  #explain(hash: string | undefined, isAnchored: boolean, subjects: readonly Subject[]): string | undefined {
    if (this.#verifier === undefined || hash === undefined) return 'answers of this network are not verified';
    const why = this.#verifier.whyUnproven(hash, subjects);
    if (why !== undefined) return why;
    return isAnchored ? undefined : ONE_NODE;
  }
}

function notProven(why: string): ChainError {
  return new ChainError('unavailable', `the answer is not proven, which verify: require demands: ${why}`);
}
