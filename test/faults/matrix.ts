/** The matrix of faults: every fault, on every kind of upstream, at every time. */
import type { FaultRow } from './catalogue.ts';

export type UpstreamKind = 'HTTP' | 'WebSocket';
export const UPSTREAM_KINDS: readonly UpstreamKind[] = ['HTTP', 'WebSocket'];

/** When the fault is switched on, and whether good nodes stand beside the faulty one. */
export type Circumstance = {
  readonly name: string;
  readonly time: 'before the start' | 'later';
  readonly hasGoodNodes: boolean;
  /** The node looks healthy: only what callers ask goes wrong. */
  readonly onlyCalls: boolean;
};

export const CIRCUMSTANCES: readonly Circumstance[] = [
  { name: 'from the start', time: 'before the start', hasGoodNodes: true, onlyCalls: false },
  { name: 'later', time: 'later', hasGoodNodes: true, onlyCalls: false },
  { name: 'calls only', time: 'before the start', hasGoodNodes: true, onlyCalls: true },
  { name: 'alone, later', time: 'later', hasGoodNodes: false, onlyCalls: false },
  { name: 'alone, calls only', time: 'later', hasGoodNodes: false, onlyCalls: true },
];

/** Cells of one fault, one kind of upstream and one circumstance: they share a service. */
export type Group = {
  readonly fault: FaultRow;
  readonly kind: UpstreamKind;
  readonly circumstance: Circumstance;
};

/** All groups that make sense. */
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
