import { createMemoryCache } from '../cache/memory-cache.ts';
import { DEFAULT_LOG_LIMITS } from '../chain/log-range.ts';
import { openUpstreamChain } from '../chains/upstream/open-upstream-chain.ts';
import { DEFAULT_SEND } from '../chains/upstream/sending/options.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { createLogger } from '../observe/logger.ts';
import type { VerificationFigures } from '../observe/sources.ts';
import { DEFAULT_VERIFY } from '../pool/options.ts';
import { SENDING_TOOLS } from '../service/sending-tools.ts';
import { awaitNodes } from './await-nodes.ts';

type Rows = VerificationFigures['rows'];

/** A small cache suffices: only a few blocks are requested, each once. */
const CACHE = { bytes: 1 << 20, entryBytes: 1 << 18 };

/**
 * Verifies recent blocks of a network as the service does at start, and reports which answers can be verified. Returns undefined if verification is
 * off, or if no node returned a block.
 */
export async function findVerifiable(
  network: string,
  { upstreams, pool, verify = DEFAULT_VERIFY }: NetworkOptions,
): Promise<Rows | undefined> {
  if (upstreams === undefined || verify === 'off') return undefined;
  const chain = await openUpstreamChain({
    network,
    upstreams,
    pool,
    logs: DEFAULT_LOG_LIMITS,
    verify,
    cache: createMemoryCache(CACHE),
    log: createLogger('silent'),
    sending: { options: DEFAULT_SEND, tools: SENDING_TOOLS },
  });
  try {
    await awaitNodes(chain);
    const { verification } = chain.describe();
    return verification?.rows.some(({ state }) => state !== 'untested') === true
      ? verification.rows
      : undefined;
  } finally {
    await chain.close();
  }
}

const MEANINGS = {
  verified: 'verified against the block hash',
  untested: 'not tried yet, because no recent block has them',
  unverifiable: 'compared between nodes',
} as const;
/** Text for unverifiable answers about state. Other unverifiable answers are compared between nodes, but answers about state are not. */
const ACCEPTED = 'accepted from one node';

/** Names of subjects that are not members of an answer. */
const NAMES: Readonly<Record<string, string>> = {
  place: 'positions in the block',
  members: 'presence of members',
  from: 'senders',
};

/** Formats the kinds of answers, such as `state` or `effectiveGasPrice`, by how they can be verified, one line for those with equal results. */
export function describeVerifiable(rows: Rows): string {
  const subjects = new Map<string, string[]>();
  for (const { subject, state, reason, from, until } of rows) {
    const since = from === undefined ? '' : ` from block ${from} on`;
    const before = until === undefined ? '' : `; except some blocks up to ${until}`;
    const why = reason === undefined ? '' : `: ${reason}`;
    const meaning = subject === 'state' && state === 'unverifiable' ? ACCEPTED : MEANINGS[state];
    const text = `${meaning}${since}${why}${before}`;
    subjects.set(text, [...(subjects.get(text) ?? []), NAMES[subject] ?? subject]);
  }
  const lines = [...subjects].map(([text, names]) => `  ${text}:\n    ${names.join(', ')}\n`);
  return `\n  answers about blocks and state\n${lines.join('')}`;
}
