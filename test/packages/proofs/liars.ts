/** Nodes in front of a true one that change one leaf of one method's answers. */
import type { Cache } from '../../../src/cache/cache.ts';
import { createMemoryCache } from '../../../src/cache/memory-cache.ts';
import { DEFAULT_LOG_LIMITS } from '../../../src/chain/log-range.ts';
import { openUpstreamChain } from '../../../src/chains/upstream/open-upstream-chain.ts';
import { DEFAULT_SEND } from '../../../src/chains/upstream/sending/options.ts';
import type { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import {
  type Checkpoint,
  type PoolOptions,
  poolOptionsSchema,
  upstreamsSchema,
  type VerifyMode,
} from '../../../src/pool/options.ts';
import { SENDING_TOOLS } from '../../../src/service/sending-tools.ts';
import { createRecordingLog, type RecordingLog } from '../../gateway/recording-log.ts';
import { FaultUpstream } from '../../support/fault-upstream.ts';
import type { AskNode, Call, Fault } from '../../support/faults/fault.ts';

export type Path = readonly (string | number)[];

/** Yields every leaf of an answer, with its path. */
export function* listLeaves(value: unknown, path: Path = []): Generator<{ path: Path; value: unknown }> {
  if (typeof value !== 'object' || value === null) yield { path, value };
  else for (const [key, item] of Object.entries(value)) yield* listLeaves(item, [...path, key]);
}

/** Returns another value of the same kind. */
export function changeLeaf(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (value === null) return `0x${'0'.repeat(39)}1`;
  const text = String(value);
  if (text === '0x') return '0x01';
  const last = text.at(-1)?.toLowerCase();
  return `${text.slice(0, -1)}${last === '1' ? '2' : '1'}`;
}

/** Returns a copy with another value at a path. */
export function changeAt<T>(root: T, [key, ...rest]: Path, change: (value: unknown) => unknown): T {
  if (key === undefined) return change(root) as T;
  const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string | number, unknown>;
  copy[key] = changeAt(copy[key], rest, change);
  return copy as T;
}

/** A fault that changes the answers to some calls at a path. */
export function lieAt(concerns: (call: Call) => boolean, path: Path): Fault {
  return {
    concerns,
    answer: async (call, ask) => {
      const answer = await ask(call);
      return 'result' in answer && answer.result !== null
        ? { result: changeAt(answer.result, path, changeLeaf) }
        : answer;
    },
  };
}

export type LiedNetwork = {
  readonly chain: UpstreamChain;
  readonly log: RecordingLog;
  readonly nodes: readonly FaultUpstream[];
  close(): Promise<void>;
};

export type NetworkSettings = {
  readonly verify?: VerifyMode;
  readonly verifyLogBlocks?: number;
  readonly checkpoint?: Checkpoint;
  readonly pool?: PoolOptions;
  /** Cache shared with another process; by default a cache of its own. */
  readonly cache?: Cache;
  readonly isAnchored?: boolean;
  /** The pool's block interval, as in a configuration. */
  readonly blockTime?: string;
  /** Whether liars lie before the network is open. */
  readonly isFromStart?: boolean;
};

export function createTestCache(): Cache {
  return createMemoryCache({ bytes: 1 << 24, entryBytes: 1 << 20 });
}

/**
 * Opens a network of `count` nodes with the truth of one (its URL, or a function in its place), the first of which are liars and preferred.
 * They lie once the network is open, or from the start.
 */
export async function openNetwork(
  node: string | AskNode,
  count: number,
  liars: number,
  fault: Fault,
  { verify = 'auto', isFromStart = false, blockTime, ...options }: NetworkSettings = {},
): Promise<LiedNetwork> {
  const nodes = await Promise.all(Array.from({ length: count }, () => FaultUpstream.start(node)));
  const lie = (): Promise<unknown> => Promise.all(nodes.slice(0, liars).map((node) => node.setFault(fault)));
  if (isFromStart) await lie();
  const log = createRecordingLog();
  const chain = await openUpstreamChain({
    network: 'test',
    upstreams: upstreamsSchema.parse(
      nodes.map((node, i) => ({ url: node.httpUrl, name: `node${i}`, tier: i < liars ? 1 : 2 })),
    ),
    pool: poolOptionsSchema.parse({
      retries: 0,
      hedgePercent: 0,
      ...(blockTime !== undefined && { blockTime, pollInterval: '10ms' }),
    }),
    logs: DEFAULT_LOG_LIMITS,
    cache: createTestCache(),
    log,
    verify,
    ...options,
    sending: { options: DEFAULT_SEND, tools: SENDING_TOOLS },
  });
  await chain.calibrated;
  await lie();
  const close = async (): Promise<void> => {
    await chain.close();
    await Promise.all(nodes.map((node) => node.close()));
  };
  return { chain, log, nodes, close };
}
