import { basename, dirname, resolve } from 'node:path';
import { createBuiltinConfig, type RollupStyle } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';

/**
 * What a configuration is made from, so that several processes make the same of it: a text once read, or the name of what is
 * built in. The environment goes over it in each of them.
 */
export type Recipe =
  | { readonly kind: 'file'; readonly file: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string; readonly name: string }
  | { readonly kind: 'builtin'; readonly style: RollupStyle };

/** @throws ConfigError when the file cannot be read */
export async function readRecipe(file: string): Promise<Recipe> {
  const { readConfigText } = await import('../config/load-config.ts');
  return { kind: 'file', file: resolve(file), text: await readConfigText(file) };
}

/** @throws ConfigError */
export async function makeConfig(recipe: Recipe): Promise<Config> {
  if (recipe.kind === 'builtin') return createBuiltinConfig(process.env, recipe.style);
  // Here only: the built-in networks do without YAML (35 ms).
  const { parseConfig } = await import('../config/load-config.ts');
  const { text } = recipe;
  return recipe.kind === 'file'
    ? parseConfig(text, {
        name: basename(recipe.file),
        folder: dirname(recipe.file),
        environment: process.env,
      })
    : parseConfig(text, { name: recipe.name, folder: process.cwd(), environment: {} });
}
