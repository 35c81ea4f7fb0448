import { setImmediate as turn } from 'node:timers/promises';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { Clock } from '../../util/clock.ts';
import type { TokenBucket } from '../../util/token-bucket.ts';
import { classifyError } from '../errors/classify-error.ts';
import { UpstreamFault } from '../fault.ts';
import { PollLoop } from '../heads/poll-loop.ts';
import type { NodeError } from '../node-call.ts';
import { parseText } from '../parse-text.ts';
import type { Transport } from '../transport/transport.ts';
import { createHashRate, FLOOD_PAUSE_MS } from './hash-rate.ts';

const POLL_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
const ANSWER_LIMIT_MS = 5_000;
/** Time for which a node counts as not supporting filters of pending transactions, ms. */
const UNSUPPORTED_MS = 600_000;
/** Pause of polls after the node reports a rate limit, ms. */
const REST_MS = 60_000;
/**
 * Number of successive filters without a successful reply after which the node counts as not supporting filters. A URL that balances load between
 * nodes loses filters, because only one node knows a filter.
 */
const MAX_LOST = 3;
/** Number of hashes that are passed on without a pause; this takes 2 ms. */
const SLICE_HASHES = 512;

export type PolledPendingParts = {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Whether the node should be polled now. */
  readonly isWanted: () => boolean;
  /** Called with one hash, which is not validated yet. */
  readonly onHash: (hash: unknown) => void;
  /** Opens the memory reservation for replies. */
  readonly memory: () => AnswerMemory;
  /** Called when the hashes of the node exceed the rate limit. */
  readonly onFlood: () => void;
};

/** Source of the pending transactions of one node, read from a filter each second. */
export class PolledPending {
  readonly #parts: PolledPendingParts;
  readonly #loop: PollLoop;
  readonly #rate: TokenBucket;
  /** JSON text of the filter's id. */
  #filter: JsonText | undefined;
  #lost = 0;
  #pauseMs = POLL_MS;
  #isStopped = false;

  constructor(parts: PolledPendingParts) {
    this.#parts = parts;
    this.#rate = createHashRate(parts.clock);
    this.#loop = new PollLoop({
      poll: () => this.#poll(),
      interval: () => this.#pauseMs,
      maxBackoff: MAX_BACKOFF_MS,
      clock: parts.clock,
    });
    this.#loop.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#loop.stop();
    this.#uninstall();
  }

  async #poll(): Promise<void> {
    this.#pauseMs = POLL_MS;
    if (!this.#parts.isWanted()) return;
    if (this.#filter === undefined && !(await this.#install())) return;
    const reply = await this.#send('eth_getFilterChanges', `[${this.#filter}]`);
    if (this.#isStopped) return;
    if (reply.kind === 'error') {
      this.#filter = undefined;
      this.#lost++;
      if (this.#lost >= MAX_LOST) this.#rest(UNSUPPORTED_MS);
      return;
    }
    this.#lost = 0;
    if (typeof reply.result !== 'string') {
      reply.result.cancel();
      this.#leaveOut();
      return;
    }
    const memory = this.#parts.memory;
    const hashes: unknown = await parseText(reply.result, { memory });
    if (!Array.isArray(hashes))
      throw new UpstreamFault('malformed', 'the changes of a filter are not an array');
    await this.#passOn(hashes);
  }

  async #passOn(hashes: readonly unknown[]): Promise<void> {
    for (let from = 0; from < hashes.length; from += SLICE_HASHES) {
      if (from > 0) await turn();
      for (const hash of hashes.slice(from, from + SLICE_HASHES)) {
        if (this.#isStopped) return;
        if (!this.#rate.tryTake()) {
          this.#leaveOut();
          return;
        }
        this.#parts.onHash(hash);
      }
    }
  }

  /** Removes the filter and pauses the polls, because the node's hashes exceed the rate limit. */
  #leaveOut(): void {
    this.#uninstall();
    this.#rest(FLOOD_PAUSE_MS);
    this.#parts.onFlood();
  }

  /** @returns whether a filter is installed */
  async #install(): Promise<boolean> {
    const reply = await this.#send('eth_newPendingTransactionFilter', '[]');
    if (reply.kind === 'error') {
      this.#rest(isRateLimited(reply.error) ? REST_MS : UNSUPPORTED_MS);
      return false;
    }
    if (typeof reply.result !== 'string') {
      reply.result.cancel();
      throw new UpstreamFault('malformed', 'the id of a filter is not a string');
    }
    this.#filter = reply.result;
    if (this.#isStopped) this.#uninstall();
    return !this.#isStopped;
  }

  #uninstall(): void {
    if (this.#filter === undefined) return;
    // The fault is ignored: if the node cannot be reached, it drops unused filters by itself.
    this.#send('eth_uninstallFilter', `[${this.#filter}]`).catch(() => {});
    this.#filter = undefined;
  }

  #rest(ms: number): void {
    this.#lost = 0;
    this.#pauseMs = ms;
  }

  #send(method: string, params: JsonText): ReturnType<Transport['send']> {
    const deadline = this.#parts.clock.now() + ANSWER_LIMIT_MS;
    return this.#parts.transport.send({ method, params }, { deadline });
  }
}

function isRateLimited(error: NodeError): boolean {
  return classifyError(error, 'eth_newPendingTransactionFilter').kind === 'rateLimited';
}
