import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listBuiltinNetworks } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/load-config.ts';
import { importChain } from '../service/import.ts';
import { SILENT_PROGRESS } from '../service/import-progress.ts';
import { makeFolders } from '../util/lmdb-folder.ts';
import { createDevelopmentGenesis } from './development-genesis.ts';
import type { ChainInput, GatewayInput, GenesisInput } from './options.ts';

/** Network of the inputs `nodes` and `chain`. */
const NETWORK = 'main';

type Path = readonly PropertyKey[];

/** Networks in the form of a configuration file. */
type Networks = { readonly networks: Readonly<Record<string, unknown>>; readonly defaultNetwork?: string };

/**
 * Converts the input of `createGateway` to a configuration, and imports the chain of the input.
 * @param dataDir folder for the imported chain, and of the service's data unless the configuration names one
 * @throws TypeError for more than one of `nodes`, `chain` and `config`, and for an account that is not an address
 * @throws ConfigError for an invalid configuration, ImportError for an invalid chain (by rejection)
 */
export async function readInput(input: GatewayInput, dataDir: string): Promise<Config> {
  const { nodes, chain, config, host = '127.0.0.1', port = 0, log = 'warn' } = input;
  const present = Object.entries({ nodes, chain, config }).filter(([, value]) => value !== undefined);
  if (present.length > 1) {
    const names = present.map(([name]) => `\`${name}\``).join(' and ');
    throw new TypeError(`createGateway takes one of \`nodes\`, \`chain\` and \`config\`, and got ${names}`);
  }
  const text = JSON.stringify({
    dataDir,
    admin: false,
    log: { level: log },
    ...(await describeNetworks(input, dataDir)),
    // The address comes from `host` and `port`, not from the configuration, because an embedded service usually takes a free port.
    listen: { ...(config as { readonly listen?: object } | undefined)?.listen, host, port },
  });
  return parseConfig(text, {
    name: 'createGateway',
    folder: process.cwd(),
    environment: {},
    renamePath: (path) => findOption(input, path),
  });
}

/** Returns the option of the caller that set the value at a path of the configuration. */
function findOption({ nodes, config }: GatewayInput, path: Path): Path {
  const [section, key, ...rest] = path;
  if (section === 'listen' && (key === 'host' || key === 'port')) return [key];
  const isNodes = nodes !== undefined && section === 'networks' && rest[0] === 'upstreams';
  // A node of the input is a URL, which the configuration converts to an object.
  if (isNodes) return ['nodes', ...rest.slice(1, 2)];
  const isOfConfig = Object.hasOwn(config ?? {}, section ?? '');
  if (section === 'log' && key === 'level' && !isOfConfig) return ['log'];
  return config !== undefined && (isOfConfig || section !== 'dataDir') ? ['config', ...path] : path;
}

async function describeNetworks({ nodes, chain, config }: GatewayInput, dataDir: string): Promise<object> {
  if (config !== undefined) return config;
  if (nodes !== undefined) return serve({ upstreams: nodes });
  if (chain !== undefined) return serve({ embedded: { data: await importInput(chain, dataDir) } });
  return listBuiltinNetworks();
}

function serve(network: object): Networks {
  return {
    networks: { [NETWORK]: { hosts: [`${NETWORK}.localhost`], ...network } },
    defaultNetwork: NETWORK,
  };
}

/** Imports a chain. @returns the folder of its store */
async function importInput(chain: ChainInput, dataDir: string): Promise<string> {
  const { genesis, blocks }: GenesisInput =
    'accounts' in chain ? { genesis: createDevelopmentGenesis(chain.accounts) } : chain;
  const data = join(dataDir, 'chain');
  makeFolders(data);
  const inputs = mkdtempSync(join(dataDir, 'input-'));
  const names = new Map<string, string>();
  const write = (option: string, contents: string | Uint8Array): string => {
    const file = join(inputs, option);
    writeFileSync(file, contents);
    names.set(file, option);
    return file;
  };
  const imported = importChain(
    {
      genesis: typeof genesis === 'string' ? genesis : write('chain.genesis', JSON.stringify(genesis)),
      ...(blocks !== undefined && {
        blocks: typeof blocks === 'string' ? blocks : write('chain.blocks', blocks),
      }),
      data,
      seal: 'ethash-format',
    },
    SILENT_PROGRESS,
  );
  try {
    await imported;
  } catch (error) {
    if (error instanceof Error) error.message = replaceNames(error.message, names);
    throw error;
  } finally {
    rmSync(inputs, { recursive: true, force: true });
  }
  return data;
}

/** Replaces the paths of temporary files, which the caller has not written, with the names of the options that they come from. */
function replaceNames(text: string, names: ReadonlyMap<string, string>): string {
  return [...names].reduce((replaced, [file, option]) => replaced.replaceAll(file, option), text);
}
