import type { BoundName } from '../util/bounds.ts';
import type { TraceSpan } from '../util/trace-span.ts';
import type { Caller } from './call-report.ts';

export type TransportName = 'http' | 'websocket';

/** Calls of one request body with equal labels. */
export type LabelledCalls = {
  readonly method: string;
  readonly outcome: string;
  readonly source: string;
  count: number;
};

const NO_GROUPS: readonly LabelledCalls[] = [];

/** Maximum number of groups of calls after the first group. If there are more groups, their calls are counted in the last group. */
const MAX_GROUPS = 32;

/** Outcome of one body, filled in by the transport and the gateway. */
export class RequestReport {
  readonly transport: TransportName;
  /** Address of the client. */
  readonly address: string;
  /** Start time on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Span of the body, where it is traced. */
  readonly span: TraceSpan | undefined;
  network: string | undefined;
  caller: Caller | undefined;
  /** HTTP verb; a WebSocket message has none. */
  verb: string | undefined;
  /** Request target as received, including the key. The target is redacted when it is logged. */
  url: string | undefined;
  status = 0;
  requestBytes = 0;
  /** Size of the answer before compression, bytes. */
  responseBytes = 0;
  /** Whether the answer was sent completely. */
  isFinished = true;
  /** Time at which the answer was ready to be sent, on the clock of `performance.now()`; 0: unknown. */
  answeredAt = 0;
  /** End of the last call so far, on the clock of `performance.now()`; 0: none has ended. */
  lastEndAt = 0;
  /** Number of refusals of the body or its calls, by bound. */
  #bounds: Map<BoundName, number> | undefined;
  /** Labels of the first call, and the number of calls with the same labels. In most request bodies, all calls have the same labels. */
  #method = '';
  #outcome = '';
  #source = '';
  #count = 0;
  #others: LabelledCalls[] | undefined;

  constructor(transport: TransportName, address: string, startedAt: number, span: TraceSpan | undefined) {
    this.transport = transport;
    this.address = address;
    this.startedAt = startedAt;
    this.span = span;
  }

  get groups(): readonly LabelledCalls[] {
    if (this.#count === 0) return NO_GROUPS;
    const first = { method: this.#method, outcome: this.#outcome, source: this.#source, count: this.#count };
    return [first, ...(this.#others ?? NO_GROUPS)];
  }

  /** Returns whether any call of the body had one of the outcomes. */
  hasOutcome(outcomes: ReadonlySet<string>): boolean {
    if (this.#count === 0) return false;
    return outcomes.has(this.#outcome) || this.#others?.some(({ outcome }) => outcomes.has(outcome)) === true;
  }

  /** Counts a call. */
  note(method: string, outcome: string, source: string): void {
    if (this.#count === 0) {
      this.#method = method;
      this.#outcome = outcome;
      this.#source = source;
    } else if (this.#method !== method || this.#outcome !== outcome || this.#source !== source) {
      this.#noteOther(method, outcome, source);
      return;
    }
    this.#count++;
  }

  /** Counts a refusal of the body, or of a call in the body, by its bound. */
  noteBound(bound: BoundName): void {
    this.#bounds ??= new Map();
    this.#bounds.set(bound, (this.#bounds.get(bound) ?? 0) + 1);
  }

  /** Counts the bound that refused the whole body, unless a bound of its calls is already counted. */
  noteRefused(bound: BoundName): void {
    if (this.#bounds === undefined) this.noteBound(bound);
  }

  get bounds(): ReadonlyMap<BoundName, number> | undefined {
    return this.#bounds;
  }

  #noteOther(method: string, outcome: string, source: string): void {
    this.#others ??= [];
    const others = this.#others;
    const known = others.find(
      (group) => group.method === method && group.outcome === outcome && group.source === source,
    );
    const group = known ?? (others.length >= MAX_GROUPS ? others.at(-1) : undefined);
    if (group === undefined) others.push({ method, outcome, source, count: 1 });
    else group.count++;
  }
}
