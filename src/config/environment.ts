import { resolve } from 'node:path';
import { type AdminOptions, DEFAULT_ADMIN_OPTIONS } from '../admin/options.ts';
import type { ListenOptions } from '../server/options.ts';
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
  const { place, errors } = applyPlaceEnvironment(config, environment);
  const dataDir = environment['PORTCULLIS_DATA_DIR'];
  return {
    config: { ...config, ...place, dataDir: dataDir ? resolve(dataDir) : config.dataDir },
    errors,
  };
}

/** Where a service and its status page listen. */
export type Place = Pick<Config, 'listen' | 'admin'>;

/** Puts PORTCULLIS_HOST, PORTCULLIS_PORT and PORTCULLIS_ADMIN_PORT over a place; what cannot be used is left as it was. */
export function applyPlaceEnvironment(
  { listen, admin }: Place,
  environment: Environment,
): { readonly place: Place; readonly errors: readonly string[] } {
  const newListen = applyListenEnvironment(listen, environment);
  const newAdmin = readAdmin(environment['PORTCULLIS_ADMIN_PORT'], admin);
  const errors: string[] = [];
  if (newListen === undefined) errors.push(PORT_ERROR);
  if (newAdmin === undefined) {
    errors.push('PORTCULLIS_ADMIN_PORT: expected a port number from 0 to 65535, or off');
  }
  return { place: { listen: newListen ?? listen, admin: newAdmin ?? admin }, errors };
}

export const PORT_ERROR = 'PORTCULLIS_PORT: expected a port number from 0 to 65535';

/** Puts PORTCULLIS_HOST and PORTCULLIS_PORT over `listen:`. @returns undefined for what is no port: `PORT_ERROR` */
export function applyListenEnvironment(
  listen: ListenOptions,
  environment: Environment,
): ListenOptions | undefined {
  const host = environment['PORTCULLIS_HOST'] || listen.host;
  const portText = environment['PORTCULLIS_PORT'];
  const port = portText ? parsePort(portText) : listen.port;
  return port === undefined ? undefined : { ...listen, host, port };
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
