/** Which chain nodes claim to be of, and what they agree on. */
import type { Identity } from './identity.ts';
import type { Upstream } from './upstream.ts';

/** Which chain the network is; fields that are not configured are what the first upstreams agree on. */
export type ChainIdentity = { readonly chainId: bigint; readonly genesisHash: string | undefined };

/** Which chain the configuration names. */
export type ConfiguredChain = { readonly chainId?: bigint; readonly genesisHash?: string };

/** Genesis blocks that one sentence names. */
export const MAX_NAMED = 3;

/** Whether a node belongs to the network. */
export function isSameChain(identity: Identity, expected: ChainIdentity): boolean {
  return describeMismatch(identity, expected) === undefined;
}

/** How a node differs from the network; undefined where it belongs to it. */
export function describeMismatch(
  identity: Identity,
  { chainId, genesisHash }: ChainIdentity,
): string | undefined {
  if (identity.chainId !== chainId) return `chain id ${identity.chainId}, expected ${chainId}`;
  if (genesisHash === undefined || identity.genesisHash === undefined) return undefined;
  return identity.genesisHash === genesisHash
    ? undefined
    : `genesis ${identity.genesisHash}, expected ${genesisHash}`;
}

/** An identity and how many upstreams claim it. */
export type ChainVote = { readonly identity: ChainIdentity; readonly votes: number };

/** The identity that most upstreams claim; among equals the one of the first in the configuration. */
export function agreeOnChain(
  upstreams: readonly Pick<Upstream, 'identity'>[],
  configured: ConfiguredChain,
): ChainVote | undefined {
  const { chainId: id, genesisHash: hash } = configured;
  const claims = upstreams.flatMap(({ identity }) => (identity === undefined ? [] : [identity]));
  const chainId = id ?? findMostCommon(claims.map((claim) => claim.chainId));
  if (chainId === undefined) return undefined;
  const ours = claims.filter((claim) => claim.chainId === chainId);
  // A node that has thrown block 0 away neither confirms nor contradicts.
  const genesisHash = hash ?? findMostCommon(ours.flatMap((claim) => claim.genesisHash ?? []));
  const identity = { chainId, genesisHash };
  return { identity, votes: ours.filter((claim) => isSameChain(claim, identity)).length };
}

/** The genesis blocks that nodes of a chain id claim. */
export type GenesisClaims = {
  readonly hashes: readonly string[];
  /** That of more than half of the claims. */
  readonly majority: string | undefined;
};

/** Counts the genesis blocks that nodes claim; those that have thrown block 0 away claim none. */
export function countGenesisClaims(
  upstreams: readonly Pick<Upstream, 'identity'>[],
  chainId: bigint,
): GenesisClaims {
  const claims = upstreams.flatMap(({ identity }) =>
    identity?.chainId === chainId ? (identity.genesisHash ?? []) : [],
  );
  const leader = findMostCommon(claims);
  const isMajority = 2 * claims.filter((hash) => hash === leader).length > claims.length;
  return { hashes: [...new Set(claims)], majority: isMajority ? leader : undefined };
}

/** As much as one sentence holds: `no majority for a genesis block: 0x…, 0x…`. */
export function describeSplit(hashes: readonly string[]): string {
  const more = hashes.length > MAX_NAMED ? ` and ${hashes.length - MAX_NAMED} more` : '';
  return `no majority for a genesis block: ${hashes.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** The first of the values that occur most often. */
function findMostCommon<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let winner: T | undefined;
  for (const [value, count] of counts) {
    if (winner === undefined || count > (counts.get(winner) ?? 0)) winner = value;
  }
  return winner;
}
