import type { Cache } from '../../../src/cache/cache.ts';
import { createMemoryCache } from '../../../src/cache/memory-cache.ts';
import type { Logger } from '../../../src/observe/logger.ts';
import { type PoolOptions, poolOptionsSchema } from '../../../src/pool/options.ts';
import { createPool, type Pool } from '../../../src/pool/pool.ts';
import type { Handler, Send } from '../../../src/pool/upstream-request.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import type { ScriptedNode } from './scripted-node.ts';

export type PoolScript = {
  readonly options?: Partial<PoolOptions>;
  readonly cache?: Cache;
  readonly log?: Logger;
};

export function createMemory(): Cache {
  return createMemoryCache({ bytes: 4_000_000, entryBytes: 100_000 });
}

/** The real pool over scripted nodes; always returns a promise, also for synchronous answers. */
export function poolOf(nodes: readonly ScriptedNode[], script: PoolScript = {}): Handler {
  const ask = openPool(nodes, script);
  return async (context) => ask(context);
}

/** The real pool over scripted nodes. */
export function openPool(nodes: readonly ScriptedNode[], script: PoolScript = {}): Send {
  return openWholePool(nodes, script).ask;
}

/** The real pool over scripted nodes, with all of its methods. */
export function openWholePool(nodes: readonly ScriptedNode[], script: PoolScript = {}): Pool {
  return createPool({
    isFinal: () => true,
    network: 'test',
    upstreams: nodes.map((node) => node.upstream),
    options: { ...poolOptionsSchema.parse({}), ...script.options },
    cache: script.cache ?? createMemory(),
    log: script.log ?? createRecordingLog(),
  });
}
