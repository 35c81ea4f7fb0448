/** Entry point of the package: a gateway in the process of another program. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { createLogger } from '../observe/logger.ts';
import { formatUrl } from '../server/listen-url.ts';
import { composeService, type Service } from '../service/compose.ts';
import { describeListenError } from '../service/listen-error.ts';
import { checkInput } from './check-input.ts';
import type { EmbeddedGateway, GatewayAddress, GatewayInput } from './options.ts';
import { InProcessProvider } from './provider.ts';

export type { InterceptedCall, Interceptor, InterceptorRefusal } from '../gateway/intercepted-call.ts';
export type {
  AccountsInput,
  ChainInput,
  EmbeddedGateway,
  GatewayAddress,
  GatewayInput,
  GatewayProvider,
  GenesisInput,
  ProviderEvents,
  ProviderRequest,
} from './options.ts';

/**
 * Creates a gateway over nodes, over a chain of blocks, or for a configuration. It serves through `listen()`, through `provider()`, or both.
 * @throws TypeError or ConfigError for an invalid input, ImportError for an invalid chain (by rejection)
 */
export async function createGateway(input: GatewayInput = {}): Promise<EmbeddedGateway> {
  checkInput(input);
  const folder = openFolder(input.dataDir);
  try {
    // Loaded on demand: the parser of configurations takes 35 ms to load.
    const { readInput } = await import('./input-config.ts');
    const config = await readInput(input, folder.path);
    const names = Object.keys(config.networks);
    const hasDemoKey = (): boolean => input.config === undefined;
    const { interceptors = [] } = input;
    const service = await composeService(config, createLogger(config.log.level), {
      hasDemoKey,
      interceptors,
    });
    return openGateway(service, { names, config, removeFolder: folder.remove });
  } catch (error) {
    folder.remove();
    throw error;
  }
}

type Folder = { readonly path: string; readonly remove: () => void };

function openFolder(dataDir: string | undefined): Folder {
  if (dataDir !== undefined) return { path: dataDir, remove: () => {} };
  const path = mkdtempSync(join(tmpdir(), 'portcullis-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

type OpenParts = {
  readonly names: readonly string[];
  readonly config: Config;
  readonly removeFolder: () => void;
};

function openGateway(service: Service, { names, config, removeFolder }: OpenParts): EmbeddedGateway {
  const providers = new Set<InProcessProvider>();
  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    for (const provider of providers) provider.close();
    try {
      await service.close();
    } finally {
      removeFolder();
    }
  }
  const findName = (name: string = names[0] ?? ''): string => {
    if (!names.includes(name)) throw new RangeError(`there is no network ${JSON.stringify(name)}`);
    return name;
  };
  return {
    networks: names,
    listen: () => listen(service, config, findName),
    provider(network) {
      const name = findName(network);
      const session = service.gateway.admitProgram(name);
      if ('refused' in session) throw new Error(`the network ${name} is not served`);
      const { requestTimeout: timeoutMs } = config.limits;
      const provider = new InProcessProvider({ gateway: service.gateway, session, timeoutMs });
      providers.add(provider);
      return provider;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Options of `createGateway` that choose the address. */
const ADDRESS_OPTIONS = { host: 'the option `host`', port: 'the option `port`' };

async function listen(
  { server }: Service,
  config: Config,
  findName: (name?: string) => string,
): Promise<GatewayAddress> {
  const address = await server.listen().catch((error: unknown) => {
    throw new Error(describeListenError(error, config.listen, ADDRESS_OPTIONS));
  });
  const isSecure = config.listen.tls !== undefined;
  const [http, ws] = isSecure ? (['https', 'wss'] as const) : (['http', 'ws'] as const);
  return {
    ...address,
    url: (network, key = 'demo') => formatUrl(address, http, `/${findName(network)}/v3/${key}`),
    webSocketUrl: (network, key = 'demo') => formatUrl(address, ws, `/${findName(network)}/ws/v3/${key}`),
  };
}
