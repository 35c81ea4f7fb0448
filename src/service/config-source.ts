import { basename, dirname, resolve } from 'node:path';
import { createBuiltinConfig, type RollupStyle } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';

/**
 * Config source, from which all processes make the same configuration: a text read once, or the name of a built-in one. Each process applies its
 * environment to a file or a built-in one.
 */
export type ConfigSource =
  | { readonly kind: 'file'; readonly file: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string; readonly name: string }
  | { readonly kind: 'builtin'; readonly style: RollupStyle };

/** Reads a file as a config source. @throws ConfigError if the file cannot be read */
export async function readConfigSource(file: string): Promise<ConfigSource> {
  const { readConfigText } = await import('../config/load-config.ts');
  return { kind: 'file', file: resolve(file), text: await readConfigText(file) };
}

/** Parses a config source into a configuration. @throws ConfigError with all errors */
export async function makeConfig(configSource: ConfigSource): Promise<Config> {
  if (configSource.kind === 'builtin') return createBuiltinConfig(process.env, configSource.style);
  // Loaded on demand: the built-in networks do not need YAML (35 ms).
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
