import { type Config, configSchema } from './config.ts';
import { ConfigError } from './config-error.ts';
import { applyEnvironment, type Environment } from './environment.ts';
import type { BuiltinChain } from './network-options.ts';
import { resolvePaths } from './paths.ts';

/** What the development rollup may be like. */
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

/** A family that the development rollup may be of. */
export type RollupStyle = keyof typeof ROLLUPS;
export const ROLLUP_STYLES: readonly RollupStyle[] = ['linea', 'op-stack'];

/** The network that `dev` serves. */
export const DEV_NETWORK = 'dev';

type BuiltinNetworks = {
  readonly defaultNetwork: string;
  readonly networks: Readonly<
    Record<'devnet' | 'rollup', { readonly hosts: readonly string[]; readonly builtin: BuiltinChain }>
  >;
};

/** The development networks, as a configuration file would say it. */
export function listBuiltinNetworks(style: RollupStyle = 'linea'): BuiltinNetworks {
  return {
    defaultNetwork: 'devnet',
    networks: {
      devnet: { hosts: ['devnet.localhost'], builtin: 'devnet' },
      rollup: { hosts: ['rollup.localhost'], ...ROLLUPS[style] },
    },
  };
}

/**
 * What is served without a configuration file: the built-in development networks, data in the working folder.
 * @throws ConfigError for variables of the environment that cannot be used
 */
export function createBuiltinConfig(environment: Environment, style?: RollupStyle): Config {
  const networks = resolvePaths(configSchema.parse(listBuiltinNetworks(style)), process.cwd());
  const { config, errors } = applyEnvironment(networks, environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}
