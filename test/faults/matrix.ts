/** The matrix of faults: every fault, on every kind of upstream, at every time. */
import type { FaultRow } from './catalogue.ts';

export type UpstreamKind = 'HTTP' | 'WebSocket';
export const UPSTREAM_KINDS: readonly UpstreamKind[] = ['HTTP', 'WebSocket'];

/** Time at which the fault starts, and whether the network has good nodes too. */
export type Circumstance = {
  readonly name: string;
  readonly time: 'before the start' | 'later';
  readonly hasGoodNodes: boolean;
  /** The node looks healthy: only calls of callers fail. */
  readonly onlyCalls: boolean;
};

export const CIRCUMSTANCES: readonly Circumstance[] = [
  { name: 'from the start', time: 'before the start', hasGoodNodes: true, onlyCalls: false },
  { name: 'later', time: 'later', hasGoodNodes: true, onlyCalls: false },
  { name: 'calls only', time: 'before the start', hasGoodNodes: true, onlyCalls: true },
  { name: 'alone, later', time: 'later', hasGoodNodes: false, onlyCalls: false },
  { name: 'alone, calls only', time: 'later', hasGoodNodes: false, onlyCalls: true },
];

/** Cells of one fault, one kind of upstream and one circumstance; they share a service. */
export type Group = {
  readonly fault: FaultRow;
  readonly kind: UpstreamKind;
  readonly circumstance: Circumstance;
};

/** Lists all meaningful groups. */
export function listGroups(faults: readonly FaultRow[]): Group[] {
  return faults.flatMap((fault) => {
    const circumstances = CIRCUMSTANCES.filter(
      ({ hasGoodNodes, onlyCalls }) =>
        !(onlyCalls && fault.isWhole === true) && (hasGoodNodes || fault.needsOthers !== true),
    );
    return UPSTREAM_KINDS.flatMap((kind) =>
      circumstances.map((circumstance) => ({ fault, kind, circumstance })),
    );
  });
}

export function nameGroup({ fault, kind, circumstance }: Group): string {
  return `${fault.name} | ${kind} | ${circumstance.name}`;
}
