import { resolve } from 'node:path';
import { type AdminOptions, DEFAULT_ADMIN_OPTIONS } from '../admin/options.ts';
import type { ListenOptions } from '../server/options.ts';
import { findHostProblem } from '../util/host.ts';
import type { Config } from './config.ts';

/** Environment variables in the form of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Overrides a configuration with PORTCULLIS_HOST, PORTCULLIS_PORT, PORTCULLIS_ADMIN_PORT (or `off`) and PORTCULLIS_DATA_DIR; an empty variable counts
 * as absent. A relative data directory is resolved against the working directory.
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

/** Listen addresses of a service and its status page. */
export type ListenAddresses = Pick<Config, 'listen' | 'admin'>;

/** Overrides the addresses with PORTCULLIS_HOST, PORTCULLIS_PORT and PORTCULLIS_ADMIN_PORT; invalid variables change nothing. */
export function applyPlaceEnvironment(
  { listen, admin }: ListenAddresses,
  environment: Environment,
): { readonly place: ListenAddresses; readonly errors: readonly string[] } {
  const newListen = applyListenEnvironment(listen, environment);
  const newAdmin = readAdmin(environment['PORTCULLIS_ADMIN_PORT'], admin);
  const errors: string[] = [];
  errors.push(...listListenErrors(environment));
  if (newAdmin === undefined) {
    errors.push('PORTCULLIS_ADMIN_PORT: expected a port number from 0 to 65535, or off');
  }
  return { place: { listen: newListen ?? listen, admin: newAdmin ?? admin }, errors };
}

/** Returns the errors of PORTCULLIS_HOST and PORTCULLIS_PORT. */
export function listListenErrors(environment: Environment): string[] {
  const host = environment['PORTCULLIS_HOST'];
  const port = environment['PORTCULLIS_PORT'];
  const hostProblem = host ? findHostProblem(host) : undefined;
  return [
    ...(hostProblem === undefined ? [] : [`PORTCULLIS_HOST: ${hostProblem}`]),
    ...(port && parsePort(port) === undefined
      ? ['PORTCULLIS_PORT: expected a port number from 0 to 65535']
      : []),
  ];
}

/** Overrides `listen:` with PORTCULLIS_HOST and PORTCULLIS_PORT. @returns undefined if one is invalid; `listListenErrors` has the errors */
export function applyListenEnvironment(
  listen: ListenOptions,
  environment: Environment,
): ListenOptions | undefined {
  if (listListenErrors(environment).length > 0) return undefined;
  const host = environment['PORTCULLIS_HOST'] || listen.host;
  const port = environment['PORTCULLIS_PORT'];
  return { ...listen, host, port: port ? Number(port) : listen.port };
}

function readAdmin(text: string | undefined, admin: AdminOptions | false): AdminOptions | false | undefined {
  if (!text) return admin;
  if (text === 'off') return false;
  const port = parsePort(text);
  return port === undefined ? undefined : { ...(admin || DEFAULT_ADMIN_OPTIONS), port };
}

/** Parses a decimal TCP port; `undefined` if it is invalid. */
export function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}
