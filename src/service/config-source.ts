import { basename, dirname, resolve } from 'node:path';
import { createBuiltinConfig, type RollupStyle } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';

/**
 * Source from which all processes build the same configuration: text that is read once, or the name of a built-in configuration. Each process applies
 * its environment variables, except to a source of the kind `text`; `port` overrides PORTCULLIS_PORT.
 */
export type ConfigSource =
  | { readonly kind: 'file'; readonly file: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string; readonly name: string }
  | { readonly kind: 'builtin'; readonly style: RollupStyle; readonly port?: number };

/** Reads a file as a config source. @throws ConfigError if the file cannot be read */
export async function readConfigSource(file: string): Promise<ConfigSource> {
  const { readConfigText } = await import('../config/load-config.ts');
  return { kind: 'file', file: resolve(file), text: await readConfigText(file) };
}

/** Parses a config source into a configuration. @throws ConfigError with all errors */
export async function makeConfig(configSource: ConfigSource): Promise<Config> {
  if (configSource.kind === 'builtin') {
    const { style, port } = configSource;
    const environment = port === undefined ? process.env : { ...process.env, PORTCULLIS_PORT: `${port}` };
    return createBuiltinConfig(environment, style);
  }
  // Loaded on demand, because YAML takes 35 ms to load and the built-in networks do not need it.
  const { parseConfig } = await import('../config/load-config.ts');
  const { text } = configSource;
  return configSource.kind === 'file'
    ? parseConfig(text, {
        name: basename(configSource.file),
        folder: dirname(configSource.file),
        environment: process.env,
      })
    : parseConfig(text, { name: configSource.name, folder: process.cwd(), environment: {} });
}
