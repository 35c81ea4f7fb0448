import { type CallChart, type DaySpan, describeCalls, findSpan } from './daily-calls.ts';
import { ApiFailure, type KeyApi } from './key-api.ts';

/** Loads the calls by day of the displayed keys, one key after the other. */
export class UsageLoader {
  readonly #api: KeyApi;
  readonly #onChange: () => void;
  readonly #span: DaySpan = findSpan(Date.now());
  /** Charts by id; undefined for a key without known calls. */
  readonly #charts = new Map<string, CallChart | undefined>();
  #wanted: readonly string[] = [];
  #isRunning = false;
  /** Whether the service does not count usage by day. */
  #isOff = false;

  /** @param onChange called after a chart was loaded */
  constructor(api: KeyApi, onChange: () => void) {
    this.#api = api;
    this.#onChange = onChange;
  }

  find(id: string): CallChart | undefined {
    return this.#charts.get(id);
  }

  /** Loads the missing charts of these keys. Keys of an earlier call that are not among them are not loaded any more. */
  request(ids: readonly string[]): void {
    this.#wanted = ids;
    if (!this.#isRunning && !this.#isOff) void this.#load();
  }

  async #load(): Promise<void> {
    this.#isRunning = true;
    for (let id = this.#findNext(); id !== undefined && !this.#api.isClosed; id = this.#findNext()) {
      try {
        const rows = await this.#api.readDays(id, this.#span.from, this.#span.to);
        this.#charts.set(id, rows && describeCalls(rows, this.#span));
        this.#onChange();
      } catch (error) {
        this.#charts.set(id, undefined);
        // Other keys would get the same answer.
        this.#isOff = !(error instanceof ApiFailure && error.isUncertain);
        break;
      }
    }
    this.#isRunning = false;
  }

  #findNext(): string | undefined {
    return this.#isOff ? undefined : this.#wanted.find((id) => !this.#charts.has(id));
  }
}
