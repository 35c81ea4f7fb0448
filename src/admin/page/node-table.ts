import type { UpstreamStatus } from '../../observe/status.ts';
import { describeSpend } from './describe-spend.ts';
import { formatCount, formatMs, formatShare, NOTHING } from './format.ts';
import { type Cell, Table } from './table.ts';

/** Minimum share of failures that is marked in the table. */
const MANY_FAILURES = 0.05;

const STATES: Readonly<Record<UpstreamStatus['state'], Cell>> = {
  up: { text: '● up', tone: 'ok' },
  lagging: { text: '▲ lagging', tone: 'warn' },
  down: { text: '✕ down', tone: 'bad' },
  excluded: { text: '○ excluded', tone: 'bad' },
};

/** Creates the table of a network's nodes. */
export function createNodeTable(): Table<UpstreamStatus> {
  return new Table<UpstreamStatus>({
    caption: 'Nodes',
    keyOf: ({ name }, position) => `${position} ${name}`,
    empty: 'No node has reported yet.',
    columns: [
      { label: 'Node', kind: 'code', cell: ({ name }) => name },
      { label: 'State', cell: describeUpstream },
      { label: 'Lag', kind: 'number', cell: describeLag },
      { label: 'Latency', kind: 'number', cell: describeLatency },
      { label: 'Failures', kind: 'number', cell: describeFailures },
      { label: 'Spend', kind: 'number', cell: describeSpend },
    ],
  });
}

function describeUpstream({ state, reason }: UpstreamStatus): Cell {
  const { text, ...rest } = STATES[state] ?? { text: state };
  return { ...rest, text: reason === undefined ? text : `${text}: ${reason}` };
}

/** The lag of a node that does not answer is that of its last answer, so it is not displayed. */
function describeLag({ lag, head, state }: UpstreamStatus): Cell {
  if (lag === undefined || state === 'down' || state === 'excluded')
    return { text: NOTHING, title: explainLag(state) };
  const title = head === undefined ? {} : { title: `head ${formatCount(head)}` };
  return { text: lag <= 0 ? 'none' : formatCount(lag), ...title };
}

function explainLag(state: UpstreamStatus['state']): string {
  const isUsed = state !== 'down' && state !== 'excluded';
  return isUsed ? 'unknown: the node has reported no block' : explainAbsence(state);
}

function describeLatency({ latency, errorRate, state }: UpstreamStatus): Cell {
  if (latency !== undefined) return { text: formatMs(latency) };
  return { text: NOTHING, title: errorRate === undefined ? explainAbsence(state) : 'every request failed' };
}

function describeFailures({ errorRate, state }: UpstreamStatus): Cell {
  if (errorRate === undefined) return { text: NOTHING, title: explainAbsence(state) };
  return { text: formatShare(errorRate), ...(errorRate >= MANY_FAILURES && { tone: 'bad' }) };
}

function explainAbsence(state: UpstreamStatus['state']): string {
  if (state === 'excluded') return 'unknown: the node is not used';
  return `unknown: ${state === 'down' ? 'the node is down' : 'no calls were sent to the node in the last minute'}`;
}
