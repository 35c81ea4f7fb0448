/** The one place where things are wired: a configuration becomes a service. */
import { availableParallelism } from 'node:os';
import { LmdbKeyStore } from '../access/lmdb-key-store.ts';
import type { Chain } from '../chain/chain.ts';
import type { Config } from '../config/config.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { EngineChain } from '../engine/engine-chain.ts';
import { DEFAULT_POOL, ExecutionPool } from '../engine/execution/execution-pool.ts';
import { createGateway } from '../gateway/gateway.ts';
import type { Network } from '../gateway/network.ts';
import { NetworkRegistry } from '../gateway/network-registry.ts';
import type { Logger } from '../observe/logger.ts';
import { createLinea } from '../rollup/linea.ts';
import type { RollupFamily } from '../rollup/rollup-family.ts';
import { createServer, type Server } from '../server/lifecycle.ts';
import { checkLmdbFile, hasLmdbFile } from '../util/lmdb-folder.ts';
import { prepareBuiltinChain } from './builtin-chains.ts';
import { readVersion } from './version.ts';

/** Everything that runs for one configuration. */
export interface Service {
  readonly server: Server;
  /** Drains and closes the server, then everything behind it. */
  close(): Promise<void>;
}

const MIN_THREADS = 2;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

async function openChain(network: NetworkOptions, config: Config, pool: ExecutionPool): Promise<Chain> {
  if (network.builtin !== undefined) {
    return new EngineChain(await prepareBuiltinChain(network.builtin, config.dataDir), pool);
  }
  const { data } = network.embedded as { data: string };
  checkLmdbFile(data);
  if (!hasLmdbFile(data)) throw new Error(`there is no chain store in ${data}`);
  return new EngineChain(data, pool);
}

function createRollup(
  options: NonNullable<NetworkOptions['rollup']>,
  chain: Chain,
  chains: ReadonlyMap<string, Chain>,
): RollupFamily {
  const l1 = options.l1 === undefined ? undefined : chains.get(options.l1);
  const { mode, messageService } = options;
  return createLinea({
    chain,
    mode,
    ...(l1 !== undefined && { l1 }),
    ...(messageService !== undefined && { messageService }),
  });
}

/**
 * Builds the service that a configuration describes; it is not listening yet.
 * @param hasDemoKey networks beside the built-in ones that the key `demo` opens; on loopback only, as there
 * @throws Error naming the network whose chain cannot be opened
 */
export async function composeService(
  config: Config,
  log: Logger,
  hasDemoKey: (network: string) => boolean = () => false,
): Promise<Service> {
  const pool = new ExecutionPool({
    ...DEFAULT_POOL,
    threads: Math.max(MIN_THREADS, availableParallelism()),
    onFault: (fault) => log.error({ fault }, 'execution fault'),
  });
  const chains = new Map<string, Chain>();
  const keys = new LmdbKeyStore(config.dataDir);
  const closeBackends = async (): Promise<void> => {
    await pool.close();
    await Promise.all([...chains.values()].map((chain) => chain.close()));
    await keys.close();
  };
  try {
    for (const [name, options] of Object.entries(config.networks)) {
      try {
        chains.set(name, await openChain(options, config, pool));
      } catch (error) {
        throw new Error(`network ${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    const server = createServer({
      gateway: createGateway({
        networks: createRegistry(config, chains, hasDemoKey),
        keys,
        clientVersion: `portcullis/${readVersion()}`,
        limits: {
          batchItems: config.limits.batchItems,
          batchConcurrency: config.limits.batchConcurrency,
          batchAnswerBytes: config.limits.batchAnswerBytes,
          bodiesInFlight: config.limits.inFlightBodies,
          bodyTimeoutMs: config.limits.requestTimeout,
        },
        log,
      }),
      options: { listen: config.listen, cors: config.cors, limits: config.limits },
      log,
    });
    const close = async (): Promise<void> => {
      await server.close();
      await closeBackends();
    };
    return { server, close };
  } catch (error) {
    await closeBackends();
    throw error;
  }
}

function createRegistry(
  config: Config,
  chains: ReadonlyMap<string, Chain>,
  hasDemoKey: (network: string) => boolean,
): NetworkRegistry {
  const isLoopback = LOOPBACK.test(config.listen.host);
  const bindings = Object.entries(config.networks).map(([name, options]) => {
    const chain = chains.get(name) as Chain;
    const { rollup } = options;
    const network: Network = {
      name,
      chain,
      ...(rollup !== undefined && {
        rollup: createRollup(rollup, chain, chains),
        rollupPrefix: rollup.prefix,
      }),
      safeTag: options.safeTag,
      callTimeoutMs: options.callTimeout,
      allowsDemoKey: isLoopback && (options.builtin !== undefined || hasDemoKey(name)),
    };
    return { hosts: options.hosts, network };
  });
  const byDefault = bindings.find(({ network }) => network.name === config.defaultNetwork)?.network;
  return new NetworkRegistry(bindings, byDefault);
}
