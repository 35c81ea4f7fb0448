import type { PourEnd } from '../../support/hostile/pour.ts';
import type { HostileCase } from '../cases.ts';

/** Report of a hostile node; reports have the order of the cases. */
export type CaseReport = {
  /** Number of hostile answers. */
  readonly hits: number;
  /** Outcomes of the answers that have ended. */
  readonly ends: readonly PourEnd[];
};

export type ToHostile =
  /** Opens a node per case, and closes the previous ones. Nodes of the service's own requests refuse connections until they are armed. */
  | { readonly say: 'open'; readonly cases: readonly HostileCase[]; readonly source: string }
  /** Makes the nodes of these cases hostile. */
  | { readonly say: 'arm'; readonly cases: readonly number[] }
  | { readonly say: 'report' };

/** URLs of the nodes, in the order of their cases, or a confirmation or reports. */
export type FromHostile =
  | 'there'
  | 'armed'
  | { readonly urls: readonly string[] }
  | { readonly reports: readonly CaseReport[] };

/** URLs of two truthful nodes, over HTTP and WebSocket. */
export type HonestUrls = {
  readonly http: readonly [string, string];
  readonly webSocket: readonly [string, string];
};

/**
 * URL of immediate true answers; two nodes that are always reachable, and two that are so only while they are opened: networks of these read all initial
 * state at that moment.
 */
export type HonestNodes = { readonly source: string; readonly always: HonestUrls; readonly late: HonestUrls };

/** Opens or closes the late pair. */
export type ToHonest = { readonly isOpen: boolean };
