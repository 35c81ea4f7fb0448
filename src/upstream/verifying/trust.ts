import { ChainError } from '../../chain/errors.ts';
import type { RequestScope, Trust } from '../../util/request-scope.ts';
import type { Subject } from '../../verification/findings.ts';
import type { BlockPosition } from '../routed-call.ts';
import type { Verifier } from './verifier.ts';

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
    const isAnchored = isNamed || (hash !== undefined && this.#isAnchored(position));
    const why = this.#explain(hash, isAnchored, subjects);
    if (why !== undefined && this.#verifier?.mode === 'require') throw notProven(why);
    const trust = why === undefined ? 'proven' : isAnchored ? 'agreed' : 'single';
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
    return isAnchored ? undefined : 'only one node has the block';
  }
}

function notProven(why: string): ChainError {
  return new ChainError('unavailable', `the answer is not proven, which verify: require demands: ${why}`);
}
