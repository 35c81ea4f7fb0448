import { resolve } from 'node:path';
import type { Config } from './config.ts';
import type { NetworkOptions } from './network-options.ts';

/** Makes the paths of a configuration absolute; relative ones start at `folder`. */
export function resolvePaths(config: Config, folder: string): Config {
  const networks = Object.entries(config.networks).map(([name, network]): [string, NetworkOptions] => [
    name,
    network.embedded === undefined
      ? network
      : { ...network, embedded: { data: resolve(folder, network.embedded.data) } },
  ]);
  return { ...config, dataDir: resolve(folder, config.dataDir), networks: Object.fromEntries(networks) };
}
