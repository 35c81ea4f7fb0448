import { resolve } from 'node:path';
import type { TokenIssuer } from '../access/options.ts';
import type { ListenOptions } from '../server/options.ts';
import type { Config } from './config.ts';
import type { NetworkOptions } from './network-options.ts';

/** Makes the paths of a configuration absolute; relative paths are resolved against `folder`. */
export function resolvePaths(config: Config, folder: string): Config {
  const networks = Object.entries(config.networks).map(([name, network]): [string, NetworkOptions] => [
    name,
    resolveNetworkPaths(network, folder),
  ]);
  const jwt = Object.entries(config.access.jwt).map(([name, issuer]): [string, TokenIssuer] => [
    name,
    /^https?:\/\//.test(issuer.jwks) ? issuer : { ...issuer, jwks: resolve(folder, issuer.jwks) },
  ]);
  return {
    ...config,
    listen: resolveListenPaths(config.listen, folder),
    dataDir: resolve(folder, config.dataDir),
    networks: Object.fromEntries(networks),
    access: { ...config.access, jwt: Object.fromEntries(jwt) },
  };
}

function resolveNetworkPaths(network: NetworkOptions, folder: string): NetworkOptions {
  const { embedded, chain } = network;
  return {
    ...network,
    ...(embedded !== undefined && { embedded: { ...embedded, data: resolve(folder, embedded.data) } }),
    ...(chain !== undefined && { chain: resolve(folder, chain) }),
  };
}

export function resolveListenPaths(listen: ListenOptions, folder: string): ListenOptions {
  if (listen.tls === undefined) return listen;
  const { cert, key } = listen.tls;
  return { ...listen, tls: { cert: resolve(folder, cert), key: resolve(folder, key) } };
}
