import {
  continueWith,
  type PromiseOrValue,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Subject } from '../../../../packages/proofs/findings.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { BlockPosition } from '../../../pool/upstream-request.ts';
import type { BoundName } from '../../../util/bounds.ts';
import type { RequestScope, Trust } from '../../../util/request-scope.ts';
import type { CheckpointLinks } from './checkpoint-links.ts';
import type { Verifier } from './verifier.ts';

const ONE_NODE =
  'only one node in service has the block, where nodes of one operator count as one: configure a checkpoint, or name the block by its hash';
const REQUESTED_TOO_EARLY = 'the request came before verification was calibrated: send it again';

/** Returns whether enough nodes or operators report this block hash at its height. */
export type IsAgreed = (position: BlockPosition) => boolean;

/** Source other than nodes that determines canonical blocks: a configured checkpoint, or layer 1. */
export interface Anchor {
  /** Blocks that are linked to the anchor block; undefined while no anchor block is known. */
  readonly links: CheckpointLinks | undefined;
  /** Reason why no block counts as verified, even if nodes agree on one, as a clause for an error text. */
  readonly contradiction?: string | undefined;
}

/** Explains why too few operators agree on a block. */
export interface AgreementRule {
  /** Returns a sentence for error texts, without a full stop: how many operators report a block, and how many must. */
  explain(position: BlockPosition): string;
}

/** Records the trust level of answers. If the network requires verification (`verify: require`), rejects answers that are not verified. */
export class TrustRules {
  readonly #verifier: Verifier | undefined;
  readonly #isAgreed: IsAgreed;
  readonly #anchor: Anchor | undefined;
  readonly #agreement: AgreementRule | undefined;
  /** Number of answers so far, by trust level. */
  readonly counts: Record<Trust, number> = { proven: 0, agreed: 0, single: 0 };

  /**
   * @param verifier absent if verification is off
   * @param isAgreed returns whether enough nodes report a block
   * @param anchor absent if neither a checkpoint nor layer 1 is configured
   * @param agreement agreement of operators on blocks; absent if two nodes suffice. With agreement, an unverified answer has the level `single`, even
   * if many nodes report its block.
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

  /** Tries to link a block to the checkpoint, if one is configured. Never rejects. */
  link(position: BlockPosition): PromiseOrValue<unknown> {
    return this.#anchor?.links?.link(position);
  }

  /** Tries to link the block of an answer to the checkpoint, and then records the trust level of the answer (`note`). */
  complete(
    scope: RequestScope,
    position: BlockPosition,
    isNamed: boolean,
    subjects: readonly Subject[],
  ): PromiseOrValue<void> {
    const linking = isNamed ? undefined : this.link(position);
    return continueWith(linking, () => this.note(scope, position, isNamed, subjects));
  }

  /**
   * Records the trust level of an answer about a block, and counts it.
   * @param isNamed true if the client named the block by hash, so that the block need not be canonical
   * @param subjects parts of the answer (`Subject`) that must be verified
   * @throws ChainError `unavailable` if the network requires verification and the answer is not verified
   */
  note(scope: RequestScope, position: BlockPosition, isNamed: boolean, subjects: readonly Subject[]): void {
    const why = this.#explain(position, isNamed, subjects) ?? this.#whyEarly(scope);
    const isCompared = this.#agreement === undefined ? this.#isAccepted(position, isNamed) : isNamed;
    this.#record(scope, why, isCompared ? 'agreed' : 'single');
  }

  /**
   * Records the trust level of logs in a range of blocks.
   * @param position last block of the range
   * @param why reason why the logs are not verified, as a clause for an error text; undefined if receipts have verified them
   * @throws ChainError `unavailable` if the network requires verification and the logs are not verified
   */
  noteLogs(scope: RequestScope, position: BlockPosition, isNamed: boolean, why: string | undefined): void {
    this.#record(scope, why ?? this.#whyUnanchored(position, isNamed) ?? this.#whyEarly(scope), 'single');
  }

  /**
   * Records the trust level of an execution on verified state. The request of an execution may have begun before calibration (`REQUESTED_TOO_EARLY`),
   * because proofs and headers are always verified.
   * @param why reason why the result is not verified, as a clause for an error text; undefined if there is none
   * @throws ChainError `unavailable` if the network requires verification and the result is not verified
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
   * Rejects a request at once if its answer would be rejected later, because its block is not verified to be canonical.
   * @throws ChainError `unavailable` if the network requires verification and the block is not verified as canonical
   */
  demandAnchor(position: BlockPosition, isNamed: boolean): void {
    if (this.#verifier?.mode !== 'require') return;
    const why = this.#whyUnanchored(position, isNamed);
    if (why !== undefined) throw notVerified(why);
  }

  /**
   * @param why reason why the answer is not verified, as a clause for an error text
   * @throws ChainError `unavailable` if the network requires verification
   */
  demandProof(why: string, bound?: BoundName): void {
    if (this.#verifier?.mode === 'require') throw notVerified(why, bound);
  }

  #isAccepted(position: BlockPosition, isNamed: boolean): boolean {
    const { number, hash } = position;
    if (isNamed || hash === undefined) return isNamed;
    return this.#anchor?.links?.hashAt(number) === hash || this.#isAgreed(position);
  }

  /** Returns the reason why a block may not be canonical, as a clause for an error text; undefined if it is verified as canonical. */
  #whyUnanchored(position: BlockPosition, isNamed: boolean): string | undefined {
    const { links, contradiction } = this.#anchor ?? {};
    const why = isNamed ? undefined : (contradiction ?? links?.whyUnlinked(position));
    return why ?? (this.#isAccepted(position, isNamed) ? undefined : this.#whyAlone(position));
  }

  #whyAlone(position: BlockPosition): string {
    if (this.#agreement === undefined) return ONE_NODE;
    return `${this.#agreement.explain(position)}: configure a checkpoint, or name the block by its hash`;
  }

  /** Records a trust level: `proven` without `why`. @param otherwise trust level if `why` is present */
  #record(scope: RequestScope, why: string | undefined, otherwise: Trust): void {
    if (why !== undefined) this.demandProof(why);
    const trust = why === undefined ? 'proven' : otherwise;
    scope.noteTrust(trust);
    this.counts[trust]++;
  }

  /** If a part of answers has become verifiable since the request began, returns this as the reason why the answer may be unverified. */
  #whyEarly({ startedAt }: RequestScope): string | undefined {
    const widenedAt = this.#verifier?.calibration.widenedAt;
    return widenedAt !== undefined && startedAt < widenedAt ? REQUESTED_TOO_EARLY : undefined;
  }

  /**
   * Records an unverified answer of one node.
   * @param why reason why the answer is not verified, as a clause for an error text
   * @throws ChainError `unavailable` if the network requires verification
   */
  noteSingle(scope: RequestScope, why: string): void {
    this.#record(scope, why, 'single');
  }

  /**
   * Records the trust level of an encoded transaction that was requested by its hash. The hash alone verifies the transaction, without its block.
   * @param isHashed whether the hash of the answer is the requested hash
   * @throws ChainError `unavailable` if the network requires verification and the hash differs
   */
  noteAlone(scope: RequestScope, isHashed: boolean): void {
    if (!isHashed) this.demandProof('the encoded data does not hash to the requested hash');
    const trust = isHashed && this.#verifier !== undefined ? 'proven' : 'single';
    scope.noteTrust(trust);
    this.counts[trust]++;
  }

  /** Returns the reason why an answer about these subjects of a block is not verified; undefined if it is verified. */
  #explain(position: BlockPosition, isNamed: boolean, subjects: readonly Subject[]): string | undefined {
    const { number, hash } = position;
    if (this.#verifier === undefined || hash === undefined) return 'answers of this network are not verified';
    const why = this.#verifier.whyUnverifiable({ number, hash }, subjects);
    if (why !== undefined) return why;
    return this.#whyUnanchored(position, isNamed);
  }
}

function notVerified(why: string, bound?: BoundName): ChainError {
  const message = `the answer is not verified, but verify: require demands it: ${why}`;
  return new ChainError('unavailable', message, undefined, bound);
}
