/** The built-in networks as client libraries see them: selected by URL, since most libraries cannot set a Host header. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Facts } from '../../scripts/chains/facts.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { makeTemporaryFolder } from './embedded.ts';
import { type RunningService, startService } from './service.ts';

export const FACTS: Facts = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../chains/facts.json'), 'utf8'),
);

/** Address of a named account, which both chains have. */
export function addressOf(name: string): `0x${string}` {
  const account = FACTS.devnet.accounts.find((one) => one.name === name);
  if (account === undefined) throw new Error(`there is no account ${name}`);
  return account.address as `0x${string}`;
}

export type Transport = 'HTTP' | 'WebSocket';
export const TRANSPORTS: readonly Transport[] = ['HTTP', 'WebSocket'];

/** URL at which a service accepts requests. */
export function urlOf({ authority }: RunningService, transport: Transport, key = 'demo'): string {
  return transport === 'HTTP' ? `http://${authority}/v3/${key}` : `ws://${authority}/ws/v3/${key}`;
}

/** Source of a network: the engine of this process, or another process of this program. */
export type Source = 'embedded' | 'upstream';
export const SOURCES: readonly Source[] = ['embedded', 'upstream'];

/** Serves both built-in networks, one of them under every host name. Closing fails if errors were logged. */
export async function serveByDefault(
  network: 'devnet' | 'rollup',
  source: Source = 'embedded',
): Promise<RunningService> {
  if (source === 'embedded') return failOnErrors(await serveBuiltin(network));
  const nodes = { devnet: await serveBuiltin('devnet'), rollup: await serveBuiltin('rollup') };
  const networks = Object.entries(listBuiltinNetworks().networks).map(
    ([name, { builtin: _, ...rest }]: [string, { builtin?: string }]) => {
      const node = nodes[name as 'devnet' | 'rollup'];
      const upstreams = TRANSPORTS.map((transport) => urlOf(node, transport));
      return [name, { ...rest, upstreams }] as const;
    },
  );
  const service = await startService({
    defaultNetwork: network,
    networks: Object.fromEntries(networks),
  });
  return failOnErrors({
    ...service,
    async close() {
      await service.close();
      await Promise.all(Object.values(nodes).map((node) => node.close()));
    },
  });
}

/** Both networks, each under every host name, for as long as the suite around it runs. */
export function useNetworks(source: Source): () => Record<'devnet' | 'rollup', RunningService> {
  let services: Record<'devnet' | 'rollup', RunningService> | undefined;
  before(async () => {
    services = {
      devnet: await serveByDefault('devnet', source),
      rollup: await serveByDefault('rollup', source),
    };
  });
  after(async () => {
    await services?.devnet.close();
    await services?.rollup.close();
  });
  return () => services as Record<'devnet' | 'rollup', RunningService>;
}

/** Serves the built-in networks from a temporary folder. */
async function serveBuiltin(network: 'devnet' | 'rollup'): Promise<RunningService> {
  const folder = makeTemporaryFolder();
  const service = await startService({
    ...listBuiltinNetworks(),
    dataDir: folder.path,
    defaultNetwork: network,
  });
  return {
    ...service,
    async close() {
      await service.close();
      folder.remove();
    },
  };
}

function failOnErrors(service: RunningService): RunningService {
  return {
    ...service,
    async close() {
      await service.close();
      if (service.errors.length > 0) throw new Error(`errors were logged:\n${service.errors.join('\n')}`);
    },
  };
}
