import type { PourEnd } from '../../support/hostile/pour.ts';
import type { HostileCase } from '../cases.ts';

/** A hostile node of a case, by its place in the list of cases. */
export type CaseReport = {
  /** Answers that were hostile so far. */
  readonly hits: number;
  /** How those ended that have ended. */
  readonly ends: readonly PourEnd[];
};

export type ToHostile =
  /** Opens a node for each case, and closes those of before. Those of questions of the service refuse connections until they are armed. */
  | { readonly say: 'open'; readonly cases: readonly HostileCase[]; readonly source: string }
  /** From now on the nodes of these cases are hostile. */
  | { readonly say: 'arm'; readonly cases: readonly number[] }
  | { readonly say: 'report' };

/** URLs of the nodes, in the order of their cases; or what has become of them. */
export type FromHostile =
  | 'there'
  | 'armed'
  | { readonly urls: readonly string[] }
  | { readonly reports: readonly CaseReport[] };

/** URLs of two nodes that tell the truth, over HTTP and WebSocket. */
export type HonestUrls = {
  readonly http: readonly [string, string];
  readonly webSocket: readonly [string, string];
};

/** Where the truth is to be had at once; two that can be reached always, and two only while they are opened: networks of those learn all there is to learn at that moment. */
export type HonestNodes = { readonly source: string; readonly always: HonestUrls; readonly late: HonestUrls };

/** Opens or closes the late pair. */
export type ToHonest = { readonly isOpen: boolean };
