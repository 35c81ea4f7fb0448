import { findOperator } from '../../pool/endpoint.ts';
import type { UpstreamOptions } from '../../pool/options.ts';
import { listNames } from './list-names.ts';
import type { NodeReport, ReportFinding } from './network-report.ts';

type ConfiguredNode = { readonly row: UpstreamOptions; readonly node: NodeReport };

/**
 * Reports nodes that may be one node under several URLs: nodes of one host, which count as one operator by default, and nodes of one host whose
 * ports differ, of which one has a WebSocket URL and the same client and chain as the other.
 * @param upstreams configured nodes, in the order of `nodes`
 */
export function listOperatorFindings(
  upstreams: readonly UpstreamOptions[],
  nodes: readonly NodeReport[],
): readonly ReportFinding[] {
  const configured = nodes.flatMap((node, i): ConfiguredNode[] => {
    const row = upstreams[i];
    return row === undefined || row.operator !== undefined || node.standing !== 'usable'
      ? []
      : [{ row, node }];
  });
  const byOperator = groupByOperator(configured);
  const shared = byOperator.flatMap((group) => (group.length < 2 ? [] : [describeShared(group)]));
  const pairs = byOperator.flatMap((group, i) =>
    byOperator
      .slice(i + 1)
      .flatMap((others) => (isSameNode(group[0], others[0]) ? [describePair([...group, ...others])] : [])),
  );
  return [...shared, ...pairs];
}

function groupByOperator(configured: readonly ConfiguredNode[]): (readonly ConfiguredNode[])[] {
  const groups = new Map<string, ConfiguredNode[]>();
  for (const each of configured) {
    const operator = findOperator(each.row);
    groups.set(operator, [...(groups.get(operator) ?? []), each]);
  }
  return [...groups.values()];
}

const nameNodes = (group: readonly ConfiguredNode[]): string =>
  listNames(group.map(({ node }) => node.examination.name));

function describeShared(group: readonly ConfiguredNode[]): ReportFinding {
  return {
    severity: 'note',
    problem: `${nameNodes(group)} have the same host, so they count as one operator where nodes must confirm each other`,
    advice: 'add a node on another host; if they are separate nodes, give each another upstreams[].operator',
  };
}

function describePair(pair: readonly ConfiguredNode[]): ReportFinding {
  return {
    severity: 'warning',
    problem: `${nameNodes(pair)} may be one node with two URLs, and then confirm nothing to each other`,
    advice:
      'list the node once, with its WebSocket URL as upstreams[].heads, or give both the same upstreams[].operator',
  };
}

/** Whether two nodes on one host differ in their kind of URL, and report the same client and chain. */
function isSameNode(a: ConfiguredNode | undefined, b: ConfiguredNode | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const [urlA, urlB] = [new URL(a.row.url), new URL(b.row.url)];
  const { examination: one } = a.node;
  const { examination: other } = b.node;
  return (
    urlA.hostname === urlB.hostname &&
    isWebSocket(urlA) !== isWebSocket(urlB) &&
    one.answers &&
    other.answers &&
    one.identity.clientVersion === other.identity.clientVersion &&
    one.identity.genesisHash === other.identity.genesisHash
  );
}

function isWebSocket({ protocol }: URL): boolean {
  return protocol === 'ws:' || protocol === 'wss:';
}
