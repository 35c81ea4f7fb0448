/** Chains that nodes report, and the chain that they agree on. */
import type { Upstream } from './upstream.ts';

/** Identity of the network. A member that the configuration lacks (chain id or genesis hash) is the value on which the upstreams agree. */
export type ChainIdentity = { readonly chainId: bigint; readonly genesisHash: string | undefined };

/** Identity in the configuration. */
export type ConfiguredChain = { readonly chainId?: bigint; readonly genesisHash?: string };

/** Maximum number of genesis hashes in one message. */
export const MAX_NAMED = 3;

/** Whether a node with this identity belongs to the network. */
export function isSameChain(identity: ChainIdentity, expected: ChainIdentity): boolean {
  return describeMismatch(identity, expected) === undefined;
}

/**
 * Describes how a node differs from the network; undefined if the node belongs to the network. An unknown genesis hash does not count as a
 * difference.
 */
export function describeMismatch(
  identity: ChainIdentity,
  { chainId, genesisHash }: ChainIdentity,
): string | undefined {
  if (identity.chainId !== chainId) return `chain id ${identity.chainId}, expected ${chainId}`;
  if (genesisHash === undefined || identity.genesisHash === undefined) return undefined;
  return identity.genesisHash === genesisHash
    ? undefined
    : `genesis ${identity.genesisHash}, expected ${genesisHash}`;
}

/** An identity, and the number of operators that report it. */
export type ChainVote = { readonly identity: ChainIdentity; readonly votes: number };

/** Members of a node that are needed to count its vote: all nodes of one operator have one vote. */
export type Claimant = Pick<Upstream, 'identity' | 'operator'>;

/** Returns the identity that most operators report. On a tie, it is the identity of the operator that comes first in the configuration. */
export function agreeOnChain(nodes: readonly Claimant[], configured: ConfiguredChain): ChainVote | undefined {
  const { chainId: id, genesisHash: hash } = configured;
  const claims = groupByOperator(nodes).flatMap((group) => findVoice(group) ?? []);
  const chainId = id ?? findMostCommon(claims.map((claim) => claim.chainId));
  if (chainId === undefined) return undefined;
  const ours = claims.filter((claim) => claim.chainId === chainId);
  // A node that has pruned block 0 neither confirms nor contradicts a genesis hash.
  const genesisHash = hash ?? findMostCommon(ours.flatMap((claim) => claim.genesisHash ?? []));
  const identity = { chainId, genesisHash };
  return { identity, votes: ours.filter((claim) => isSameChain(claim, identity)).length };
}

/**
 * Returns the chain that more than half of all configured operators report; undefined until there is such a majority. The genesis hash is undefined
 * if these operators report one chain id, but different genesis hashes.
 * @param nodes all configured nodes. An operator counts once each of its nodes has answered or exceeded its startup time
 */
export function findMajorityChain(
  nodes: readonly (Claimant & Pick<Upstream, 'isAwaited'>)[],
  configured: ConfiguredChain,
): ChainIdentity | undefined {
  const { chainId, tally, needed } = tallyChainIds(nodes, configured);
  const found = chainId ?? [...tally].find(([, votes]) => votes >= needed)?.[0];
  if (found === undefined) return undefined;
  const agreed = agreeOnChain(nodes, { ...configured, chainId: found });
  if (agreed !== undefined && agreed.votes >= needed) return agreed.identity;
  return { chainId: found, genesisHash: configured.genesisHash };
}

/** Counts of the operators that report each chain id. */
export type ChainIdTally = {
  /** The configured chain id. */
  readonly chainId: bigint | undefined;
  readonly tally: ReadonlyMap<bigint, number>;
  /** Number of configured operators. */
  readonly operators: number;
  /** Required number of operators: more than half. */
  readonly needed: number;
};

/** @param nodes all configured nodes. An operator counts once each of its nodes has answered or exceeded its startup time */
export function tallyChainIds(
  nodes: readonly (Claimant & Pick<Upstream, 'isAwaited'>)[],
  { chainId }: ConfiguredChain,
): ChainIdTally {
  const groups = groupByOperator(nodes);
  const tally = new Map<bigint, number>();
  for (const group of groups) {
    const isPending = group.some(({ identity, isAwaited }) => identity === undefined && isAwaited);
    const voice = isPending ? undefined : findVoice(group);
    if (voice !== undefined) tally.set(voice.chainId, (tally.get(voice.chainId) ?? 0) + 1);
  }
  return { chainId, tally, operators: groups.length, needed: Math.floor(groups.length / 2) + 1 };
}

export function countOperators(nodes: readonly Pick<Upstream, 'operator'>[]): number {
  return new Set(nodes.map(({ operator }) => operator)).size;
}

function groupByOperator<N extends Pick<Upstream, 'operator'>>(nodes: readonly N[]): N[][] {
  const groups = new Map<string, N[]>();
  for (const node of nodes) {
    const group = groups.get(node.operator);
    if (group === undefined) groups.set(node.operator, [node]);
    else group.push(node);
  }
  return [...groups.values()];
}

/**
 * Returns the identity that more than half of an operator's answering nodes report; the genesis hash is undefined if these nodes report different
 * ones.
 */
function findVoice(nodes: readonly Claimant[]): ChainIdentity | undefined {
  const claims = nodes.flatMap(({ identity }) => (identity === undefined ? [] : [identity]));
  const chainId = findMostCommon(claims.map((claim) => claim.chainId));
  const ours = claims.filter((claim) => claim.chainId === chainId);
  if (chainId === undefined || 2 * ours.length <= claims.length) return undefined;
  const hashes = ours.flatMap((claim) => claim.genesisHash ?? []);
  const genesisHash = findMostCommon(hashes);
  const isMajority = 2 * hashes.filter((hash) => hash === genesisHash).length > hashes.length;
  return { chainId, genesisHash: isMajority ? genesisHash : undefined };
}

/** Genesis blocks of nodes that report the same chain id. */
export type GenesisClaims = {
  /** All different genesis hashes that nodes report. A node that has pruned block 0 reports none. */
  readonly hashes: readonly string[];
  /** Hash that more than half of the operators report, among operators that report any hash. An operator counts once, however many nodes it has. */
  readonly majority: string | undefined;
};

export function countGenesisClaims(nodes: readonly Claimant[], chainId: bigint): GenesisClaims {
  const ours = nodes.filter(({ identity }) => identity?.chainId === chainId);
  const hashes = new Set(ours.flatMap(({ identity }) => identity?.genesisHash ?? []));
  const voices = groupByOperator(ours).flatMap((group) => findVoice(group)?.genesisHash ?? []);
  const leader = findMostCommon(voices);
  const isMajority = 2 * voices.filter((hash) => hash === leader).length > voices.length;
  return { hashes: [...hashes], majority: isMajority ? leader : undefined };
}

/** Returns `no majority for a genesis block: 0x…, 0x…`, with at most `MAX_NAMED` hashes. */
export function describeSplit(hashes: readonly string[]): string {
  const more = hashes.length > MAX_NAMED ? ` and ${hashes.length - MAX_NAMED} more` : '';
  return `no majority for a genesis block: ${hashes.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** Returns the most frequent value; if several are equally frequent, the first of them in the array. */
function findMostCommon<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let winner: T | undefined;
  for (const [value, count] of counts) {
    if (winner === undefined || count > (counts.get(winner) ?? 0)) winner = value;
  }
  return winner;
}
