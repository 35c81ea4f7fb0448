import type { ExaminedNode, Support } from './nodes/examination.ts';
import { formatSeconds } from './nodes/format-seconds.ts';
import type { NodeReport, NodeStanding } from './nodes/network-report.ts';

type Column = { readonly title: string; readonly show: (node: ExaminedNode, report: NodeReport) => string };

const STANDINGS: Readonly<Record<NodeStanding, string>> = {
  usable: 'ok',
  headless: 'no head',
  otherChain: 'other chain',
  disputed: 'no majority',
  silent: 'no answer',
};
const MAX_CLIENT_LENGTH = 24;
const METHODS = [
  'eth_call',
  'estimateAtBlock',
  'eth_getBlockReceipts',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
] as const;

/** Table columns of nodes that answer. */
const COLUMNS: readonly Column[] = [
  { title: 'CLIENT', show: ({ identity }) => shortenClient(identity.clientVersion) },
  { title: 'CHAIN', show: ({ identity }) => identity.chainId.toString() },
  { title: 'HEAD', show: ({ latest }) => latest?.number.toString() ?? '-' },
  { title: 'LAG', show: (_, { lag }) => lag?.toString() ?? '-' },
  { title: 'AGE', show: ({ latest }) => (latest === undefined ? '-' : formatSeconds(latest.ageSeconds)) },
  { title: 'MS', show: ({ latencyMs }) => (latencyMs === undefined ? '-' : latencyMs.toFixed(1)) },
  { title: 'SAFE', show: ({ tags }) => showSupport(tags.safe) },
  { title: 'FINALIZED', show: ({ tags }) => showSupport(tags.finalized) },
  { title: 'PENDING', show: ({ tags }) => showSupport(tags.pending) },
  { title: 'METHODS', show: ({ features }) => countSupported(METHODS.map((name) => features[name])) },
  { title: 'READS', show: ({ reads, also }) => countSupported(Object.values({ ...reads, ...also })) },
  { title: 'RECEIPTS', show: ({ features }) => showSupport(features.eth_getBlockReceipts) },
  { title: 'HASHES', show: ({ features }) => showSupport(features.callAtHash) },
  { title: 'OVERRIDES', show: ({ features }) => showSupport(features.stateOverrides) },
  { title: 'REVERTS', show: ({ reverts }) => REVERTS[reverts] },
  { title: 'BATCH', show: ({ batches }) => batches.answered.toString() },
  { title: 'HEADS', show: ({ announcements }) => HEADS[announcements.state] },
];

const REVERTS: Readonly<Record<ExaminedNode['reverts'], string>> = {
  standard: 'yes',
  translated: 'yes',
  dataLost: 'no data',
  unrecognised: 'no',
  unclear: '?',
};
const HEADS: Readonly<Record<ExaminedNode['announcements']['state'], string>> = {
  coming: 'announced',
  none: 'polled',
  failing: 'failing',
};

/** For rollups: number of rollup methods that the node implements itself; the network works without them. */
const ROLLUP: Column = { title: 'ROLLUP', show: ({ rollup }) => countSupported(Object.values(rollup)) };

/** Returns one row per node, sorted by node name. */
export function listTableRows(nodes: readonly NodeReport[]): readonly (readonly string[])[] {
  const isRollup = nodes.some(
    ({ examination }) => examination.answers && Object.keys(examination.rollup).length > 0,
  );
  const columns = isRollup ? [...COLUMNS, ROLLUP] : COLUMNS;
  const titles = columns.map(({ title }) => title);
  return [['UPSTREAM', 'STATE', ...titles], ...nodes.map((node) => showNode(node, columns))];
}

function showNode(report: NodeReport, columns: readonly Column[]): readonly string[] {
  const { examination, standing } = report;
  const cells = examination.answers ? columns.map(({ show }) => show(examination, report)) : [];
  return [examination.name, STANDINGS[standing], ...cells];
}

function showSupport(support: Support | undefined): string {
  if (support === undefined || support.state === 'unclear') return '?';
  return support.state;
}

function countSupported(supports: readonly (Support | undefined)[]): string {
  return `${supports.filter((support) => support?.state === 'yes').length} of ${supports.length}`;
}

/** Shortens a client version such as `Geth/v1.14.12-stable-293a300d/linux-amd64/go1.23.4` to its name and version. */
function shortenClient(clientVersion: string): string {
  return clientVersion.split('/').slice(0, 2).join('/').slice(0, MAX_CLIENT_LENGTH);
}
