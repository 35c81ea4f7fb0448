import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_ADMIN_OPTIONS } from '../admin/options.ts';
import { MAX_SIMULATION_GAS, MIN_SIMULATION_GAS } from '../chains/embedded/options.ts';
import { DEV_NETWORK } from '../config/builtin-config.ts';
import { DEFAULT_DATA_DIR } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import {
  applyPlaceEnvironment,
  type Environment,
  type ListenAddresses,
  parsePort,
} from '../config/environment.ts';
import { formatUrl } from '../server/listen-url.ts';
import { importChain, reportStop, SEAL_CHECKS } from '../service/import.ts';
import { createImportBar } from '../service/import-bar.ts';
import { readChoice, readIntegerOption, requireOption } from '../service/option-values.ts';
import { runService } from '../service/run-service.ts';
import { StopSignals } from '../service/stop-signals.ts';
import { UsageError } from '../service/usage.ts';
import { MAX_GENESIS_BYTES, readRegularFile } from '../util/read-file.ts';
import { describeSystemError } from '../util/system-error.ts';

export const DEV_USAGE: string = `portcullis dev --genesis FILE --blocks FILE[.gz] [--port PORT] [--data DIR] [--seal CHECK]
                [--simulation-gas GAS]

Imports a chain and serves it on 127.0.0.1 as the default network, with the key \`demo\`.

  --genesis FILE   geth genesis file of the chain
  --blocks FILE    concatenated RLP blocks, optionally gzipped
  --port PORT      default PORTCULLIS_PORT or 8545; 0 takes any free port
  --data DIR       where the chain is stored (default: a separate folder below PORTCULLIS_DATA_DIR or ${DEFAULT_DATA_DIR})
  --seal CHECK     ethash-format (default) or none, as for import
  --simulation-gas GAS  gas for all calls of one eth_simulateV1, as execution.simulationGas in a configuration file:
                   50000000 is geth's default (default: 10 times the latest block's gas limit)

Environment: PORTCULLIS_HOST, PORTCULLIS_PORT, PORTCULLIS_ADMIN_PORT (status page; off disables it), PORTCULLIS_DATA_DIR.
`;

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
    { listen: { host: '127.0.0.1', port: port ?? 8_545 }, admin: DEFAULT_ADMIN_OPTIONS },
    port === undefined ? environment : { ...environment, PORTCULLIS_PORT: undefined },
  );
  if (errors.length > 0) throw new ConfigError(errors);
  return place;
}

/** Runs `portcullis dev`. @returns the exit code */
export async function runDev(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      genesis: { type: 'string' },
      blocks: { type: 'string' },
      port: { type: 'string' },
      data: { type: 'string' },
      seal: { type: 'string', default: 'ethash-format' },
      'simulation-gas': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(DEV_USAGE);
    return 0;
  }
  const genesis = requireOption('dev', 'genesis', values.genesis);
  const blocks = requireOption('dev', 'blocks', values.blocks);
  const seal = readChoice('seal', values.seal, SEAL_CHECKS);
  const port = values.port === undefined ? undefined : parsePort(values.port);
  if (port === undefined && values.port !== undefined) {
    throw new UsageError(
      `--port cannot be ${JSON.stringify(values.port)}: expected a number from 0 to 65535`,
    );
  }
  const simulationGas = readIntegerOption(
    'simulation-gas',
    values['simulation-gas'],
    MIN_SIMULATION_GAS,
    MAX_SIMULATION_GAS,
  );
  const place = findPlace(port, process.env);
  const data = values.data === undefined ? defaultDataFolder(genesis) : resolve(values.data);
  const store = join(data, 'chain');
  const signals = new StopSignals();
  const bar = createImportBar(process.stderr);
  const imported = importChain({ genesis, blocks, data: store, seal }, bar, signals.stop);
  const summary = await imported.finally(() => signals.close());
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
      onReady: (address, { admin }) => {
        process.stdout.write(
          `Portcullis serves your chain, head ${summary.headNumber} ${summary.headHash}\n` +
            `  HTTP:      POST ${formatUrl(address, 'http', '/v3/demo')}\n` +
            `  WebSocket: ${formatUrl(address, 'ws', '/ws/v3/demo')}\n` +
            (admin === undefined ? '' : `  Status:    ${formatUrl(admin, 'http', '/status')}\n`),
        );
      },
    },
  );
}
