export const DEVNET_HOST = 'devnet.localhost';

/** Requests of one client at a pace of its own. */
export type Lane = {
  readonly name: string;
  readonly transport: 'http' | 'webSocket';
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  /** Over all its connections; or the next as soon as there is an answer. */
  readonly perSecond: number | 'closed loop';
  /** Over HTTP: a connection for every request. */
  readonly isFleeting?: boolean;
  /** It asks for more than it may: being refused for that is right, where the refusal is. */
  readonly mayBeLimited?: boolean;
  /** Host of its network; the development chain by default. */
  readonly host?: string;
  /** Over TLS, whatever the certificate. */
  readonly isSecure?: boolean;
  /** What it asks in turn; by default chain ids, and calls that return the id of their request. */
  readonly requests?: readonly FixedQuestion[];
};

/** A call with a result that stays the same. */
export type FixedQuestion = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** As the service writes it. */
  readonly result: string;
};

/** Everything since the last report. */
export type LaneReport = {
  readonly name: string;
  readonly seconds: number;
  /** Requests that came due. */
  readonly due: number;
  /** Answered as the chain has it. */
  readonly right: number;
  /** Refused for a limit, as such a refusal has to be. */
  readonly limited: number;
  /** Everything else, by what it was. */
  readonly failed: Readonly<Record<string, number>>;
  /** The first answers that were wrong, shortened. */
  readonly wrong: readonly string[];
  /** Of right answers, milliseconds from when the request was due. */
  readonly latencies: readonly number[];
  /** WebSockets that were closed from the other side, by code. */
  readonly closes: Readonly<Record<string, number>>;
  /** Messages that were under way to a WebSocket when it said that it closes; they are sent again on the next. */
  readonly crossed: number;
  /** Connections that ended with a request on them. */
  readonly broken: number;
};

export type ToLoad =
  | { readonly say: 'begin'; readonly lanes: readonly Lane[] }
  /** Tell what there is so far. */
  | { readonly say: 'look' }
  /** Tell what there is, and count anew. */
  | { readonly say: 'cut' }
  /** Send nothing more, wait for what is under way, and tell. */
  | { readonly say: 'end' };

export type FromLoad = 'there' | 'begun' | readonly LaneReport[];

export function countFailures(reports: readonly LaneReport[]): number {
  return reports.reduce(
    (total, { failed }) => Object.values(failed).reduce((sum, count) => sum + count, total),
    0,
  );
}

/** Whether every lane had a right answer, and those that ask for more than they may a refusal too. */
export function hasSeenAll(lanes: readonly Lane[], reports: readonly LaneReport[]): boolean {
  return reports.every(
    ({ right, limited }, index) => right > 0 && (lanes[index]?.mayBeLimited !== true || limited > 0),
  );
}

/** `3 ECONNRESET, 1 status 502` */
export function describeFailures(reports: readonly LaneReport[]): string {
  const kinds = new Map<string, number>();
  for (const { failed } of reports) {
    for (const [kind, count] of Object.entries(failed)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const wrong = reports.flatMap((report) => report.wrong);
  return [...[...kinds].map(([kind, count]) => `${count} ${kind}`), ...wrong].join(', ') || 'none';
}
