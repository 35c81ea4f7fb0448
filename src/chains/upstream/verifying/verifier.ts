import { RlpWriter } from '../../../../packages/ethereum/primitives/rlp-writer.ts';
import type { RecoverPublicKey } from '../../../../packages/ethereum/primitives/signature.ts';
import { type Finding, Findings, type Subject } from '../../../../packages/proofs/findings.ts';
import type { VerifyTools } from '../../../../packages/proofs/verify-transaction.ts';
import type { Logger } from '../../../observe/logger.ts';
import { countOperators } from '../../../pool/chain-claims.ts';
import { Refutation } from '../../../pool/fault.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { VerifyMode } from '../../../pool/options.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition } from '../../../pool/upstream-request.ts';
import { Listeners } from '../../../util/listeners.ts';
import { Lru } from '../../../util/lru.ts';
import { OccasionalLog } from '../../../util/occasional-log.ts';
import { Calibration, UNKNOWN_NUMBER } from './calibration.ts';
import { findMajorityReply } from './find-majority-reply.ts';
import { PendingMismatches } from './pending-mismatches.ts';

/** Maximum number of blocks with a stored reason for an unverified part, about 200 bytes each. */
const MAX_UNVERIFIABLE = 4_096;
/**
 * Failed answers may indicate a new fork only up to this many blocks below the head, or below the first block of a detected fork. Blocks below this
 * limit do not count, because their rules were examined before.
 */
const RECENT_BLOCKS = 128n;
/** Maximum number of stored unknown encodings, far above that of any chain. */
const MAX_FORMS = 64;
/** Maximum number of log lines per minute and method about answers without a proof. */
const LACKING_LINES = 1;

export type VerifierParts = {
  readonly network: string;
  readonly mode: Exclude<VerifyMode, 'off'>;
  readonly upstreams: readonly Upstream[];
  readonly recoverPublicKey: RecoverPublicKey;
  readonly log: Logger;
  readonly head: () => BlockHeader | undefined;
  /** Quarantines a node whose answer is refuted by its block and by another node's answer. */
  readonly refute: (upstream: Upstream, evidence: string) => void;
};

/**
 * Parts of an answer (`Subject`) in which clients differ. If a part in which clients differ does not match, another node is tried, but the first node
 * is not quarantined.
 */
const WITHOUT_BLAME: ReadonlySet<Subject> = new Set<Subject>(['members']);

/**
 * Key of a verification result: number and hash of a block. For a part of a block that is verified separately, such as an account, `hash` also names
 * this part.
 */
export type VerificationTarget = { readonly number: bigint | undefined; readonly hash: string };

type BlockAtHeight = { readonly number: bigint; readonly hash: string };

/** Number of answers by verification result. */
export type VerifyCounts = { verified: number; unproven: number; refuted: number };

/** Classifies answers as verified, unverifiable or refuted, by the findings in them. */
export class Verifier {
  readonly calibration: Calibration = new Calibration();
  readonly mode: Exclude<VerifyMode, 'off'>;
  readonly recoverPublicKey: RecoverPublicKey;
  readonly counts: VerifyCounts = { verified: 0, unproven: 0, refuted: 0 };
  /**
   * Notified when failed answers may be valid under chain rules that this program does not know. Listeners must examine recent blocks again, and also
   * block `number` if it is known.
   */
  readonly unlinked: Listeners<[number: bigint | undefined]> = new Listeners();
  /** Notified with a requested block when a node returned another block at its height. */
  readonly otherReported: Listeners<[block: BlockAtHeight, upstream: Upstream]> = new Listeners();
  readonly #parts: VerifierParts;
  readonly #writer = new RlpWriter();
  readonly #mismatches = new PendingMismatches();
  /** Evidence in answers that were accepted although they follow unknown rules, by block and subject. */
  readonly #accepted = new Lru<string, string>(MAX_UNVERIFIABLE, Number.POSITIVE_INFINITY);
  /** Unknown encodings that all nodes returned for a block, by subject. */
  readonly #forms = new Set<string>();
  readonly #lackingLog = new OccasionalLog(LACKING_LINES);
  /**
   * By subject: number of the block about which the answer of the only usable node did not match. A verified answer about the subject removes its
   * entry.
   */
  readonly #alone = new Map<Subject, bigint>();
  /** Reasons why subjects were accepted without verification, by block. */
  readonly #unproven = new Lru<string, Map<Subject, string>>(
    MAX_UNVERIFIABLE,
    Number.POSITIVE_INFINITY,
    undefined,
    undefined,
    (blockHash) => this.onForgotten?.(blockHash),
  );
  /** Called with a block hash when the reasons of this block are evicted. Other records about the block must then be dropped. */
  onForgotten: ((blockHash: string) => void) | undefined;

  constructor(parts: VerifierParts) {
    this.#parts = parts;
    this.mode = parts.mode;
    this.recoverPublicKey = parts.recoverPublicKey;
  }

  /** Creates the tools for verifying one answer, with empty findings. */
  openTools(): VerifyTools {
    return { findings: new Findings(), writer: this.#writer };
  }

  /**
   * Returns whether answers about a `Subject` are verified; false until calibration is complete.
   * @param number number of the block; if undefined, returns whether the subject may be verifiable at any block
   */
  canVerify(subject: Subject, number: bigint | undefined): boolean {
    const { calibration } = this;
    if (!calibration.isDone) return false;
    return number === undefined
      ? calibration.mayBeVerified(subject)
      : calibration.stateOf(subject, number) !== 'unverifiable';
  }

  /** Returns the reason why an answer about these subjects of a block is not verified, as a clause for an error text; undefined if it is verified. */
  whyUnverifiable({ number, hash }: VerificationTarget, subjects: readonly Subject[]): string | undefined {
    if (!this.calibration.isDone) return 'verification of this network is not calibrated yet';
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

  /** Counts and logs that no node sends a proof for a verifiable subject. The caller then serves an unverified answer or rejects the request. */
  noteLacking(method: string, reason: string): void {
    this.counts.unproven++;
    const leftOut = this.#lackingLog.admit(method);
    if (leftOut === undefined) return;
    const { network, log } = this.#parts;
    log.info({ network, method, reason, leftOut }, 'no node can verify an answer');
  }

  /** Returns whether the hashes of a block's uncles were accepted without verification. */
  lacksUncles(blockHash: string): boolean {
    return this.#unproven.get(blockHash)?.has('uncles') === true;
  }

  /** Records that a subject of a block was accepted without verification. */
  markUnverifiable(blockHash: string, subject: Subject, reason: string): void {
    const reasons = this.#unproven.get(blockHash) ?? new Map<Subject, string>();
    this.#unproven.set(blockHash, reasons.set(subject, reason));
    this.counts.unproven++;
  }

  /** Removes the record that a subject was accepted without verification; called after it was verified. */
  noteVerified(blockHash: string, subject: Subject): void {
    this.#unproven.get(blockHash)?.delete(subject);
  }

  /**
   * Accepts an answer about a block, or refutes it, by its findings.
   * @param subjects parts of the answer (`Subject`) that were compared with the block
   * @param shown subjects that the answer contains; if the answer is verified, these subjects count as verifiable from now on
   * @throws UpstreamFault `wrong` if the answer contradicts the block, or has an unknown encoding that no other node has returned
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
   * Decides whether a refuted answer is valid under chain rules unknown to this program. Unknown rules are assumed if the answers of all nodes that
   * have the block do not verify, and most of these answers are the same. If the block is less than `RECENT_BLOCKS` below the head, or below the
   * first block of a detected fork, the subject becomes unverifiable from this block on. Answers about the subject are compared between nodes until
   * recent blocks verify again. In other cases, only the answers about this block are accepted: for an older block, an unknown encoding, or the first
   * mismatch of the only node. The answers of anvil, for example, do not match while it makes a block. If the network requires verification, nothing
   * is accepted. Nodes that contradict agreeing nodes of two or more operators are quarantined.
   * @param block position of the requested block; undefined if it is unknown
   * @returns nodes with a different answer; undefined if the answer remains refuted
   */
  acceptRules(
    { blockHash, subject }: Refutation,
    block: BlockPosition | undefined,
  ): ReadonlySet<Upstream> | undefined {
    if (this.mode === 'require') {
      this.unlinked.notify(block?.number);
      return undefined;
    }
    const replies = this.#mismatches.listReplies(blockHash, subject);
    const able = this.#parts.upstreams.filter(
      ({ isUp, isOnFork, tracker }) =>
        isUp && !isOnFork && (block === undefined || tracker.holds(block.number, block.hash)),
    );
    const common = findMajorityReply(replies, able);
    if (common === undefined) {
      this.unlinked.notify(block?.number);
      return undefined;
    }
    const { finding, dissenters } = common;
    const head = this.#parts.head()?.number;
    const from = this.calibration.abandonedFrom(finding.subject);
    const isNear = ({ number }: BlockPosition): boolean =>
      [head, from].some((edge) => edge !== undefined && number + RECENT_BLOCKS > edge);
    // Block 0 does not count: it follows the rules of no fork, so a mismatch there (anvil's state root) says nothing about later blocks.
    const isConfirmed = countOperators([...replies.keys()].filter((node) => !dissenters.has(node))) > 1;
    const isRecent = block !== undefined && block.number > 0n && isNear(block);
    if (finding.kind === 'unknown') {
      this.markUnverifiable(blockHash, finding.subject, finding.text);
      if (this.#forms.size < MAX_FORMS) this.#forms.add(nameOf(finding.subject, finding.evidence));
    } else if (isRecent && (isConfirmed || this.#isRepeated(finding.subject, block.number))) {
      this.giveUp(finding.subject, finding.text, block.number);
    } else {
      if (block !== undefined && block.number > 0n && !isRecent) this.unlinked.notify(block.number);
      this.#accepted.set(nameOf(blockHash, finding.subject), finding.evidence);
      this.markUnverifiable(blockHash, finding.subject, finding.text);
    }
    if (isConfirmed && !WITHOUT_BLAME.has(finding.subject))
      for (const upstream of dissenters)
        this.#parts.refute(upstream, `about block ${blockHash}: most nodes agree on other contents`);
    return dissenters;
  }

  /**
   * Returns whether answers of the only node about another block mismatched before, with no verified answer in between. The first mismatch of the
   * only node causes a new examination of recent blocks.
   */
  #isRepeated(subject: Subject, number: bigint): boolean {
    const before = this.#alone.get(subject);
    if (before !== undefined && before !== number) return true;
    this.#alone.set(subject, number);
    this.unlinked.notify(undefined);
    return false;
  }

  /**
   * Returns whether an unverifiable answer is accepted at once: no other node is up, or the same answer was accepted for this block before. An
   * unknown encoding that was accepted for another block is accepted if two nodes return it for this block. In all other cases, `acceptRules`
   * decides.
   */
  #isAcceptedAlone(blockHash: string, finding: Finding, upstream: Upstream | undefined): boolean {
    const isAccepted = this.#unproven.get(blockHash)?.get(finding.subject) === finding.text;
    if (upstream === undefined || isAccepted) return true;
    const isAlone = !this.#parts.upstreams.some((other) => other !== upstream && other.isUp);
    if (isAlone || !this.#forms.has(nameOf(finding.subject, finding.evidence))) return isAlone;
    return this.#mismatches.countOthers(blockHash, upstream, finding) > 0;
  }

  /**
   * Reports that a node returned another block at a height. If the node is on another branch, the different block is no fault. A block to which a
   * checkpoint or layer 1 commits has no other branch.
   */
  noteOther({ number, hash }: VerificationTarget, upstream: Upstream | undefined): void {
    if (upstream !== undefined && number !== undefined) this.otherReported.notify({ number, hash }, upstream);
  }

  /**
   * Records that a node returned another block than the one that a checkpoint or layer 1 commits to. When another node has returned the block to
   * which the checkpoint or layer 1 commits, the first node is quarantined.
   */
  noteOffAnchor({ number, hash }: BlockAtHeight, upstream: Upstream): void {
    this.counts.refuted++;
    const text = `the node has another block at height ${number}, which is below the anchored block`;
    this.#mismatches.add(hash, upstream, { subject: 'header', kind: 'contradicts', text });
  }

  /** Counts a verified answer. Quarantines other nodes if their answers about the same parts of the block did not match. */
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
        this.#parts.refute(mismatch.upstream, `about block ${hash}: ${text}`);
      }
    }
  }

  /** Marks a subject as unverifiable from a block on, because its rules are unknown to this program. */
  giveUp(subject: Subject, reason: string, number: bigint): void {
    if (!this.calibration.noteUnverifiable(subject, reason, number)) return;
    const { network, log } = this.#parts;
    const from = this.calibration.abandonedFrom(subject);
    log.warn(
      { network, subject, reason, ...(from !== undefined && { from: `${from}` }) },
      'answers of this network cannot be verified in full: the subject is compared between nodes instead, and state is accepted from one node',
    );
  }
}

function nameOf(of: string, what: string | undefined): string {
  return `${of}:${what}`;
}
