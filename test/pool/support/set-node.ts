import type { NodeRecord } from '../../../src/pool/node-record.ts';
import type { Upstream } from '../../../src/pool/upstream.ts';

/** Brings a node into a state, by the events that lead there. */
export function setNode(upstream: Upstream, state: Partial<NodeRecord>): void {
  const { standing, mismatch, identity, identityFault, evidence, vote, isOnFork, missedPolls } = state;
  if (identity !== undefined) upstream.apply({ kind: 'identified', identity });
  if (identityFault !== undefined) upstream.apply({ kind: 'notIdentified', fault: identityFault });
  if (state.isAwaited === false) upstream.apply({ kind: 'startTimeExceeded' });
  if (standing === 'unverified') {
    upstream.apply({ kind: 'classified', verdict: { standing: 'verified' } });
    upstream.apply({ kind: 'returned' });
  } else if (standing === 'disputed') {
    upstream.apply({ kind: 'classified', verdict: { standing, mismatch: mismatch ?? '' } });
  } else if (standing !== undefined) {
    const verdict = standing === 'verified' || mismatch === undefined ? { standing } : { standing, mismatch };
    upstream.apply({ kind: 'classified', verdict });
  }
  if (evidence !== undefined) upstream.apply({ kind: 'quarantined', evidence });
  if (vote !== undefined) upstream.apply({ kind: 'voted', vote });
  if (isOnFork !== undefined) upstream.apply({ kind: 'compared', isOnFork });
  if (missedPolls === undefined) return;
  upstream.apply({ kind: 'polled', isAnswered: true });
  for (let poll = 0; poll < missedPolls; poll++) upstream.apply({ kind: 'polled', isAnswered: false });
}
