import { resolve } from 'node:path';
import { type AdminOptions, DEFAULT_ADMIN_OPTIONS } from '../admin/options.ts';
import type { Config } from './config.ts';

/** Variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Puts PORTCULLIS_HOST, PORTCULLIS_PORT, PORTCULLIS_ADMIN_PORT (or `off`) and PORTCULLIS_DATA_DIR over a configuration;
 * an empty variable counts as absent. A relative data directory starts at the working folder.
 */
export function applyEnvironment(
  config: Config,
  environment: Environment,
): { readonly config: Config; readonly errors: readonly string[] } {
  const host = environment['PORTCULLIS_HOST'] || config.listen.host;
  const portText = environment['PORTCULLIS_PORT'];
  const port = portText ? parsePort(portText) : config.listen.port;
  const dataDir = environment['PORTCULLIS_DATA_DIR'];
  if (port === undefined) {
    return { config, errors: ['PORTCULLIS_PORT: expected a port number from 0 to 65535'] };
  }
  const admin = readAdmin(environment['PORTCULLIS_ADMIN_PORT'], config.admin);
  if (admin === undefined) {
    return { config, errors: ['PORTCULLIS_ADMIN_PORT: expected a port number from 0 to 65535, or off'] };
  }
  return {
    config: {
      ...config,
      listen: { ...config.listen, host, port },
      admin,
      dataDir: dataDir ? resolve(dataDir) : config.dataDir,
    },
    errors: [],
  };
}

function readAdmin(text: string | undefined, admin: AdminOptions | false): AdminOptions | false | undefined {
  if (!text) return admin;
  if (text === 'off') return false;
  const port = parsePort(text);
  return port === undefined ? undefined : { ...(admin || DEFAULT_ADMIN_OPTIONS), port };
}

/** A TCP port in decimal; `undefined` when it is none. */
export function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}
