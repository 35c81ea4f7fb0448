import { createMemoryCache } from '../cache/memory-cache.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { createLogger } from '../observe/logger.ts';
import { nameUpstream } from '../pool/endpoint.ts';
import { loadFamily } from '../rollup/family-table.ts';
import { isUrl } from '../rollup/options.ts';
import type { InfoField } from '../rollup/rollup-family.ts';
import { openNodes } from '../service/open-chain.ts';
import { readAddress } from '../service/open-rollups.ts';
import { awaitNodes } from './await-nodes.ts';
import { formatSeconds } from './nodes/format-seconds.ts';

const CACHE = { bytes: 1 << 20, entryBytes: 1 << 18 };

/** Layer 1 of a rollup, as its nodes report it. */
export type Layer1Diagnosis = {
  /** Name of the network, or name of the node, which never contains a key. */
  readonly name: string;
  /** Whether `rollup.l1` names a network of the same file. */
  readonly isNetwork: boolean;
  readonly chainId?: string;
  readonly head?: number;
  /** Age of the newest block, seconds. */
  readonly ageSeconds?: number;
  /** Reason why layer 1 does not answer. */
  readonly reason?: string;
  /** Members of `rollup_getInfo` that are 0 without layer 1; undefined if the family is unknown. */
  readonly fields?: readonly InfoField[];
};

/**
 * Examines the layer 1 of a rollup with the code of the service.
 * @param family configured or recognised family
 * @returns undefined if the network has no `rollup.l1`
 */
export async function tryLayer1(
  network: string,
  networks: Readonly<Record<string, NetworkOptions>>,
  family: string | undefined,
): Promise<Layer1Diagnosis | undefined> {
  const l1 = networks[network]?.rollup?.l1;
  if (l1 === undefined) return undefined;
  const gaps = family === undefined ? undefined : (await loadFamily(family)).gaps;
  const fields = gaps && (Object.keys(gaps) as InfoField[]).filter((field) => gaps[field] === 'l1');
  const known = fields === undefined ? {} : { fields };
  const isNetwork = !isUrl(l1);
  const upstreams = isNetwork ? networks[l1]?.upstreams : [readAddress(l1)];
  const [first] = upstreams ?? [];
  const name = isNetwork || first === undefined ? l1 : nameUpstream(first, 0);
  // An embedded chain is examined by `check-config` and when it is opened.
  if (upstreams === undefined) return { name, isNetwork, ...known };
  const backends = { cache: createMemoryCache(CACHE), log: createLogger('silent') };
  const pool = isNetwork ? networks[l1]?.pool : undefined;
  const chain = await openNodes(`${network} (layer 1)`, upstreams, backends, {
    verify: 'off',
    ...(pool !== undefined && { pool }),
  });
  try {
    await awaitNodes(chain);
    const { chainId, head, outage } = chain.describe();
    return {
      name,
      isNetwork,
      ...known,
      ...(chainId !== undefined && { chainId }),
      ...(head !== undefined && {
        head: head.number,
        ageSeconds: Math.max(0, Math.round((Date.now() - head.timestamp) / 1_000)),
      }),
      ...(head === undefined && { reason: outage ?? 'its node has reported no block' }),
    };
  } finally {
    await chain.close();
  }
}

/**
 * Formats the diagnosis as one line.
 * @param chainId chain id of the rollup itself
 */
export function describeLayer1(
  { name, isNetwork, chainId, head, ageSeconds = 0, reason, fields }: Layer1Diagnosis,
  ownChainId: string | undefined,
): string {
  const where = isNetwork ? `the network ${name} of this file` : name;
  const uses =
    fields === undefined || fields.length === 0
      ? 'rollup_getInfo reads it where the nodes of the rollup do not report their own view of it'
      : `rollup_getInfo reads ${fields.join(' and ')} from it`;
  if (reason !== undefined)
    return `\n  error: layer 1 (${where}) does not answer: ${reason}; ${uses}, so calls that need it fail until it answers\n`;
  if (chainId !== undefined && chainId === ownChainId)
    return `\n  error: layer 1 (${where}) has the chain id ${chainId} of the rollup itself: correct rollup.l1\n`;
  const state =
    chainId === undefined || head === undefined
      ? ''
      : `: chain ${chainId}, block ${head}, ${formatSeconds(ageSeconds)} old`;
  return `\n  layer 1 is ${where}${state}; ${uses}\n`;
}
