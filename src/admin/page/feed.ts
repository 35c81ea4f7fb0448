import type { ServiceStatus } from '../../observe/status.ts';

export type FeedState = 'connecting' | 'live' | 'lost';

type FeedListener = {
  /** Called with each status. The feed is live from then on. */
  onStatus(status: ServiceStatus): void;
  /** Called if the feed is not live. */
  onState(state: Exclude<FeedState, 'live'>): void;
};

const RETRY_MS = 3_000;
/** Time without a message after which the stream is reopened, and time limit of a request of a hidden page, ms. */
const SILENCE_MS = 10_000;
/** Interval between requests of a hidden page, ms. Browsers may lengthen it to a minute. */
const HIDDEN_MS = 15_000;

/**
 * Stream of the service's status. The stream is reopened when it breaks. While the page is hidden, single requests replace the stream: only the
 * title and the icon of the tab can be seen then.
 */
export class Feed {
  readonly #listener: FeedListener;
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: FeedListener) {
    this.#listener = listener;
  }

  start(): void {
    document.addEventListener('visibilitychange', () => this.#follow());
    this.#listener.onState('connecting');
    this.#follow();
  }

  #follow(): void {
    this.#close();
    if (document.hidden) void this.#poll();
    else this.#open();
  }

  #open(): void {
    this.#close();
    const source = new EventSource('status/events');
    this.#source = source;
    this.#later(SILENCE_MS);
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      this.#later(SILENCE_MS);
      this.#listener.onStatus(JSON.parse(data) as ServiceStatus);
    });
    source.addEventListener('error', () => {
      this.#listener.onState('lost');
      // The page reconnects by itself, because browsers stop retrying after some failures.
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#open(), RETRY_MS);
    });
  }

  async #poll(): Promise<void> {
    const status = await fetchStatus();
    if (!document.hidden) return;
    if (status === undefined) this.#listener.onState('lost');
    else this.#listener.onStatus(status);
    this.#close();
    this.#timer = setTimeout(() => void this.#poll(), HIDDEN_MS);
  }

  /** Reopens the stream after a time without a message. */
  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#listener.onState('lost');
      this.#open();
    }, ms);
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }
}

/** @returns undefined if there is no status */
async function fetchStatus(): Promise<ServiceStatus | undefined> {
  try {
    const response = await fetch('status.json', { signal: AbortSignal.timeout(SILENCE_MS) });
    return response.ok ? ((await response.json()) as ServiceStatus) : undefined;
  } catch {
    return undefined;
  }
}
