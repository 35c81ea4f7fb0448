import { ChainError } from '../../chain/errors.ts';
import { continueWith, type PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { BoundName } from '../../util/bounds.ts';
import type { RequestScope, Trust } from '../../util/request-scope.ts';
import type { Subject } from '../../verification/findings.ts';
import type { BlockPosition } from '../routed-call.ts';
import type { CheckpointLinks } from './checkpoint-links.ts';
import type { Verifier } from './verifier.ts';

const ONE_NODE =
  'only one node in service has the block: configure a checkpoint, or ask by the hash of the block';
const ASKED_TOO_EARLY = 'it was not known yet what can be verified when it was asked for: ask again';

/** Whether a hash is that of the block of its height by more than one node's word. */
export type IsAgreed = (position: BlockPosition) => boolean;

/** What says of blocks that they are of the chain, beside nodes: a configured checkpoint, or layer 1. */
export interface Anchor {
  /** Absent as long as no block is known that it stands for. */
  readonly links: CheckpointLinks | undefined;
  /** Why no block is believed whatever nodes agree on, as the rest of a sentence. */
  readonly contradiction?: string | undefined;
}

/** How many operators have to have a block, where that is configured. */
export interface AgreementRule {
  /** Who has a block, and how many have to, as a sentence without an end. */
  explain(position: BlockPosition): string;
}

/** Says how far answers are to be believed, and refuses those that are not proven where the network requires it. */
export class TrustRules {
  readonly #verifier: Verifier | undefined;
  readonly #isAgreed: IsAgreed;
  readonly #anchor: Anchor | undefined;
  readonly #agreement: AgreementRule | undefined;
  /** Answers so far. */
  readonly counts: Record<Trust, number> = { proven: 0, agreed: 0, single: 0 };

  /**
   * @param verifier absent where nothing is verified
   * @param anchor absent where nothing but nodes is configured
   * @param agreement absent where two nodes are enough. With it an answer that is not proven is one node's word, whoever has its block
   */
  constructor(
    verifier: Verifier | undefined,
    isAgreed: IsAgreed,
    anchor?: Anchor,
    agreement?: AgreementRule,
  ) {
    this.#verifier = verifier;
    this.#isAgreed = isAgreed;
    this.#anchor = anchor;
    this.#agreement = agreement;
  }

  /** Finds out whether a block is linked to the checkpoint, where one is configured. Never rejects. */
  link(position: BlockPosition): PromiseOrValue<unknown> {
    return this.#anchor?.links?.link(position);
  }

  /** The same as `note`, once it is known whether the block is linked to the checkpoint. */
  settle(
    scope: RequestScope,
    position: BlockPosition,
    isNamed: boolean,
    subjects: readonly Subject[],
  ): PromiseOrValue<void> {
    const linking = isNamed ? undefined : this.link(position);
    return continueWith(linking, () => this.note(scope, position, isNamed, subjects));
  }

  /**
   * Notes for the caller how far an answer about a block is to be believed.
   * @param isNamed whether the caller named the block by its hash, which anchors it
   * @param subjects what was compared
   * @throws ChainError `unavailable` where it has to be proven and is not
   */
  note(scope: RequestScope, position: BlockPosition, isNamed: boolean, subjects: readonly Subject[]): void {
    const why = this.#explain(position, isNamed, subjects) ?? this.#whyEarly(scope);
    const isCompared = this.#agreement === undefined ? this.#isBelieved(position, isNamed) : isNamed;
    this.#record(scope, why, isCompared ? 'agreed' : 'single');
  }

  /**
   * The same for logs up to a block.
   * @param why they are not proven, as the rest of a sentence; undefined where they are, as far as the block is that of its height
   */
  noteLogs(scope: RequestScope, position: BlockPosition, isNamed: boolean, why: string | undefined): void {
    this.#record(scope, why ?? this.#whyUnanchored(position, isNamed) ?? this.#whyEarly(scope), 'single');
  }

  /**
   * The same for what was executed here on state that is proven at a block: proofs and headers are compared at all times.
   * @param why it is not proven for another reason
   */
  noteExecuted(
    scope: RequestScope,
    position: BlockPosition,
    isNamed: boolean,
    why: string | undefined,
  ): void {
    this.#record(scope, why ?? this.#whyUnanchored(position, isNamed), 'single');
  }

  /**
   * Whether a block may be answered about at all: what would be refused is not asked for, nor executed.
   * @throws ChainError `unavailable` where answers have to be proven and the block is not that of its height
   */
  demandAnchor(position: BlockPosition, isNamed: boolean): void {
    if (this.#verifier?.mode !== 'require') return;
    const why = this.#whyUnanchored(position, isNamed);
    if (why !== undefined) throw notProven(why);
  }

  /** @throws ChainError `unavailable` where answers have to be proven @param why this one is not */
  demandProof(why: string, bound?: BoundName): void {
    if (this.#verifier?.mode === 'require') throw notProven(why, bound);
  }

  #isBelieved(position: BlockPosition, isNamed: boolean): boolean {
    const { number, hash } = position;
    if (isNamed || hash === undefined) return isNamed;
    return this.#anchor?.links?.hashAt(number) === hash || this.#isAgreed(position);
  }

  /** Why a block may not be that of its height, as the rest of a sentence; undefined where it is. */
  #whyUnanchored(position: BlockPosition, isNamed: boolean): string | undefined {
    const { links, contradiction } = this.#anchor ?? {};
    const why = isNamed ? undefined : (contradiction ?? links?.whyUnlinked(position));
    return why ?? (this.#isBelieved(position, isNamed) ? undefined : this.#whyAlone(position));
  }

  #whyAlone(position: BlockPosition): string {
    if (this.#agreement === undefined) return ONE_NODE;
    return `${this.#agreement.explain(position)}: configure a checkpoint, or ask by the hash of the block`;
  }

  /** @param otherwise what an answer is that is not proven */
  #record(scope: RequestScope, why: string | undefined, otherwise: Trust): void {
    if (why !== undefined) this.demandProof(why);
    const trust = why === undefined ? 'proven' : otherwise;
    scope.noteTrust(trust);
    this.counts[trust]++;
  }

  /** Why an answer may have come before answers of its kind were compared, whatever is known by now. */
  #whyEarly({ startedAt }: RequestScope): string | undefined {
    const widenedAt = this.#verifier?.calibration.widenedAt;
    return widenedAt !== undefined && startedAt < widenedAt ? ASKED_TOO_EARLY : undefined;
  }

  /**
   * Notes for the caller that an answer is one node's word.
   * @param why as the rest of a sentence
   * @throws ChainError `unavailable` where it has to be proven
   */
  noteSingle(scope: RequestScope, why: string): void {
    this.#record(scope, why, 'single');
  }

  /**
   * Notes how far an answer is to be believed that no block commits to.
   * @param isHashed whether it hashes to what the caller named it by
   * @throws ChainError `unavailable` where it has to be proven
   */
  noteAlone(scope: RequestScope, isHashed: boolean): void {
    if (!isHashed) this.demandProof('what was encoded does not hash to the hash that it was asked for by');
    const trust = isHashed && this.#verifier !== undefined ? 'proven' : 'single';
    scope.noteTrust(trust);
    this.counts[trust]++;
  }

  /** Why an answer is not proven; undefined where it is. */
  #explain(position: BlockPosition, isNamed: boolean, subjects: readonly Subject[]): string | undefined {
    const { number, hash } = position;
    if (this.#verifier === undefined || hash === undefined) return 'answers of this network are not verified';
    const why = this.#verifier.whyUnproven({ number, hash }, subjects);
    if (why !== undefined) return why;
    return this.#whyUnanchored(position, isNamed);
  }
}

function notProven(why: string, bound?: BoundName): ChainError {
  const message = `the answer is not proven, which verify: require demands: ${why}`;
  return new ChainError('unavailable', message, undefined, bound);
}
