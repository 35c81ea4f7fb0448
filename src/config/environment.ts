import { resolve } from 'node:path';
import type { Config } from './config.ts';

/** Variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Puts PORTCULLIS_HOST, PORTCULLIS_PORT and PORTCULLIS_DATA_DIR over a configuration; an empty variable counts
 * as absent. A relative data directory starts at the working folder.
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
  return {
    config: {
      ...config,
      listen: { ...config.listen, host, port },
      dataDir: dataDir ? resolve(dataDir) : config.dataDir,
    },
    errors: [],
  };
}

/** A TCP port in decimal; `undefined` when it is none. */
export function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}
