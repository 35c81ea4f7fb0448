import { type Config, configSchema } from './config.ts';
import { ConfigError } from './config-error.ts';
import { applyEnvironment, type Environment } from './environment.ts';
import type { BuiltinChain } from './network-options.ts';
import { resolvePaths } from './paths.ts';

/** Variants of the development rollup. */
const ROLLUPS = {
  linea: {
    builtin: 'rollup',
    rollup: {
      family: 'linea',
      mode: 'sequencer',
      l1: 'devnet',
      messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec',
    },
  },
  'op-stack': {
    builtin: 'op-rollup',
    rollup: { family: 'op-stack', mode: 'sequencer', l1: 'devnet' },
  },
} as const;

/** Family of the development rollup. */
export type RollupStyle = keyof typeof ROLLUPS;
export const ROLLUP_STYLES: readonly RollupStyle[] = ['linea', 'op-stack'];

/** Network that `dev` serves. */
export const DEV_NETWORK = 'dev';

type BuiltinNetworks = {
  readonly defaultNetwork: string;
  readonly networks: Readonly<Record<'devnet' | 'rollup', { readonly builtin: BuiltinChain }>>;
};

/** Returns the development networks in the form of a configuration file. */
export function listBuiltinNetworks(style: RollupStyle = 'linea'): BuiltinNetworks {
  return {
    defaultNetwork: 'devnet',
    networks: {
      devnet: { builtin: 'devnet' },
      rollup: ROLLUPS[style],
    },
  };
}

/**
 * Creates the configuration that is used without a file: the built-in development networks, with data in the working directory.
 * @throws ConfigError for invalid environment variables
 */
export function createBuiltinConfig(environment: Environment, style?: RollupStyle): Config {
  const networks = resolvePaths(configSchema.parse(listBuiltinNetworks(style)), process.cwd());
  const { config, errors } = applyEnvironment(networks, environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}
