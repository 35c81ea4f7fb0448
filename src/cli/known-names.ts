import type { SettingsChange } from '../access/keys/key-book.ts';
import { DEV_NETWORK, listBuiltinNetworks, ROLLUP_STYLES } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';
import { METHOD_NAMES } from '../methods/method-names.ts';
import { loadFamilies, loadFamily } from '../rollup/family-table.ts';
import { pointToNames } from '../util/near-name.ts';
import { UsageError } from './usage.ts';

/** What the settings of a key may name. */
export type KnownNames = {
  readonly networks: ReadonlySet<string>;
  readonly methods: ReadonlySet<string>;
  readonly issuers: ReadonlySet<string>;
  /** Where the names are from, as the end of an error, where that is not plain. */
  readonly source?: string;
};

/** The names of a configuration. */
export async function listKnownNames({ networks, access }: Config): Promise<KnownNames> {
  const methods = new Set(METHOD_NAMES);
  for (const { rollup, passthrough = [] } of Object.values(networks)) {
    for (const name of passthrough) methods.add(name);
    if (rollup === undefined) continue;
    for (const prefix of await listPrefixes(rollup)) methods.add(`${prefix}_estimateGas`);
  }
  return {
    networks: new Set(Object.keys(networks)),
    methods,
    issuers: new Set(Object.keys(access.jwt)),
  };
}

/** A rollup of no stated family is asked for it when it is served: any prefix may be its own. */
async function listPrefixes({ prefix, family }: { prefix?: string; family?: string }): Promise<string[]> {
  if (prefix !== undefined) return [prefix];
  const families = family === undefined ? await loadFamilies() : [await loadFamily(family)];
  return families.map((row) => row.prefix);
}

/** What is served without a configuration file, by `start` and `dev`. */
export function listBuiltinNames(): KnownNames {
  const styles = ROLLUP_STYLES.map((style) => listBuiltinNetworks(style).networks);
  return {
    networks: new Set([...styles.flatMap((networks) => Object.keys(networks)), DEV_NETWORK]),
    methods: new Set([...METHOD_NAMES, 'linea_estimateGas', 'op_estimateGas']),
    issuers: new Set(),
    source: 'without --config FILE names are those of the built-in networks',
  };
}

/** @throws UsageError naming each network, method or issuer that there is not */
export function checkNames({ networks = [], methods = [], jwt }: SettingsChange, known: KnownNames): void {
  const problems = [
    ...findUnknown('network', networks, known.networks),
    ...findUnknown('method', methods, known.methods),
    ...findUnknown('issuer of tokens', jwt === undefined ? [] : [jwt], known.issuers),
  ];
  if (problems.length > 0)
    throw new UsageError([...problems, ...(known.source === undefined ? [] : [known.source])].join('; '));
}

function findUnknown(what: string, names: readonly string[], known: ReadonlySet<string>): string[] {
  return names
    .filter((name) => !known.has(name))
    .map((name) => `there is no ${what} ${JSON.stringify(name)}${pointToNames(name, known)}`);
}
