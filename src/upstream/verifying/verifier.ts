import type { Logger } from '../../observe/logger.ts';
import { RlpWriter } from '../../primitives/rlp-writer.ts';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import { Lru } from '../../util/lru.ts';
import { OccasionalLog } from '../../util/occasional-log.ts';
import { type Finding, Findings, type Subject } from '../../verification/findings.ts';
import type { VerifyTools } from '../../verification/verify-transaction.ts';
import { Refutation } from '../fault.ts';
import type { BlockHeader } from '../heads/block.ts';
import type { VerifyMode } from '../options.ts';
import type { BlockPosition } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { Calibration, UNKNOWN_NUMBER } from './calibration.ts';
import { findCommonOpinion } from './find-common-opinion.ts';
import { Suspicions } from './suspicions.ts';

/** Blocks with something that could not be verified, and why: about 200 bytes each. */
const MAX_UNPROVEN = 4_096;
/** Blocks below the head, or below the first of a fork that is known, of which a fork may be what made their answers fail; older ones had other rules. */
const RECENT_BLOCKS = 128n;
/** More forms that are not known here than a chain has. */
const MAX_FORMS = 64;
/** Lines a minute and method about answers that no node proves. */
const LACKING_LINES = 1;

export type VerifierParts = {
  readonly network: string;
  readonly mode: Exclude<VerifyMode, 'off'>;
  readonly upstreams: readonly Upstream[];
  readonly recoverPublicKey: RecoverPublicKey;
  readonly log: Logger;
  readonly head: () => BlockHeader | undefined;
  /** Answers failed that may be right by rules that are not known here: recent blocks are to be looked at again, and the one that they were about where that is known. */
  readonly onDoubt: (number: bigint | undefined) => void;
  /** Whether a checkpoint or layer 1 commits to a block of this hash at a height. */
  readonly isAnchored: (number: bigint, hash: string) => boolean;
  /** A node gave an answer that another node's answer and their block refute. */
  readonly condemn: (upstream: Upstream, evidence: string) => void;
};

/** Clients differ in the members that they give: a node that gives others than its block's transactions have is not asked further, and not quarantined. */
const WITHOUT_BLAME: ReadonlySet<Subject> = new Set<Subject>(['members']);

/**
 * What answers are judged about: a block or, where it has many parts that are judged apart from each other, one of them: `hash` then says which one too. The number is as it was
 * recomputed, or as it was asked for.
 */
export type JudgedBlock = { readonly number: bigint | undefined; readonly hash: string };

/** Answers that were verified, by what came of it. */
export type VerifyCounts = { verified: number; unproven: number; refuted: number };

/** Judges what was found in an answer: right, not to be verified, or wrong. */
export class Verifier {
  readonly calibration: Calibration = new Calibration();
  readonly mode: Exclude<VerifyMode, 'off'>;
  readonly recoverPublicKey: RecoverPublicKey;
  readonly counts: VerifyCounts = { verified: 0, unproven: 0, refuted: 0 };
  readonly #parts: VerifierParts;
  readonly #writer = new RlpWriter();
  readonly #suspicions = new Suspicions();
  /** What nodes agree on of blocks with rules that are not known here: the evidence. */
  readonly #accepted = new Lru<string, string>(MAX_UNPROVEN, Number.POSITIVE_INFINITY);
  /** What all nodes have shown of a block and is not known here, by subject. */
  readonly #forms = new Set<string>();
  readonly #lackingLog = new OccasionalLog(LACKING_LINES);
  /** Of which block the only node's word was accepted last, by subject, as long as nothing of the subject has recomputed since. */
  readonly #alone = new Map<Subject, bigint>();
  /** By block: why something of it is not proven. */
  readonly #unproven = new Lru<string, Map<Subject, string>>(
    MAX_UNPROVEN,
    Number.POSITIVE_INFINITY,
    undefined,
    undefined,
    (blockHash) => this.onForgotten?.(blockHash),
  );
  /** Called when the record of what is not proven of a block is dropped: other records of the block must be dropped too. */
  onForgotten: ((blockHash: string) => void) | undefined;

  constructor(parts: VerifierParts) {
    this.#parts = parts;
    this.mode = parts.mode;
    this.recoverPublicKey = parts.recoverPublicKey;
  }

  /** Tools for one answer. */
  openTools(): VerifyTools {
    return { findings: new Findings(), writer: this.#writer };
  }

  /**
   * Whether answers about it are compared with roots: not before blocks of the network have shown how.
   * @param number of the block; where it is not known, whether they are of any block
   */
  canVerify(subject: Subject, number: bigint | undefined): boolean {
    const { calibration } = this;
    if (!calibration.isDone) return false;
    return number === undefined
      ? calibration.mayBeVerified(subject)
      : calibration.stateOf(subject, number) !== 'unverifiable';
  }

  /** Why an answer about these subjects of a block is not proven, as the rest of a sentence; undefined where it is. */
  whyUnproven({ number, hash }: JudgedBlock, subjects: readonly Subject[]): string | undefined {
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

  /** Nodes have no proof of something that can be verified here: it is answered without, or refused. */
  noteLacking(method: string, reason: string): void {
    this.counts.unproven++;
    const leftOut = this.#lackingLog.admit(method);
    if (leftOut === undefined) return;
    const { network, log } = this.#parts;
    log.info({ network, method, reason, leftOut }, 'no node proves an answer');
  }

  /** Whether a block has uncles that have not been compared with its header. */
  lacksUncles(blockHash: string): boolean {
    return this.#unproven.get(blockHash)?.has('uncles') === true;
  }

  /** What was accepted of a block without being verified. */
  noteUnproven(blockHash: string, subject: Subject, reason: string): void {
    const reasons = this.#unproven.get(blockHash) ?? new Map<Subject, string>();
    this.#unproven.set(blockHash, reasons.set(subject, reason));
    this.counts.unproven++;
  }

  /** What was not compared with the block before has been since. */
  noteProven(blockHash: string, subject: Subject): void {
    this.#unproven.get(blockHash)?.delete(subject);
  }

  /**
   * Judges an answer about a block by what was found in it.
   * @param subjects what was compared
   * @param shown what the answer had of it, so that it is known from now on that it can be verified
   * @throws UpstreamFault `wrong` where the answer contradicts the block, or has a form that no other node's answer has shown yet
   */
  judge(
    block: JudgedBlock,
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
      if ((kind === 'unknown' || isUntested) && this.#isBelieved(blockHash, finding, upstream)) {
        if (kind === 'unknown') this.noteUnproven(blockHash, subject, text);
        else this.giveUp(subject, text, number);
        continue;
      }
      this.counts.refuted++;
      if (upstream !== undefined) this.#suspicions.add(blockHash, upstream, finding);
      throw new Refutation(blockHash, subject, text);
    }
    if (counted.length > 0 || isAccepted) return;
    for (const subject of shown)
      if (this.calibration.stateOf(subject, number) === 'untested')
        this.calibration.noteShown(subject, number);
    this.#settle(block, subjects, upstream);
  }

  /**
   * Decides whether a refuted answer is right by rules of the chain that are not known here: every node that has the block gave an answer that does not
   * recompute, and most of them the same one. From a recent block on, or one not far below what was given up before, the subject is then compared between nodes until recent
   * blocks recompute again; of an old block no more than its own answers are accepted, nor of the first block that the only node contradicts: some nodes answer from a
   * state that is half way to the next block (anvil, while it makes one). Never where everything has to be proven.
   * @param block the one that was asked about, as far as that is known
   * Nodes that contradict two or more that agree are quarantined.
   * @returns nodes that gave another answer; undefined where the refutation stands
   */
  acceptRules(
    { blockHash, subject }: Refutation,
    block: BlockPosition | undefined,
  ): ReadonlySet<Upstream> | undefined {
    if (this.mode === 'require') {
      this.#parts.onDoubt(block?.number);
      return undefined;
    }
    const opinions = this.#suspicions.listOpinions(blockHash, subject);
    const able = this.#parts.upstreams.filter(
      ({ isUp, isOnFork, tracker }) =>
        isUp && !isOnFork && (block === undefined || tracker.holds(block.number, block.hash)),
    );
    const common = findCommonOpinion(opinions, able);
    if (common === undefined) {
      this.#parts.onDoubt(block?.number);
      return undefined;
    }
    const { finding, dissenters } = common;
    const head = this.#parts.head()?.number;
    const from = this.calibration.givenUpFrom(finding.subject);
    const isNear = ({ number }: BlockPosition): boolean =>
      [head, from].some((edge) => edge !== undefined && number + RECENT_BLOCKS > edge);
    // Block 0 follows no fork: what is wrong with it (anvil's state root) says nothing of later blocks.
    const isWitnessed = opinions.size - dissenters.size > 1;
    const isRecent = block !== undefined && block.number > 0n && isNear(block);
    if (finding.kind === 'unknown') {
      this.noteUnproven(blockHash, finding.subject, finding.text);
      if (this.#forms.size < MAX_FORMS) this.#forms.add(nameOf(finding.subject, finding.evidence));
    } else if (isRecent && (isWitnessed || this.#isRepeated(finding.subject, block.number))) {
      this.giveUp(finding.subject, finding.text, block.number);
    } else {
      if (block !== undefined && block.number > 0n && !isRecent) this.#parts.onDoubt(block.number);
      this.#accepted.set(nameOf(blockHash, finding.subject), finding.evidence);
      this.noteUnproven(blockHash, finding.subject, finding.text);
    }
    if (isWitnessed && !WITHOUT_BLAME.has(finding.subject))
      for (const upstream of dissenters)
        this.#parts.condemn(upstream, `of block ${blockHash}: most nodes tell other contents alike`);
    return dissenters;
  }

  /** Whether the only node has contradicted another block before, and nothing has recomputed since. Recent blocks are looked at again otherwise. */
  #isRepeated(subject: Subject, number: bigint): boolean {
    const before = this.#alone.get(subject);
    if (before !== undefined && before !== number) return true;
    this.#alone.set(subject, number);
    this.#parts.onDoubt(undefined);
    return false;
  }

  /**
   * Whether something that cannot be recomputed is taken for the chain's: no other node can be asked, or it was accepted of this block. What all nodes have shown
   * once is believed of other blocks when two nodes show it; anything else only when none of them recomputes (`acceptRules`).
   */
  #isBelieved(blockHash: string, finding: Finding, upstream: Upstream | undefined): boolean {
    const isAccepted = this.#unproven.get(blockHash)?.get(finding.subject) === finding.text;
    if (upstream === undefined || isAccepted) return true;
    const isAlone = !this.#parts.upstreams.some((other) => other !== upstream && other.isUp);
    if (isAlone || !this.#forms.has(nameOf(finding.subject, finding.evidence))) return isAlone;
    return this.#suspicions.countOthers(blockHash, upstream, finding) > 0;
  }

  /**
   * A node gave another block of a height than this one, which is no fault while it is on another branch; but where a checkpoint or layer 1 commits to this one there is no other branch: the node
   * is quarantined once another one has given this one.
   */
  noteOther({ number, hash }: JudgedBlock, upstream: Upstream | undefined): void {
    if (upstream === undefined || number === undefined || !this.#parts.isAnchored(number, hash)) return;
    this.counts.refuted++;
    const text = `the node has another block at height ${number}, below the one that is anchored`;
    this.#suspicions.add(hash, upstream, { subject: 'header', kind: 'contradicts', text });
  }

  /** The answer is right: nodes that said otherwise about the same block were wrong. */
  #settle({ number, hash }: JudgedBlock, subjects: readonly Subject[], upstream: Upstream | undefined): void {
    this.counts.verified++;
    for (const subject of subjects) {
      this.#alone.delete(subject);
      if (this.calibration.stateOf(subject, number) !== 'verified' || WITHOUT_BLAME.has(subject)) continue;
      for (const suspicion of this.#suspicions.settle(hash, subject)) {
        if (suspicion.upstream === upstream) continue;
        const { text } = suspicion.finding;
        this.#parts.condemn(suspicion.upstream, `of block ${hash}: ${text}`);
      }
    }
  }

  /** Something that was thought to be verifiable is not, by the rules of the chain at a block. */
  giveUp(subject: Subject, reason: string, number: bigint): void {
    if (!this.calibration.noteUnverifiable(subject, reason, number)) return;
    const { network, log } = this.#parts;
    const from = this.calibration.givenUpFrom(subject);
    log.warn(
      { network, subject, reason, ...(from !== undefined && { from: `${from}` }) },
      'answers of this network cannot be verified in full: this is compared between nodes instead, state is believed',
    );
  }
}

function nameOf(of: string, what: string | undefined): string {
  return `${of}:${what}`;
}
