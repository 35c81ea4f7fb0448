export const DEVNET_HOST = 'devnet.localhost';

/** Requests of one client at its own rate. */
export type Lane = {
  readonly name: string;
  readonly transport: 'http' | 'webSocket';
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  /** Requests per second over all its connections; in a closed loop each connection sends when it gets an answer. */
  readonly perSecond: number | 'closed loop';
  /** HTTP only: a new connection for every request. */
  readonly isFleeting?: boolean;
  /** The client exceeds its limit: a well-formed refusal for that is correct. */
  readonly mayBeLimited?: boolean;
  /** Host of its network; the development chain by default. */
  readonly host?: string;
  /** Uses TLS and accepts any certificate. */
  readonly isSecure?: boolean;
  /** Requests in rotation; by default chain ids, and calls that return the id of their request. */
  readonly requests?: readonly FixedQuestion[];
};

/** A call with a constant result. */
export type FixedQuestion = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The result as the service writes it. */
  readonly result: string;
};

/** Counts since the last report. */
export type LaneReport = {
  readonly name: string;
  readonly seconds: number;
  /** Number of due requests. */
  readonly due: number;
  /** Number of answers that agree with the chain. */
  readonly right: number;
  /** Number of well-formed limit refusals. */
  readonly limited: number;
  /** Numbers of all other outcomes, by kind. */
  readonly failed: Readonly<Record<string, number>>;
  /** The first wrong answers, shortened. */
  readonly wrong: readonly string[];
  /** Latencies of correct answers, milliseconds from the due time. */
  readonly latencies: readonly number[];
  /** WebSockets that the other side closed, by code. */
  readonly closes: Readonly<Record<string, number>>;
  /** Messages in flight when a WebSocket announced its close; they are sent again on the next one. */
  readonly crossed: number;
  /** Connections that ended with a request on them. */
  readonly broken: number;
};

export type ToLoad =
  | { readonly say: 'begin'; readonly lanes: readonly Lane[] }
  /** Requests a report without a reset. */
  | { readonly say: 'look' }
  /** Requests a report and resets the counts. */
  | { readonly say: 'cut' }
  /** Stops sending, waits for requests in flight, and requests a report. */
  | { readonly say: 'end' };

export type FromLoad = 'there' | 'begun' | readonly LaneReport[];

export function countFailures(reports: readonly LaneReport[]): number {
  return reports.reduce(
    (total, { failed }) => Object.values(failed).reduce((sum, count) => sum + count, total),
    0,
  );
}

/** Whether every lane had a correct answer, and lanes that exceed their limit a refusal too. */
export function hasSeenAll(lanes: readonly Lane[], reports: readonly LaneReport[]): boolean {
  return reports.every(
    ({ right, limited }, index) => right > 0 && (lanes[index]?.mayBeLimited !== true || limited > 0),
  );
}

/** Formats failures: `3 ECONNRESET, 1 status 502`. */
export function describeFailures(reports: readonly LaneReport[]): string {
  const kinds = new Map<string, number>();
  for (const { failed } of reports) {
    for (const [kind, count] of Object.entries(failed)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const wrong = reports.flatMap((report) => report.wrong);
  return [...[...kinds].map(([kind, count]) => `${count} ${kind}`), ...wrong].join(', ') || 'none';
}
