import { Client, type Dispatcher } from 'undici';
import type { Due, Sender } from './pacer.ts';
import { DEVNET_HOST, type Lane } from './plan.ts';
import type { Tally } from './tally.ts';

/** Longest wait for an answer. */
const PATIENCE_MS = 60_000;

/** One connection, usually persistent, with one request at a time. It never sends a request again. */
export class HttpSender implements Sender {
  readonly #client: Client;
  readonly #path: string;
  readonly #host: string;
  readonly #tally: Tally;
  readonly #onIdle: () => void;
  #isBusy = false;

  constructor({ port, key, isFleeting, host, isSecure }: Lane, tally: Tally, onIdle: () => void) {
    this.#client = new Client(`${isSecure === true ? 'https' : 'http'}://127.0.0.1:${port}`, {
      connect: { rejectUnauthorized: false },
      // 0 disables persistent connections.
      pipelining: isFleeting === true ? 0 : 1,
      keepAliveTimeout: 60_000,
      headersTimeout: PATIENCE_MS,
      bodyTimeout: PATIENCE_MS,
    });
    this.#path = `/v3/${key}`;
    this.#host = host ?? DEVNET_HOST;
    this.#tally = tally;
    this.#onIdle = onIdle;
  }

  /** Does nothing: the first request connects. */
  async open(): Promise<void> {}

  get canSend(): boolean {
    return !this.#isBusy;
  }

  get owed(): number {
    return this.#isBusy ? 1 : 0;
  }

  send({ request, at }: Due): void {
    this.#isBusy = true;
    const headers = { 'content-type': 'application/json', host: this.#host };
    let [status, text, retryAfter] = [0, '', undefined as string | undefined];
    const complete = (): void => {
      this.#isBusy = false;
      this.#onIdle();
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_controller, code, fields) => {
        status = code;
        retryAfter = fields['retry-after'] as string | undefined;
      },
      onResponseData: (_controller, chunk) => {
        text += chunk.toString('utf8');
      },
      onResponseEnd: () => {
        this.#tally.check(request, at, { status, text, retryAfter });
        complete();
      },
      onResponseError: (_controller, error) => {
        this.#tally.fail(nameFault(error));
        this.#tally.countBroken();
        complete();
      },
    };
    this.#client.dispatch({ path: this.#path, method: 'POST', headers, body: request.text }, handler);
  }

  close(): void {
    void this.#client.destroy();
  }
}

function nameFault(error: Error): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : code === 'UND_ERR_SOCKET' ? `closed (${message})` : code;
}
