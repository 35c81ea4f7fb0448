import { type Config, configSchema } from './config.ts';
import { ConfigError } from './config-error.ts';
import { applyEnvironment, type Environment } from './environment.ts';
import { resolvePaths } from './paths.ts';

/** The development networks, as a configuration file would say it. */
export const BUILTIN_NETWORKS = {
  defaultNetwork: 'devnet',
  networks: {
    devnet: { builtin: 'devnet', hosts: ['devnet.localhost'] },
    rollup: {
      builtin: 'rollup',
      hosts: ['rollup.localhost'],
      rollup: {
        family: 'linea',
        prefix: 'linea',
        mode: 'sequencer',
        l1: 'devnet',
        messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec',
      },
    },
  },
} as const;

/**
 * What is served without a configuration file: the built-in development networks, data in the working folder.
 * @throws ConfigError for variables of the environment that cannot be used
 */
export function createBuiltinConfig(environment: Environment): Config {
  const networks = resolvePaths(configSchema.parse(BUILTIN_NETWORKS), process.cwd());
  const { config, errors } = applyEnvironment(networks, environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}
