import type { Logger } from '../../../observe/logger.ts';
import type { AgreementFigures } from '../../../observe/sources.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { NetworkHead } from '../../../pool/heads/network-head.ts';
import type { HeadAgreement } from '../../../pool/heads/network-head-options.ts';
import { explainOutage } from '../../../pool/node-state.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition } from '../../../pool/upstream-request.ts';
import { OperatorVoices } from './operator-voices.ts';

/**
 * Maximum wait until enough operators report a new head, if agreement is optional, milliseconds. After this wait, the quorum of nodes alone
 * determines the head.
 */
const PATIENCE_MS = 1_000;
/** Time after which it is logged that too few operators have reported the head, milliseconds. */
const MISSING_MS = 5_000;

export type AgreementParts = {
  readonly network: string;
  readonly log: Logger;
  readonly upstreams: readonly Upstream[];
  /** Number of operators that must return the same answer. */
  readonly needed: number;
  /**
   * True if agreement is mandatory: an answer that too few operators confirm is rejected. If agreement is optional, an answer that too few operators
   * confirm is served with the trust level `single`.
   */
  readonly isDemanded: boolean;
};

/** The served head, and the state of the choice of the head. */
type ElectedHead = Pick<NetworkHead, 'head' | 'unagreed' | 'shortMs' | 'hindrance'>;

/**
 * Agreement of a network's operators: checks that enough operators report the same block, requests missing reports, and logs when they stay missing.
 */
export class Agreement {
  readonly voices: OperatorVoices;
  readonly isDemanded: boolean;
  readonly #parts: AgreementParts;
  /** Nodes that have not yet answered a request for their block at the height of the head. */
  readonly #requested = new Set<Upstream>();
  #missingSince: number | undefined;
  #isMissing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AgreementParts) {
    this.#parts = parts;
    this.isDemanded = parts.isDemanded;
    this.voices = new OperatorVoices(parts.upstreams, parts.needed);
  }

  /** `voices` if agreement is mandatory; undefined if it is optional. */
  get demanded(): OperatorVoices | undefined {
    return this.isDemanded ? this.voices : undefined;
  }

  /** The agreement condition for a served head. */
  get forHead(): HeadAgreement {
    return {
      has: (block) => this.voices.has(block),
      onMissing: (block) => this.#requestFromSilent(block),
      patienceMs: this.isDemanded ? undefined : PATIENCE_MS,
    };
  }

  /** Must be called when nodes or the head have changed. */
  noteChange(head: ElectedHead): void {
    const isShort = this.#isShort(head);
    if (!isShort) this.#missingSince = undefined;
    else this.#missingSince ??= performance.now();
    const since = this.#missingSince;
    const left = since === undefined ? Number.POSITIVE_INFINITY : since + MISSING_MS - performance.now();
    clearTimeout(this.#timer);
    if (left > 0 && left < Number.POSITIVE_INFINITY) {
      this.#timer = setTimeout(() => this.noteChange(head), left);
      this.#timer.unref();
    }
    this.#setMissing(left <= 0, head);
  }

  /** States how many operators have a block and how many must, as a sentence without a full stop. */
  explain(block: BlockPosition): string {
    const { needed, total } = this.voices;
    return `${countOf(this.voices.count(block), total)} have block ${block.number}, agreement demands ${needed}`;
  }

  /** States how many operators have the newest reported block and how many must, in the same form as `explain`. */
  explainHead(head: Pick<ElectedHead, 'head' | 'unagreed'>): string {
    const newest = findNewest(head);
    if (newest !== undefined) return this.explain(newest);
    const { needed, total, speaking } = this.voices;
    return `${countOf(speaking, total)} in service, agreement demands ${needed}`;
  }

  describe(head: ElectedHead): AgreementFigures {
    const { needed, total: operators } = this.voices;
    const newest = findNewest(head);
    const voices = newest === undefined ? 0 : this.voices.count(newest);
    return { needed, operators, voices, isDemanded: this.isDemanded, isMissing: this.#isMissing };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #isShort({ head, shortMs, hindrance }: ElectedHead): boolean {
    if (head === undefined || hindrance === 'voices') return true;
    return shortMs >= MISSING_MS || !this.voices.has(head);
  }

  #setMissing(isMissing: boolean, head: ElectedHead): void {
    if (this.#isMissing === isMissing) return;
    this.#isMissing = isMissing;
    const { network, log, upstreams } = this.#parts;
    const { needed, total, speaking } = this.voices;
    const fields = { network, operators: total, speaking, needed, reason: this.explainHead(head) };
    if (!isMissing) log.info(fields, 'enough operators agree again');
    else {
      const nodes = explainOutage(upstreams);
      log.error(
        { ...fields, nodes },
        this.isDemanded
          ? 'fewer operators agree than agreement demands: answers about new blocks are refused'
          : 'fewer operators agree than agreement demands: answers are labelled single',
      );
    }
  }

  /** Requests the block at a height from each node that has reached this height but has not reported a block at it. Never rejects. */
  #requestFromSilent(block: BlockHeader): void {
    for (const node of this.voices.listSilent(block)) {
      if (this.#requested.has(node)) continue;
      this.#requested.add(node);
      void node.tracker.showBlock(block.number).finally(() => this.#requested.delete(node));
    }
  }
}

/** Returns the highest block that the quorum of nodes has, even if too few operators report it; otherwise the served head. */
function findNewest({ head, unagreed }: Pick<ElectedHead, 'head' | 'unagreed'>): BlockHeader | undefined {
  return unagreed ?? head;
}

function countOf(count: number, total: number): string {
  return `${count} of ${total} configured operators`;
}
