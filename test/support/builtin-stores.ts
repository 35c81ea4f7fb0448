/** Stores of the built-in chains, imported once per test run and copied, because most starts of the program are not first starts. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILTIN_CHAINS, type BuiltinChain } from '../../src/config/network-options.ts';
import { prepareBuiltinChain } from '../../src/service/builtin-chains.ts';
import { STORES_VARIABLE } from './temporary-folder.ts';

/**
 * Puts the stores of a configuration's built-in chains into its data folder, as a first start would leave them. Outside of a test run there
 * is no shared folder to copy from: the program imports them at its start.
 */
export async function placeBuiltinStores(
  dataDir: string,
  config: Readonly<Record<string, unknown>>,
): Promise<void> {
  const shared = process.env[STORES_VARIABLE];
  if (shared === undefined) return;
  for (const chain of listBuiltinChains(config)) {
    const store = await findStore(shared, chain);
    const target = join(dataDir, 'chains', store.name);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    // Lock files belong to the processes that use a store.
    cpSync(store.path, target, { recursive: true, filter: (path) => !/lock(\.mdb)?$/.test(path) });
  }
}

function listBuiltinChains({ networks }: Readonly<Record<string, unknown>>): readonly BuiltinChain[] {
  const rows = Object.values((networks ?? {}) as Readonly<Record<string, { readonly builtin?: unknown }>>);
  return BUILTIN_CHAINS.filter((chain) => rows.some(({ builtin }) => builtin === chain));
}

async function findStore(shared: string, chain: BuiltinChain): Promise<{ name: string; path: string }> {
  const folder = join(shared, chain);
  if (!existsSync(folder)) {
    // Imports into a temporary folder and renames it: several processes may import at the same time.
    mkdirSync(shared, { recursive: true });
    const aside = mkdtempSync(join(shared, '.importing-'));
    await prepareBuiltinChain(chain, aside, { info: () => {} });
    try {
      renameSync(join(aside, 'chains'), folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  }
  const [name = ''] = readdirSync(folder);
  return { name, path: join(folder, name) };
}
