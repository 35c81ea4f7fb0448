/** Options, environment variables and exit codes that several commands share in their help. */
import { DEFAULT_DATA_DIR } from '../config/config.ts';
import type { IntegerOption, TextOption } from './command-usage.ts';

/** Option that names a configuration file. */
export const CONFIG_OPTION: TextOption = {
  short: 'c',
  value: 'FILE',
  about: 'configuration file',
};

/** Option that names a configuration file, for commands that cannot run without one. */
export const REQUIRED_CONFIG_OPTION: TextOption & { readonly isRequired: true } = {
  ...CONFIG_OPTION,
  isRequired: true,
};

/** Default of `listen.port`. */
export const DEFAULT_PORT = 8_545;

/** Option of commands that serve without a configuration file. */
export const PORT_OPTION: IntegerOption = {
  value: 'PORT',
  min: 0,
  max: 65_535,
  about: `port of the service (default PORTCULLIS_PORT or ${DEFAULT_PORT}); 0 takes any free port`,
};

/** Environment variables that override the address of the service. */
export const LISTEN_VARIABLES: Readonly<Record<string, string>> = {
  PORTCULLIS_HOST: 'address of the service (listen.host), default 127.0.0.1',
  PORTCULLIS_PORT: `port of the service (listen.port), default ${DEFAULT_PORT}; 0 takes any free port`,
};

/** Environment variable that overrides the folder of the data. */
export const DATA_VARIABLES: Readonly<Record<string, string>> = {
  PORTCULLIS_DATA_DIR: `folder of stores and keys (dataDir), default ${DEFAULT_DATA_DIR} in the working folder`,
};

/** Variables that a configuration file names itself. */
export const FILE_VARIABLES: Readonly<Record<string, string>> = {
  'any NAME': `replaces \${NAME} in secrets and node addresses of the configuration file`,
};

/** Environment variables of commands that serve. */
export const SERVICE_VARIABLES: Readonly<Record<string, string>> = {
  ...LISTEN_VARIABLES,
  PORTCULLIS_ADMIN_PORT: 'port of the status page (admin.port), default 9545; off disables it',
  ...DATA_VARIABLES,
  NO_COLOR: 'any value disables the colours of log lines on a terminal',
};

/** Exit codes of commands that run until a signal ends them. */
export const SERVICE_EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'stopped by SIGINT or SIGTERM',
  1: 'the service could not start, with the reason on stderr',
};
