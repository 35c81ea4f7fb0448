/** A network of one node whose calls are executed locally, and the node's own answers to compare with. */
import assert from 'node:assert/strict';
import { createMemoryCache } from '../../../../src/cache/memory-cache.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { type NetworkOptions, networksSchema } from '../../../../src/config/network-options.ts';
import { createLogger } from '../../../../src/observe/logger.ts';
import type { ExecutionFigures } from '../../../../src/observe/sources.ts';
import { EmbeddedChains } from '../../../../src/service/embedded-chains.ts';
import { type ObservedChain, openChain } from '../../../../src/service/open-chain.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

export type Kind = 'call' | 'estimateGas' | 'createAccessList';
export type Outcome = { readonly result?: string; readonly error?: string; readonly data?: unknown };

const LIMIT_MS = 60_000;

export type RemoteNetwork = {
  readonly chain: ObservedChain;
  readonly figures: () => ExecutionFigures;
  /** Returns the network's outcome, with the trust level that it reports. */
  ask(kind: Kind, request: CallRequest): Promise<Outcome & { readonly trust: string | undefined }>;
  /** Counts the round trips that `work` takes. */
  countTrips(work: () => Promise<unknown>): Promise<number>;
  /** Waits until a block is served. */
  followTo(number: bigint): Promise<void>;
  /** Removes and returns the error log lines so far, so that `close` does not fail on them. */
  takeErrors(): readonly string[];
  close(): Promise<void>;
};

/**
 * Opens a network with local execution.
 * @param url URL of its node, or configuration rows of several nodes
 * @param options network options other than `upstreams`
 */
export async function openRemote(
  url: string | readonly unknown[],
  options: Readonly<Record<string, unknown>> = { execution: 'local' },
): Promise<RemoteNetwork> {
  const folder = makeTemporaryFolder();
  const faults: unknown[] = [];
  const lines: string[] = [];
  const log = createLogger('error', { sink: { write: (line) => void lines.push(String(line)) } });
  const engine = new EmbeddedChains({ threads: 1, onFault: (fault) => faults.push(fault) });
  const cache = createMemoryCache({ bytes: 1 << 20, entryBytes: 1 << 16 });
  // Verification is off, so that calibration adds no requests to the counted ones.
  const row = { hosts: ['remote'], upstreams: [url].flat(), verify: 'off', ...options };
  const parsed = networksSchema.parse({ remote: row })['remote'] as NetworkOptions;
  const chain = await openChain('remote', parsed, { dataDir: folder.path, engine, cache, log });
  // Its nodes are followed from here on.
  await chain.calibrated;
  const figures = (): ExecutionFigures => {
    const { execution } = chain.describe();
    assert.ok(execution !== undefined);
    return execution;
  };
  return {
    chain,
    figures,
    async ask(kind, request) {
      const scope = new RequestScope(performance.now() + LIMIT_MS);
      try {
        const result = await chain.execution[kind](request, scope);
        return { result: String(result), trust: scope.trust };
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        const { data, message } = error;
        return { error: message, ...(data !== undefined && { data }), trust: scope.trust };
      }
    },
    async countTrips(work) {
      const before = figures().roundTrips;
      await work();
      return figures().roundTrips - before;
    },
    followTo(number) {
      return new Promise((resolve) => {
        const look = (): void => {
          if ((chain.heads.served?.number ?? -1n) < number) return;
          end();
          resolve();
        };
        const end = chain.heads.watch(look);
        look();
      });
    },
    takeErrors: () => lines.splice(0),
    async close() {
      await chain.close();
      await engine.close();
      await cache.close();
      folder.remove();
      assert.deepEqual([...faults, ...lines], []);
    },
  };
}
