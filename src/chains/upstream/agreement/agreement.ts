import type { Logger } from '../../../observe/logger.ts';
import type { AgreementFigures } from '../../../observe/sources.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { HeadAgreement, NetworkHead } from '../../../pool/heads/network-head.ts';
import { explainOutage } from '../../../pool/node-state.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition } from '../../../pool/upstream-request.ts';
import { OperatorVoices } from './operator-voices.ts';

/**
 * Maximum wait for operators that have not reported the head before the head follows the voting nodes, milliseconds; used only if agreement is
 * optional.
 */
const PATIENCE_MS = 1_000;
/** Time for which operators must be missing before this is logged, milliseconds. Operators report a new block one after the other. */
const MISSING_MS = 5_000;

export type AgreementParts = {
  readonly network: string;
  readonly log: Logger;
  readonly upstreams: readonly Upstream[];
  /** Number of operators that must return the same answer. */
  readonly needed: number;
  /** True if an answer that too few operators confirm is refused; otherwise it is served with the trust level `single`. */
  readonly isDemanded: boolean;
  readonly head: () => Pick<NetworkHead, 'head' | 'unagreed' | 'shortMs' | 'hindrance'>;
};

/**
 * Agreement of the configured operators of a network. Checks that enough of them report the same block, and logs and requests the missing reports.
 */
export class Agreement {
  readonly voices: OperatorVoices;
  readonly isDemanded: boolean;
  readonly #parts: AgreementParts;
  /** Nodes with a request in flight for their block at a height. */
  readonly #requested = new Set<Upstream>();
  #missingSince: number | undefined;
  #isMissing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AgreementParts) {
    this.#parts = parts;
    this.isDemanded = parts.isDemanded;
    this.voices = new OperatorVoices(parts.upstreams, parts.needed);
  }

  /** Operator counts if agreement is mandatory; otherwise undefined. */
  get demanded(): OperatorVoices | undefined {
    return this.isDemanded ? this.voices : undefined;
  }

  /** The served head if enough operators have it now. */
  get agreedHead(): BlockHeader | undefined {
    const { head } = this.#parts.head();
    return head !== undefined && this.voices.has(head) ? head : undefined;
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
  noteChange(): void {
    const isShort = this.#isShort();
    if (!isShort) this.#missingSince = undefined;
    else this.#missingSince ??= performance.now();
    const since = this.#missingSince;
    const left = since === undefined ? Number.POSITIVE_INFINITY : since + MISSING_MS - performance.now();
    clearTimeout(this.#timer);
    if (left > 0 && left < Number.POSITIVE_INFINITY) {
      this.#timer = setTimeout(() => this.noteChange(), left);
      this.#timer.unref();
    }
    this.#setMissing(left <= 0);
  }

  /** States how many operators have a block and how many must, as a sentence without a full stop. */
  explain(block: BlockPosition | undefined = this.#newest()): string {
    const { needed, total, speaking } = this.voices;
    if (block === undefined) return `${countOf(speaking, total)} in service, agreement demands ${needed}`;
    return `${countOf(this.voices.count(block), total)} have block ${block.number}, agreement demands ${needed}`;
  }

  describe(): AgreementFigures {
    const { needed, total: operators } = this.voices;
    const newest = this.#newest();
    const voices = newest === undefined ? 0 : this.voices.count(newest);
    return { needed, operators, voices, isDemanded: this.isDemanded, isMissing: this.#isMissing };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #newest(): BlockHeader | undefined {
    const { head, unagreed } = this.#parts.head();
    return unagreed ?? head;
  }

  #isShort(): boolean {
    const { head, shortMs, hindrance } = this.#parts.head();
    if (head === undefined || hindrance === 'voices') return true;
    return shortMs >= MISSING_MS || !this.voices.has(head);
  }

  #setMissing(isMissing: boolean): void {
    if (this.#isMissing === isMissing) return;
    this.#isMissing = isMissing;
    const { network, log, upstreams } = this.#parts;
    const { needed, total, speaking } = this.voices;
    const fields = { network, operators: total, speaking, needed, reason: this.explain() };
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

  /** Requests, from each node that skipped a block, its block at that height. Never rejects. */
  #requestFromSilent(block: BlockHeader): void {
    for (const node of this.voices.listSilent(block)) {
      if (this.#requested.has(node)) continue;
      this.#requested.add(node);
      void node.tracker.showBlock(block.number).finally(() => this.#requested.delete(node));
    }
  }
}

function countOf(count: number, total: number): string {
  return `${count} of ${total} configured operators`;
}
