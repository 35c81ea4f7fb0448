import type { DayOfCalls, ListedKey, NewKey, SettingsPatch, ShownCredential } from './wire.ts';

const TIMEOUT_MS = 60_000;
/** Maximum number of pages of keys that the page reads, 1,000 keys each. */
const MAX_PAGES = 20;
/** Characters of a token of `admin.api`. A header cannot contain other characters. */
const TOKEN = /^[!-~]+$/;

/** Error: the Admin API refused a request, or did not answer it. */
export class ApiFailure extends Error {
  /** HTTP status; undefined if there is no answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }

  /** Whether the request may have made its change. */
  get isUncertain(): boolean {
    return this.status === undefined || this.status >= 500;
  }
}

/** Client of the Admin API with one credential, which only this object stores. All methods throw `ApiFailure`. */
export class KeyApi {
  readonly #token: string;
  readonly #left = new AbortController();

  constructor(token: string) {
    this.#token = token;
  }

  /** Whether `close` was called. Later answers must not be displayed. */
  get isClosed(): boolean {
    return this.#left.signal.aborted;
  }

  /** Aborts the requests in flight. */
  close(): void {
    this.#left.abort();
  }

  async readCaller(): Promise<ShownCredential> {
    return (await this.#send('GET', 'credential')) as ShownCredential;
  }

  /** Lists all keys, oldest first. @throws ApiFailure also if there are more than 20,000 */
  async list(): Promise<readonly ListedKey[]> {
    const listed: ListedKey[] = [];
    let query = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const { keys, next } = (await this.#send('GET', `keys${query}`)) as {
        readonly keys: readonly ListedKey[];
        readonly next?: string;
      };
      listed.push(...keys);
      if (next === undefined) return listed;
      query = `?after=${encodeURIComponent(next)}`;
    }
    throw new ApiFailure('the service has too many keys for this page: use the Admin API', 413);
  }

  async create(name: string, secret: boolean, settings: SettingsPatch): Promise<NewKey> {
    return (await this.#send('POST', 'keys', { name, secret, settings })) as NewKey;
  }

  async update(id: string, change: { name?: string; settings: SettingsPatch }): Promise<ListedKey> {
    return (await this.#send('PATCH', `keys/${id}`, change)) as ListedKey;
  }

  /** @param grace duration for which previous values remain valid, such as `24h` */
  async rotate(id: string, grace: string): Promise<NewKey> {
    return (await this.#send('POST', `keys/${id}/rotate`, { grace })) as NewKey;
  }

  async revoke(id: string): Promise<ListedKey> {
    return (await this.#send('POST', `keys/${id}/revoke`, {})) as ListedKey;
  }

  /**
   * Reads the calls of a key by day.
   * @returns undefined if the service does not report all of these days
   * @throws ApiFailure, with the status 404 if the service does not count usage by day
   */
  async readDays(id: string, from: string, to: string): Promise<readonly DayOfCalls[] | undefined> {
    const query = new URLSearchParams({ key: id, by: 'day', from, to });
    const { rows, next } = (await this.#send('GET', `usage?${query}`)) as {
      readonly rows: readonly DayOfCalls[];
      readonly next?: string;
    };
    return next === undefined ? rows : undefined;
  }

  async #send(method: string, path: string, json?: object): Promise<unknown> {
    if (!TOKEN.test(this.#token))
      throw new ApiFailure('a token has visible ASCII characters only, and no spaces', 401);
    let response: Response;
    let value: unknown;
    try {
      // The URL is relative, for proxies that serve the page below a path.
      response = await fetch(`admin/v1/${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(json !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        signal: AbortSignal.any([this.#left.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      value = await response.json();
    } catch {
      throw new ApiFailure('the Admin API does not answer');
    }
    if (response.ok) return value;
    const { detail = `the Admin API answered with ${response.status}` } = value as { detail?: string };
    throw new ApiFailure(detail, response.status);
  }
}
