import type { BoundName } from '../util/bounds.ts';
import type { TraceSpan } from '../util/trace-span.ts';
import type { Caller } from './call-report.ts';

export type TransportName = 'http' | 'websocket';

/** Calls of one body that are alike. */
export type CallGroup = {
  readonly method: string;
  readonly outcome: string;
  readonly source: string;
  count: number;
};

const NO_GROUPS: readonly CallGroup[] = [];

/** Groups that are counted apart; what exceeds them is counted with the last. */
const MAX_GROUPS = 32;

/** What becomes of one body, filled in by the transport and the gateway. */
export class RequestReport {
  readonly transport: TransportName;
  /** Of the client. */
  readonly address: string;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  /** The work for it, where it is traced. */
  readonly span: TraceSpan | undefined;
  network: string | undefined;
  caller: Caller | undefined;
  /** Of an HTTP request; a WebSocket's message has none. */
  verb: string | undefined;
  /** As it was sent, with the key: redacted where it is reported. */
  url: string | undefined;
  status = 0;
  requestBytes = 0;
  /** Before compression. */
  responseBytes = 0;
  /** Whether the client has been sent all of its answer. */
  isFinished = true;
  /** When the answer was ready to be sent, on the clock of `performance.now()`; 0: unknown. */
  answeredAt = 0;
  /** End of the last call so far, on the clock of `performance.now()`; 0: none has ended. */
  lastEndAt = 0;
  /** Bounds that refused it or calls in it, and how many times. */
  #bounds: Map<BoundName, number> | undefined;
  /** Of the first call, and how many there were of its like: most bodies have no other. */
  #method = '';
  #outcome = '';
  #source = '';
  #count = 0;
  #others: CallGroup[] | undefined;

  constructor(transport: TransportName, address: string, startedAt: number, span: TraceSpan | undefined) {
    this.transport = transport;
    this.address = address;
    this.startedAt = startedAt;
    this.span = span;
  }

  get groups(): readonly CallGroup[] {
    if (this.#count === 0) return NO_GROUPS;
    const first = { method: this.#method, outcome: this.#outcome, source: this.#source, count: this.#count };
    return [first, ...(this.#others ?? NO_GROUPS)];
  }

  /** Whether a call had one of these outcomes. */
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

  /** Notes that a bound refused the body, or a call in it. */
  noteBound(bound: BoundName): void {
    this.#bounds ??= new Map();
    this.#bounds.set(bound, (this.#bounds.get(bound) ?? 0) + 1);
  }

  /** Notes the bound that refused the body as a whole, where no call in it has been noted. */
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
