import {
  type ChainIdentity,
  type ChainIdTally,
  describeSplit,
  type GenesisClaims,
} from '../../pool/chain-claims.ts';
import { countShare } from '../../pool/heads/choose-head.ts';
import type { PoolOptions } from '../../pool/options.ts';
import { countOf } from '../../util/count-of.ts';
import { isBehind, listByHead, listVoters } from './compare-heads.ts';
import type { ExaminedNode, FeatureName } from './examination.ts';
import { formatSeconds } from './format-seconds.ts';
import { listNames } from './list-names.ts';
import type { NodeReport, ReportFinding } from './network-report.ts';

/** If the newest block is older than this, the chain has stalled, or all nodes are far behind. */
const STALE_SECONDS = 600;

/** Number of operators that report each chain id and genesis block. */
export type ChainTally = ChainIdTally & { readonly genesis: GenesisClaims };

/** Returns the findings that concern the network as a whole. */
export function listNetworkFindings(
  nodes: readonly NodeReport[],
  pool: PoolOptions,
  identity: ChainIdentity | undefined,
  tally: ChainTally,
): readonly ReportFinding[] {
  const usable = listByHead(nodes);
  const examined = usable.map(({ examination }) => examination);
  const [best] = examined;
  const disagreement = findDisagreement(pool, identity, tally);
  if (best === undefined) return disagreement.length > 0 ? disagreement : [NO_NODE];
  return [
    ...disagreement,
    ...MISSING_METHODS.flatMap((missing) => findMissingMethod(missing, examined)),
    ...findMissingReads(examined),
    ...(['safe', 'finalized'] as const).flatMap((tag) => classifyTag(tag, examined, pool)),
    ...findWithheldHead(examined, best, pool),
    ...findStaleHead(best),
    ...findPolledHeads(examined),
    ...findDevelopmentNodes(examined, pool),
    ...(usable.length > 1 || pool.development ? [] : [ALONE]),
  ];
}

const NO_NODE: ReportFinding = {
  severity: 'error',
  problem: 'no node is available',
  advice: 'the network cannot be served until one of them answers',
};
const ALONE: ReportFinding = {
  severity: 'note',
  problem: 'only one node is available',
  advice: 'there is nothing to fail over to; add a second one',
};

/** Reports that no genesis block, or no chain id, is reported by a majority. The network cannot be served then, even if nodes are available. */
export function findDisagreement(
  { chainId, genesisHash }: PoolOptions,
  identity: ChainIdentity | undefined,
  { tally, operators, needed, genesis: { hashes, majority } }: ChainTally,
): readonly ReportFinding[] {
  if (identity === undefined || genesisHash !== undefined) return [];
  if (hashes.length > 0 && majority === undefined) {
    const advice = 'none of these nodes is used until most of them report the same; set pool.genesisHash';
    return [{ severity: 'error', problem: describeSplit(hashes), advice }];
  }
  if (chainId !== undefined) return [];
  if ([...tally.values()].some((votes) => votes >= needed)) return [];
  return [
    {
      severity: 'error',
      problem:
        tally.size > 1
          ? 'the nodes do not agree on a chain id'
          : `too few operators report a chain id: ${tally.get(identity.chainId) ?? 0} of ${operators}`,
      advice: `set pool.chainId; without it the network is down until ${needed} of ${operators} operators report the same one`,
    },
  ];
}

const MISSING_METHODS: readonly (readonly [FeatureName, string])[] = [
  ['eth_call', 'eth_call'],
  ['eth_estimateGas', 'eth_estimateGas'],
  ['eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockNumberAndIndex'],
  ['eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockNumberAndIndex'],
];

function findMissingMethod(
  [feature, name]: (typeof MISSING_METHODS)[number],
  examined: readonly ExaminedNode[],
): readonly ReportFinding[] {
  if (!examined.every(({ features }) => features[feature]?.state === 'no')) return [];
  return [
    {
      severity: 'error',
      problem: `no node has ${name}`,
      advice: 'the network answers it with an error; add a node that has it',
    },
  ];
}

/** Reports the read methods that no node has, among the methods that are served by default or configured. */
function findMissingReads(examined: readonly ExaminedNode[]): readonly ReportFinding[] {
  const names = new Set(examined.flatMap(({ reads, also }) => [...Object.keys(reads), ...Object.keys(also)]));
  const missing = [...names].filter((name) =>
    examined.every(({ reads, also }) => (reads[name] ?? also[name])?.state === 'no'),
  );
  if (missing.length === 0) return [];
  return [
    {
      severity: 'warning',
      problem: `no node has ${missing.join(', ')}`,
      advice:
        'the network answers them with an error; add a node that has them, or name them in methods.except',
    },
  ];
}

function classifyTag(
  tag: 'safe' | 'finalized',
  examined: readonly ExaminedNode[],
  { tags }: PoolOptions,
): readonly ReportFinding[] {
  const without = examined.filter((node) => node.tags[tag].state === 'no').map(({ name }) => name);
  const substitute = tags[tag];
  if (substitute !== undefined) {
    if (without.length > 0) return [];
    const problem = `the nodes know ${tag}, but pool.tags.${tag} is ${substitute}`;
    return [{ severity: 'note', problem, advice: 'remove the substitute to serve what the nodes report' }];
  }
  if (without.length === 0) return [];
  const isUnknown = without.length === examined.length;
  const advice = isUnknown
    ? `set pool.tags.${tag} to the tag that is served instead, or to none`
    : `such a node counts as lagging for ${tag}`;
  return [
    isUnknown
      ? { severity: 'warning', problem: `${tag} is not known to any node`, advice }
      : { severity: 'note', problem: `${tag} is known, but not to ${listNames(without)}`, advice },
  ];
}

function findWithheldHead(
  examined: readonly ExaminedNode[],
  best: ExaminedNode,
  pool: PoolOptions,
): readonly ReportFinding[] {
  const voters = listVoters(examined, pool);
  const served = voters[countShare(pool.headShare, voters.length) - 1];
  if (served?.latest === undefined || best.latest === undefined || !isBehind(served, best)) return [];
  const lag = best.latest.number - served.latest.number;
  return [
    {
      severity: 'warning',
      problem: `the network serves a head ${countOf(lag, 'block')} behind that of ${best.name}`,
      advice: 'too few nodes have the newer ones; remove those that lag, or lower pool.headShare',
    },
  ];
}

function findStaleHead({ latest }: ExaminedNode): readonly ReportFinding[] {
  if (latest === undefined || latest.ageSeconds < STALE_SECONDS) return [];
  return [
    {
      severity: 'note',
      problem: `the newest block is ${formatSeconds(latest.ageSeconds)} old`,
      advice: 'the chain has stalled, or every node is still syncing',
    },
  ];
}

function findPolledHeads(examined: readonly ExaminedNode[]): readonly ReportFinding[] {
  const polled = examined.filter(({ announcements }) => announcements.state === 'none');
  if (polled.length === 0) return [];
  return [
    {
      severity: 'note',
      problem: `heads are polled from ${listNames(polled.map(({ name }) => name))}`,
      advice: 'set upstreams[].heads to the WebSocket URL of the node to learn of new blocks sooner',
    },
  ];
}

/** Programs of development nodes, as their `web3_clientVersion` begins, and the chain ids that development nodes have by default. */
const DEVELOPMENT_CLIENTS = /^(anvil|hardhatnetwork|ganache|edr)\b/i;
const DEVELOPMENT_CHAINS: ReadonlySet<number> = new Set([1337, 31337]);

function findDevelopmentNodes(
  examined: readonly ExaminedNode[],
  { development }: PoolOptions,
): readonly ReportFinding[] {
  const [node] = examined;
  if (node === undefined || examined.length > 1 || development) return [];
  const { clientVersion, chainId } = node.identity;
  const client = DEVELOPMENT_CLIENTS.exec(clientVersion)?.[0];
  if (client === undefined && !DEVELOPMENT_CHAINS.has(Number(chainId))) return [];
  return [
    {
      severity: 'note',
      upstream: node.name,
      problem: `the node is a development node (${client ?? `chain ${chainId}`})`,
      advice:
        'set pool.development: true for eth_sendTransaction and other methods of development nodes, and so that a restart of the node is accepted',
    },
  ];
}
