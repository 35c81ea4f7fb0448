import { RlpWriter } from '../../../../packages/ethereum/primitives/rlp-writer.ts';
import type { RecoverPublicKey } from '../../../../packages/ethereum/primitives/signature.ts';
import { type Finding, Findings, type Subject } from '../../../../packages/proofs/findings.ts';
import type { VerifyTools } from '../../../../packages/proofs/verify-transaction.ts';
import type { Logger } from '../../../observe/logger.ts';
import { Refutation } from '../../../pool/fault.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { VerifyMode } from '../../../pool/options.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition } from '../../../pool/upstream-request.ts';
import { Lru } from '../../../util/lru.ts';
import { OccasionalLog } from '../../../util/occasional-log.ts';
import { Calibration, UNKNOWN_NUMBER } from './calibration.ts';
import { findMajorityReply } from './find-majority-reply.ts';
import { PendingMismatches } from './pending-mismatches.ts';

/** Cap on blocks with an unverified part and its reason: about 200 bytes each. */
const MAX_UNVERIFIABLE = 4_096;
/**
 * Distance in blocks below the head, or below the first block of a known fork, within which a fork may explain failed answers; older blocks had other rules.
 */
const RECENT_BLOCKS = 128n;
/** Cap on remembered unknown encodings, above what a chain has. */
const MAX_FORMS = 64;
/** Log lines per minute and method about answers without a proof. */
const LACKING_LINES = 1;

export type VerifierParts = {
  readonly network: string;
  readonly mode: Exclude<VerifyMode, 'off'>;
  readonly upstreams: readonly Upstream[];
  readonly recoverPublicKey: RecoverPublicKey;
  readonly log: Logger;
  readonly head: () => BlockHeader | undefined;
  /**
   * Called when answers failed that may be valid under rules unknown here: recent blocks must be examined again, and the block of the answer where it is known.
   */
  readonly onUnlinked: (number: bigint | undefined) => void;
  /** Returns whether a checkpoint or layer 1 commits to a block of this hash at a height. */
  readonly isAnchored: (number: bigint, hash: string) => boolean;
  /** Quarantines a node whose answer is refuted by another node's answer and their block. */
  readonly refute: (upstream: Upstream, evidence: string) => void;
};

/**
 * Subjects in which clients legitimately differ: a node whose objects have other members than its block's transactions is not asked further, but not
 * quarantined.
 */
const WITHOUT_BLAME: ReadonlySet<Subject> = new Set<Subject>(['members']);

/**
 * Key of a verification result: a block or, where parts of it are verified separately, one part; `hash` then names the part too. The number is
 * recomputed, or as requested.
 */
export type VerificationTarget = { readonly number: bigint | undefined; readonly hash: string };

/** Numbers of answers by result. */
export type VerifyCounts = { verified: number; unproven: number; refuted: number };

/** Decides from the findings in an answer whether it is verified, unverifiable or refuted. */
export class Verifier {
  readonly calibration: Calibration = new Calibration();
  readonly mode: Exclude<VerifyMode, 'off'>;
  readonly recoverPublicKey: RecoverPublicKey;
  readonly counts: VerifyCounts = { verified: 0, unproven: 0, refuted: 0 };
  readonly #parts: VerifierParts;
  readonly #writer = new RlpWriter();
  readonly #mismatches = new PendingMismatches();
  /** Evidence of accepted answers that follow unknown rules, by block and subject. */
  readonly #accepted = new Lru<string, string>(MAX_UNVERIFIABLE, Number.POSITIVE_INFINITY);
  /** Unknown encodings that all nodes returned for some block, by subject. */
  readonly #forms = new Set<string>();
  readonly #lackingLog = new OccasionalLog(LACKING_LINES);
  /** Last block whose contradiction came from the only node, per subject; cleared on the next verified answer. */
  readonly #alone = new Map<Subject, bigint>();
  /** Reasons why subjects are not verified, by block. */
  readonly #unproven = new Lru<string, Map<Subject, string>>(
    MAX_UNVERIFIABLE,
    Number.POSITIVE_INFINITY,
    undefined,
    undefined,
    (blockHash) => this.onForgotten?.(blockHash),
  );
  /** Called when the reasons of a block are evicted: other records of the block must be dropped too. */
  onForgotten: ((blockHash: string) => void) | undefined;

  constructor(parts: VerifierParts) {
    this.#parts = parts;
    this.mode = parts.mode;
    this.recoverPublicKey = parts.recoverPublicKey;
  }

  /** Opens fresh findings for one answer. */
  openTools(): VerifyTools {
    return { findings: new Findings(), writer: this.#writer };
  }

  /**
   * Returns whether answers about a subject are compared with roots; false until calibration is complete.
   * @param number of the block; where undefined, the result says whether the subject may be verifiable for some block
   */
  canVerify(subject: Subject, number: bigint | undefined): boolean {
    const { calibration } = this;
    if (!calibration.isDone) return false;
    return number === undefined
      ? calibration.mayBeVerified(subject)
      : calibration.stateOf(subject, number) !== 'unverifiable';
  }

  /** Why an answer about these subjects of a block is not verified, as the end of a sentence; undefined where it is. */
  whyUnverifiable({ number, hash }: VerificationTarget, subjects: readonly Subject[]): string | undefined {
    if (!this.calibration.isDone) return 'it is not known yet what can be verified on this network';
    for (const subject of subjects) {
      if (this.calibration.stateOf(subject, number) === 'unverifiable') {
        const why = this.calibration.reasonOf(subject, number ?? UNKNOWN_NUMBER);
        return `${subject} cannot be verified on this network: ${why}`;
      }
      const reason = this.#unproven.get(hash)?.get(subject);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  /** Counts and logs an answer without a proof about a verifiable subject; the caller serves it unverified, or refuses it. */
  noteLacking(method: string, reason: string): void {
    this.counts.unproven++;
    const leftOut = this.#lackingLog.admit(method);
    if (leftOut === undefined) return;
    const { network, log } = this.#parts;
    log.info({ network, method, reason, leftOut }, 'no node can verify an answer');
  }

  /** Returns whether a block has uncles that have not been compared with its header. */
  lacksUncles(blockHash: string): boolean {
    return this.#unproven.get(blockHash)?.has('uncles') === true;
  }

  /** Records that a subject of a block was accepted unverified. */
  markUnverifiable(blockHash: string, subject: Subject, reason: string): void {
    const reasons = this.#unproven.get(blockHash) ?? new Map<Subject, string>();
    this.#unproven.set(blockHash, reasons.set(subject, reason));
    this.counts.unproven++;
  }

  /** Clears the record of an unverified subject after it was verified. */
  noteVerified(blockHash: string, subject: Subject): void {
    this.#unproven.get(blockHash)?.delete(subject);
  }

  /**
   * Accepts or refutes an answer about a block by its findings.
   * @param subjects what was compared
   * @param shown subjects that the answer contained; untested ones become verifiable when it verifies
   * @throws UpstreamFault `wrong` where the answer contradicts the block, or has an unknown encoding that no other node has returned yet
   */
  classify(
    block: VerificationTarget,
    found: readonly Finding[],
    subjects: readonly Subject[],
    upstream: Upstream | undefined,
    shown: readonly Subject[] = [],
  ): void {
    const { hash: blockHash, number = UNKNOWN_NUMBER } = block;
    const counted = found.filter(({ subject }) => this.canVerify(subject, number));
    let isAccepted = false;
    for (const finding of counted) {
      const { subject, kind, text } = finding;
      if (
        this.#accepted.get(nameOf(blockHash, subject)) === finding.evidence &&
        finding.evidence !== undefined
      ) {
        isAccepted = true;
        continue;
      }
      const isUntested = this.calibration.stateOf(subject, number) === 'untested';
      if ((kind === 'unknown' || isUntested) && this.#isAcceptedAlone(blockHash, finding, upstream)) {
        if (kind === 'unknown') this.markUnverifiable(blockHash, subject, text);
        else this.giveUp(subject, text, number);
        continue;
      }
      this.counts.refuted++;
      if (upstream !== undefined) this.#mismatches.add(blockHash, upstream, finding);
      throw new Refutation(blockHash, subject, text);
    }
    if (counted.length > 0 || isAccepted) return;
    for (const subject of shown)
      if (this.calibration.stateOf(subject, number) === 'untested')
        this.calibration.noteShown(subject, number);
    this.#complete(block, subjects, upstream);
  }

  /**
   * Decides whether a refuted answer follows rules of the chain that are unknown here: every node that has the block returned an answer that does not
   * verify, and most of them the same one. Where the block is less than `RECENT_BLOCKS` below the head, or below the first block of a known fork, the subject
   * counts as unverifiable from that block on, and is compared between nodes until recent blocks verify again.
   * Only the answers themselves are accepted where the block is old, and for the first block that the only node contradicts: some nodes answer from a
   * state that is half way to the next block (anvil, while it makes one). Nothing is accepted where every answer must be verified.
   * Nodes that contradict two or more that agree are quarantined.
   * @param block the block of the request, where it is known
   * @returns nodes that returned another answer; undefined where the refutation stands
   */
  acceptRules(
    { blockHash, subject }: Refutation,
    block: BlockPosition | undefined,
  ): ReadonlySet<Upstream> | undefined {
    if (this.mode === 'require') {
      this.#parts.onUnlinked(block?.number);
      return undefined;
    }
    const replies = this.#mismatches.listReplies(blockHash, subject);
    const able = this.#parts.upstreams.filter(
      ({ isUp, isOnFork, tracker }) =>
        isUp && !isOnFork && (block === undefined || tracker.holds(block.number, block.hash)),
    );
    const common = findMajorityReply(replies, able);
    if (common === undefined) {
      this.#parts.onUnlinked(block?.number);
      return undefined;
    }
    const { finding, dissenters } = common;
    const head = this.#parts.head()?.number;
    const from = this.calibration.abandonedFrom(finding.subject);
    const isNear = ({ number }: BlockPosition): boolean =>
      [head, from].some((edge) => edge !== undefined && number + RECENT_BLOCKS > edge);
    // Block 0 follows no fork: an error in it (anvil's state root) says nothing about later blocks.
    const isConfirmed = replies.size - dissenters.size > 1;
    const isRecent = block !== undefined && block.number > 0n && isNear(block);
    if (finding.kind === 'unknown') {
      this.markUnverifiable(blockHash, finding.subject, finding.text);
      if (this.#forms.size < MAX_FORMS) this.#forms.add(nameOf(finding.subject, finding.evidence));
    } else if (isRecent && (isConfirmed || this.#isRepeated(finding.subject, block.number))) {
      this.giveUp(finding.subject, finding.text, block.number);
    } else {
      if (block !== undefined && block.number > 0n && !isRecent) this.#parts.onUnlinked(block.number);
      this.#accepted.set(nameOf(blockHash, finding.subject), finding.evidence);
      this.markUnverifiable(blockHash, finding.subject, finding.text);
    }
    if (isConfirmed && !WITHOUT_BLAME.has(finding.subject))
      for (const upstream of dissenters)
        this.#parts.refute(upstream, `of block ${blockHash}: most nodes tell other contents alike`);
    return dissenters;
  }

  /** Returns whether the only node contradicted another block before, with no verified answer since. Otherwise recent blocks are examined again. */
  #isRepeated(subject: Subject, number: bigint): boolean {
    const before = this.#alone.get(subject);
    if (before !== undefined && before !== number) return true;
    this.#alone.set(subject, number);
    this.#parts.onUnlinked(undefined);
    return false;
  }

  /**
   * Returns whether an unverifiable answer is accepted as the chain's: no other node can be asked, or the same was accepted for this block. An
   * unknown encoding that all nodes returned once is accepted for other blocks when two nodes return it; anything else only when no node's answer
   * verifies (`acceptRules`).
   */
  #isAcceptedAlone(blockHash: string, finding: Finding, upstream: Upstream | undefined): boolean {
    const isAccepted = this.#unproven.get(blockHash)?.get(finding.subject) === finding.text;
    if (upstream === undefined || isAccepted) return true;
    const isAlone = !this.#parts.upstreams.some((other) => other !== upstream && other.isUp);
    if (isAlone || !this.#forms.has(nameOf(finding.subject, finding.evidence))) return isAlone;
    return this.#mismatches.countOthers(blockHash, upstream, finding) > 0;
  }

  /**
   * Records that a node returned another block at a height: no fault on another branch, but where a checkpoint or layer 1 commits to this block no other
   * branch exists, and the node is quarantined once another one returns this block.
   */
  noteOther({ number, hash }: VerificationTarget, upstream: Upstream | undefined): void {
    if (upstream === undefined || number === undefined || !this.#parts.isAnchored(number, hash)) return;
    this.counts.refuted++;
    const text = `the node has another block at height ${number}, below the one that is anchored`;
    this.#mismatches.add(hash, upstream, { subject: 'header', kind: 'contradicts', text });
  }

  /** Counts a verified answer, and quarantines nodes with refuted answers about the same subjects of the block. */
  #complete(
    { number, hash }: VerificationTarget,
    subjects: readonly Subject[],
    upstream: Upstream | undefined,
  ): void {
    this.counts.verified++;
    for (const subject of subjects) {
      this.#alone.delete(subject);
      if (this.calibration.stateOf(subject, number) !== 'verified' || WITHOUT_BLAME.has(subject)) continue;
      for (const mismatch of this.#mismatches.complete(hash, subject)) {
        if (mismatch.upstream === upstream) continue;
        const { text } = mismatch.finding;
        this.#parts.refute(mismatch.upstream, `of block ${hash}: ${text}`);
      }
    }
  }

  /** Marks a subject as unverifiable from a block on, by the rules of the chain there. */
  giveUp(subject: Subject, reason: string, number: bigint): void {
    if (!this.calibration.noteUnverifiable(subject, reason, number)) return;
    const { network, log } = this.#parts;
    const from = this.calibration.abandonedFrom(subject);
    log.warn(
      { network, subject, reason, ...(from !== undefined && { from: `${from}` }) },
      'answers of this network cannot be verified in full: this is compared between nodes instead, state is believed',
    );
  }
}

function nameOf(of: string, what: string | undefined): string {
  return `${of}:${what}`;
}
