import type { ServiceStatus } from '../../observe/status.ts';

export type FeedState = 'connecting' | 'live' | 'lost' | 'paused';

type FeedListener = {
  onStatus(status: ServiceStatus): void;
  onState(state: FeedState): void;
};

const RETRY_MS = 3_000;
/** Time without a message after which the stream is reopened, ms. */
const SILENCE_MS = 10_000;

/** Stream of the service's status. The stream is reopened when it breaks, and closed while the page is hidden. */
export class Feed {
  readonly #listener: FeedListener;
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: FeedListener) {
    this.#listener = listener;
  }

  start(): void {
    document.addEventListener('visibilitychange', () => this.#follow());
    this.#follow();
  }

  #follow(): void {
    if (document.hidden) {
      this.#close();
      this.#listener.onState('paused');
    } else if (this.#source === undefined) this.#open('connecting');
  }

  #open(state: FeedState): void {
    this.#close();
    this.#listener.onState(state);
    const source = new EventSource('status/events');
    this.#source = source;
    this.#expect();
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      this.#expect();
      this.#listener.onState('live');
      this.#listener.onStatus(JSON.parse(data) as ServiceStatus);
    });
    source.addEventListener('error', () => {
      this.#listener.onState('lost');
      // The page reconnects by itself, because browsers stop retrying after some failures.
      this.#later(RETRY_MS);
    });
  }

  #expect(): void {
    this.#later(SILENCE_MS);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open('lost'), ms);
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }
}
