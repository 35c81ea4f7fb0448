import { createMemoryCache } from '../cache/memory-cache.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { createLogger } from '../observe/logger.ts';
import type { AnchorFigures } from '../observe/sources.ts';
import { anchorOnce } from '../service/open-anchors.ts';
import { type ObservedChain, openNodes } from '../service/open-chain.ts';
import { RequestScope } from '../util/request-scope.ts';
import { awaitNodes } from './await-nodes.ts';

const CACHE = { bytes: 1 << 20, entryBytes: 1 << 18 };
const LIMIT_MS = 30_000;

/** Newest block of a rollup that layer 1 commits to. */
export type AnchorDiagnosis = AnchorFigures & {
  readonly l1: string;
  /** Number of blocks between the committed block and the head. */
  readonly behind?: number;
};

/** Finds the newest rollup block that layer 1 commits to, with the code of the service. Returns undefined if the network is not anchored. */
export async function tryAnchor(
  name: string,
  networks: Readonly<Record<string, NetworkOptions>>,
): Promise<AnchorDiagnosis | undefined> {
  const options = networks[name];
  const { anchor, l1 = '' } = options?.rollup ?? {};
  const l1Options = networks[l1];
  if (anchor === undefined || options === undefined || l1Options === undefined) return undefined;
  const [layer1, chain] = await Promise.all([open(l1, l1Options), open(name, options)]);
  try {
    await anchorOnce(chain, layer1, anchor, new RequestScope(performance.now() + LIMIT_MS));
    const { head, verification } = chain.describe();
    const figures = verification?.anchor;
    if (figures === undefined) return undefined;
    const { number } = figures;
    const isKnown = head !== undefined && number !== undefined;
    return { ...figures, l1, ...(isKnown && { behind: head.number - number }) };
  } finally {
    await Promise.all([chain, layer1].map((each) => each.close()));
  }
}

async function open(network: string, options: NetworkOptions): Promise<ObservedChain> {
  const backends = { cache: createMemoryCache(CACHE), log: createLogger('silent') };
  const { pool, verify, checkpoint, rollup } = options;
  const isAnchored = rollup?.anchor !== undefined;
  const chain = await openNodes(network, options.upstreams ?? [], backends, {
    pool,
    isAnchored,
    ...(verify !== undefined && { verify }),
    ...(checkpoint !== undefined && { checkpoint }),
  });
  await awaitNodes(chain);
  return chain;
}

/** Formats the diagnosis as one line. */
export function describeAnchor({ state, number, behind, reason, l1 }: AnchorDiagnosis): string {
  if (state === 'anchored')
    return `\n  anchored in ${l1}: layer 1 commits to block ${number}, ${behind ?? 0} below the head\n`;
  const verdict = state === 'contradicted' ? `contradicts ${l1}` : `not anchored in ${l1}`;
  return `\n  ${verdict}: ${reason ?? 'the reason is not known'}\n`;
}
