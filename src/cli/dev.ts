import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { DEFAULT_ADMIN_OPTIONS } from '../admin/options.ts';
import { MAX_SIMULATION_GAS, MIN_SIMULATION_GAS } from '../chains/embedded/options.ts';
import { DEV_NETWORK } from '../config/builtin-config.ts';
import { DEFAULT_DATA_DIR } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { applyPlaceEnvironment, type Environment, type ListenAddresses } from '../config/environment.ts';
import { type Command, createCommand } from '../service/command.ts';
import { DEFAULT_PORT, PORT_OPTION, SERVICE_EXIT_CODES, SERVICE_VARIABLES } from '../service/common-help.ts';
import { builtinChainFolder } from '../service/data-paths.ts';
import { requireFreePorts } from '../service/free-ports.ts';
import { describeChanges, importChain, reportStop } from '../service/import.ts';
import { createImportBar } from '../service/import-bar.ts';
import { runService } from '../service/run-service.ts';
import { StopSignals } from '../service/stop-signals.ts';
import { MAX_GENESIS_BYTES, readRegularFile } from '../util/read-file.ts';
import { describeSystemError } from '../util/system-error.ts';
import { formatBanner } from './banner.ts';
import { SEAL_OPTION } from './import.ts';

/** Derives the data folder from the hash of the genesis file, so that a restart continues the same chain. */
function defaultDataFolder(genesis: string): string {
  let text: Buffer;
  try {
    text = readRegularFile(genesis, MAX_GENESIS_BYTES);
  } catch (error) {
    throw new Error(`${genesis}: ${describeSystemError(error)}`);
  }
  const hash = createHash('sha256').update(text).digest('hex');
  return resolve(process.env['PORTCULLIS_DATA_DIR'] || DEFAULT_DATA_DIR, 'dev', hash.slice(0, 16));
}

/** Returns the listen addresses. The option --port overrides environment variables. @throws ConfigError for invalid variables */
function findPlace(port: number | undefined, environment: Environment): ListenAddresses {
  const { place, errors } = applyPlaceEnvironment(
    { listen: { host: '127.0.0.1', port: port ?? DEFAULT_PORT }, admin: DEFAULT_ADMIN_OPTIONS },
    port === undefined ? environment : { ...environment, PORTCULLIS_PORT: undefined },
  );
  if (errors.length > 0) throw new ConfigError(errors);
  return place;
}

/** `portcullis dev` */
export const devCommand: Command = createCommand({
  name: 'dev',
  about: `Imports a chain and serves it as the default network, with the key \`demo\`.

    The service listens on 127.0.0.1. The next start with the same genesis file continues the stored chain.
    After a change of the genesis file, the whole chain is imported into another folder, unless --data names the folder.`,
  options: {
    genesis: {
      value: 'FILE',
      isRequired: true,
      about: 'geth genesis file of the chain',
      advice: '`portcullis start` serves the built-in networks, without files',
    },
    blocks: {
      value: 'FILE',
      isRequired: true,
      about: 'concatenated RLP blocks, optionally gzipped',
      advice: `\`geth export\` writes such a file, and an example of both files is in ${builtinChainFolder('devnet')}`,
    },
    port: PORT_OPTION,
    data: {
      value: 'DIR',
      about: `where the chain is stored (default: a separate folder below PORTCULLIS_DATA_DIR or ${DEFAULT_DATA_DIR})`,
    },
    seal: SEAL_OPTION,
    'simulation-gas': {
      value: 'GAS',
      min: MIN_SIMULATION_GAS,
      max: MAX_SIMULATION_GAS,
      about:
        'gas for all calls of one eth_simulateV1, as execution.simulationGas in a configuration file; ' +
        "50000000 is geth's default (default: 10 times the latest block's gas limit)",
    },
  },
  environment: SERVICE_VARIABLES,
  examples: ['portcullis dev --genesis genesis.json --blocks chain.rlp.gz'],
  exitCodes: {
    ...SERVICE_EXIT_CODES,
    1: 'the chain was refused or the service could not start, with the reason on stderr',
    130: 'the import was stopped by SIGINT (143 by SIGTERM, 129 by SIGHUP); the same command continues',
  },
  async run({ genesis, blocks, port, data: folder, seal, 'simulation-gas': simulationGas }) {
    const place = findPlace(port, process.env);
    const data = folder === undefined ? defaultDataFolder(genesis) : resolve(folder);
    const store = join(data, 'chain');
    await requireFreePorts(place, 'text');
    const signals = new StopSignals();
    const bar = createImportBar(process.stderr);
    const imported = importChain({ genesis, blocks, data: store, seal }, bar, signals.stop);
    const summary = await imported.finally(() => signals.close());
    process.stderr.write(describeChanges(summary));
    if (summary.isStopped === true) return reportStop(summary, signals);
    const yaml = JSON.stringify({
      ...place,
      dataDir: data,
      defaultNetwork: DEV_NETWORK,
      ...(simulationGas !== undefined && { execution: { simulationGas } }),
      networks: { [DEV_NETWORK]: { embedded: { data: store } } },
    });
    return runService(
      { kind: 'text', text: yaml, name: 'dev' },
      {
        demoNetworks: [DEV_NETWORK],
        onReady: (address, { config, admin }) => {
          const title = `Portcullis serves your chain, head ${summary.headNumber} ${summary.headHash}`;
          const demoNetworks = [DEV_NETWORK];
          const keysPlace = ['--data', data] as const;
          process.stdout.write(formatBanner({ title, config, address, admin, demoNetworks, keysPlace }));
        },
      },
    );
  },
});
