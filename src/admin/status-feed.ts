import type { ServerResponse } from 'node:http';
import type { Logger } from '../observe/logger.ts';
import type { ServiceStatus } from '../observe/status.ts';
import { limitOf } from '../util/bounds.ts';
import type { Clock } from '../util/clock.ts';
import { SECURITY_HEADERS } from './answers.ts';
import { AdminRefusal } from './refusal.ts';

/** Maximum concurrent watching pages. */
const MAX_STREAMS = limitOf('admin.pages');
/** Send backlog in bytes above which a page that does not read is disconnected. A status has some tens of kilobytes. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
const INTERVAL_MS = 1_000;
const RECONNECT_MS = 2_000;

type FeedParts = {
  readonly compute: () => ServiceStatus | Promise<ServiceStatus>;
  readonly log: Logger;
  readonly clock: Clock;
};

/** Computes the status once a second for all watching pages. Without watching pages, the status is computed only by `read`. */
export class StatusFeed {
  readonly #compute: FeedParts['compute'];
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #streams = new Set<ServerResponse>();
  #stopTicking: (() => void) | undefined;
  #computing: Promise<ServiceStatus> | undefined;
  #latest: { readonly at: number; readonly status: ServiceStatus } | undefined;
  /** Whether the last computation of the status failed. Only the first of several consecutive failures is logged. */
  #failed = false;

  constructor({ compute, log, clock }: FeedParts) {
    this.#compute = compute;
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Returns a status that is at most a second old.
   * @throws AdminRefusal (by rejection) if the status cannot be computed
   */
  async read(): Promise<ServiceStatus> {
    const latest = this.#latest;
    if (latest !== undefined && this.#clock.now() - latest.at < INTERVAL_MS) return latest.status;
    return this.#refresh();
  }

  /**
   * Turns a response into a stream of server-sent events, one per second: a status, or a comment if no status is available.
   * @returns false if the maximum number of pages is watching already
   */
  watch(response: ServerResponse): boolean {
    if (this.#streams.size >= MAX_STREAMS) return false;
    response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: ${RECONNECT_MS}\n\n`);
    this.#streams.add(response);
    response.once('close', () => this.#forget(response));
    this.read().then(
      (status) => this.#send(response, encodeEvent(status)),
      () => this.#send(response, HEARTBEAT),
    );
    if (this.#stopTicking === undefined) this.#scheduleTick();
    return true;
  }

  /** Ends every stream. */
  close(): void {
    for (const response of this.#streams) response.end();
    this.#streams.clear();
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  #scheduleTick(): void {
    this.#stopTicking = this.#clock.schedule(() => {
      this.#scheduleTick();
      // If the last computation of the status still runs after a second, no second one is started.
      if (this.#computing !== undefined) this.#broadcast(HEARTBEAT);
      else {
        this.#refresh().then(
          (status) => this.#broadcast(encodeEvent(status)),
          () => this.#broadcast(HEARTBEAT),
        );
      }
    }, INTERVAL_MS);
  }

  #refresh(): Promise<ServiceStatus> {
    this.#computing ??= this.#run().finally(() => {
      this.#computing = undefined;
    });
    return this.#computing;
  }

  async #run(): Promise<ServiceStatus> {
    try {
      const status = await this.#compute();
      this.#latest = { at: this.#clock.now(), status };
      this.#failed = false;
      return status;
    } catch (error) {
      if (!this.#failed) this.#log.error({ err: error }, 'the status cannot be computed');
      this.#failed = true;
      throw new AdminRefusal(503, 'the status cannot be computed now');
    }
  }

  #broadcast(event: string): void {
    for (const response of this.#streams) this.#send(response, event);
  }

  #send(response: ServerResponse, event: string): void {
    if (!this.#streams.has(response)) return;
    if (response.writableLength > MAX_BACKLOG_BYTES) {
      response.destroy();
      this.#forget(response);
    } else response.write(event);
  }

  #forget(response: ServerResponse): void {
    this.#streams.delete(response);
    if (this.#streams.size > 0) return;
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }
}

const HEARTBEAT = ': nothing new\n\n';

function encodeEvent(status: ServiceStatus): string {
  return `data: ${JSON.stringify(status)}\n\n`;
}
