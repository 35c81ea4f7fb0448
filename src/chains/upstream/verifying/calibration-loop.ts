import { ChainError } from '../../../chain/errors.ts';
import type { Logger } from '../../../observe/logger.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { Send } from '../../../pool/upstream-request.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { calibrate } from './calibrate.ts';
import { findForks } from './find-forks.ts';
import { HeaderMembers } from './header-members.ts';
import type { Anchor } from './trust.ts';
import type { Verifier } from './verifier.ts';

/**
 * Time limit of one calibration, and the delay before the first retry if no node has answered (`RETRY_MS`). The delay doubles up to `LOOK_MS`.
 * Milliseconds.
 */
const CALIBRATE_LIMIT_MS = 10_000;
const RETRY_MS = 5_000;
/**
 * Interval between checks of the head's header for new members; also the minimum interval between calibrations that are triggered by failed answers.
 */
const LOOK_MS = 60_000;
/** Delay before an unverifiable subject is examined again, at first and at most. The delay doubles after each examination. Milliseconds. */
const FIRST_REPEAT_MS = 180_000;
const MAX_REPEAT_MS = 3_600_000;
/** Maximum number of blocks with failed answers that one search for forks examines. */
const MAX_CONTRADICTED = 16;

export type CalibrationLoopParts = {
  readonly network: string;
  readonly log: Logger;
  readonly verifier: Verifier;
  readonly ask: Send;
  readonly upstreams: readonly Upstream[];
  readonly head: () => BlockHeader | undefined;
  /** The checkpoint or the layer 1 anchor if one is configured. */
  readonly anchor: Anchor | undefined;
  /** Interval between checks of the head's header, milliseconds. */
  readonly lookMs?: number | undefined;
};

/** Examines recent blocks at the start, and again in the background after a fork, to determine which subjects are verifiable. */
export class CalibrationLoop {
  readonly #parts: CalibrationLoopParts;
  readonly #members: HeaderMembers;
  readonly #lookMs: number;
  /** Scopes of requests in flight. */
  readonly #scopes = new Set<RequestScope>();
  readonly #contradicted = new Set<bigint>();
  #isUncertain = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #repeatMs: number;
  #repeatAt = Number.POSITIVE_INFINITY;
  #retryMs = RETRY_MS;
  /** Text of the calibration that was logged last. */
  #logged = '';

  constructor(parts: CalibrationLoopParts) {
    const { ask, verifier, lookMs = LOOK_MS } = parts;
    this.#parts = parts;
    this.#members = new HeaderMembers(ask);
    this.#lookMs = lookMs;
    this.#repeatMs = FIRST_REPEAT_MS * (lookMs / LOOK_MS);
    verifier.unlinked.add((number) => this.#noteUnlinked(number));
  }

  /** Determines which parts of answers can be verified. Never rejects. If no node answers now, continues in the background. */
  async calibrate(): Promise<void> {
    await this.#attempt((at, scope) => this.#members.hasNew(at, scope));
    await this.#run();
    // The link is not awaited here: an answer that needs the link waits for it.
    void this.#linkHead();
  }

  /** Drops all results and starts again, because the network has become another chain. */
  restart(): void {
    this.#parts.verifier.calibration.reset();
    void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const scope of this.#scopes) scope.abort();
  }

  #noteUnlinked(number: bigint | undefined): void {
    this.#isUncertain = true;
    if (number !== undefined && number > 0n && this.#contradicted.size < MAX_CONTRADICTED)
      this.#contradicted.add(number);
  }

  #schedule(ms: number, task: () => Promise<void>): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void task(), ms);
    this.#timer.unref();
  }

  /** @returns undefined if no node answered in time */
  async #attempt<T>(work: (at: bigint, scope: RequestScope) => Promise<T>): Promise<T | undefined> {
    const { network, log, head } = this.#parts;
    const at = head();
    if (at === undefined || this.#isClosed) return undefined;
    const scope = new RequestScope(performance.now() + CALIBRATE_LIMIT_MS);
    this.#scopes.add(scope);
    try {
      return await work(at.number, scope);
    } catch (error) {
      // The examination runs in the background without a caller, so an error that it throws would end the process.
      if (!(error instanceof UpstreamFault || error instanceof ChainError))
        log.error({ network, err: error }, 'recent blocks cannot be examined because of an internal error');
      return undefined;
    } finally {
      this.#scopes.delete(scope);
    }
  }

  async #run(): Promise<void> {
    const { verifier, ask, head } = this.#parts;
    this.#isUncertain = false;
    this.#repeatAt = Number.POSITIVE_INFINITY;
    await this.#attempt((at, scope) => calibrate({ verifier, ask, head: at, scope }));
    if (!verifier.calibration.isDone) {
      this.#schedule(this.#retryMs, () => this.#run());
      // Without a head, no node was tried, so the retry delay does not grow.
      if (head() !== undefined) this.#retryMs = Math.min(2 * this.#retryMs, LOOK_MS);
      return;
    }
    this.#retryMs = RETRY_MS;
    if (verifier.calibration.isPartial || this.#contradicted.size > 0) await this.#search();
    this.#report();
    this.#schedule(this.#lookMs, () => this.#look());
  }

  async #search(): Promise<void> {
    const { verifier, ask, upstreams } = this.#parts;
    const contradicted = [...this.#contradicted];
    this.#contradicted.clear();
    const isAlone = upstreams.filter(({ isUp }) => isUp).length <= 1;
    const isFound = await this.#attempt((_, scope) =>
      findForks({ verifier, ask, scope, contradicted, isAlone }),
    );
    if (isFound !== true) this.#isUncertain = true;
  }

  /** Looks for a fork, which shows as new header members or as failed answers. */
  async #look(): Promise<void> {
    await this.#linkHead();
    const isNew = await this.#attempt((at, scope) => this.#members.hasNew(at, scope));
    if (this.#parts.verifier.calibration.isPartial && this.#repeatAt === Number.POSITIVE_INFINITY) {
      this.#repeatAt = performance.now() + this.#repeatMs;
      this.#repeatMs = Math.min(2 * this.#repeatMs, MAX_REPEAT_MS);
    }
    if (isNew === true || this.#isUncertain || performance.now() >= this.#repeatAt) await this.#run();
    else this.#schedule(this.#lookMs, () => this.#look());
  }

  /** Links the head periodically. A block that is requested later is then never far above a linked block. */
  async #linkHead(): Promise<void> {
    const { head, anchor } = this.#parts;
    const at = head();
    if (at !== undefined) await anchor?.links?.link(at);
  }

  #report(): void {
    const { network, log, verifier } = this.#parts;
    const fields = Object.fromEntries(
      verifier.calibration
        .describe()
        .map(({ subject, state, from, until }) => [
          subject,
          [
            state,
            ...(from === undefined ? [] : [`from block ${from} on`]),
            ...(until === undefined ? [] : [`except some blocks up to ${until}`]),
          ].join(' '),
        ]),
    );
    if (JSON.stringify(fields) === this.#logged) return;
    this.#logged = JSON.stringify(fields);
    log.info({ network, ...fields }, 'verification calibrated');
  }
}
