import { UnknownNameError } from '../access/keys/key-book.ts';
import type { SettingsChange } from '../access/keys/key-settings.ts';
import { DEV_NETWORK, listBuiltinNetworks, ROLLUP_STYLES } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';
import { listServed } from '../config/served-methods.ts';
import { METHOD_NAMES } from '../methods/method-names.ts';
import { pointToNames } from '../util/near-name.ts';

/** Names that the settings of a key may use. */
export type KnownNames = {
  readonly networks: ReadonlySet<string>;
  readonly methods: ReadonlySet<string>;
  /** Whether a method that is not in `methods` may be served, because a network serves its whole namespace, such as `debug_*`. */
  readonly mayPass: (method: string) => boolean;
  readonly issuers: ReadonlySet<string>;
  /** Note on the source of the names, which errors end with. */
  readonly source?: string;
};

/** Returns the networks, methods and token issuers of a configuration. */
export function listKnownNames({ networks, access }: Config): KnownNames {
  const methods = new Set(METHOD_NAMES);
  const served = Object.values(networks).map(listServed);
  for (const { names } of served) for (const name of names) methods.add(name);
  return {
    networks: new Set(Object.keys(networks)),
    methods,
    mayPass: (method) => served.some((one) => one.mayPass(method)),
    issuers: new Set(Object.keys(access.jwt)),
  };
}

/** Returns the networks and methods that `start` and `dev` serve without a configuration file. */
export function listBuiltinNames(): KnownNames {
  const styles = ROLLUP_STYLES.map((style) => listBuiltinNetworks(style).networks);
  return {
    networks: new Set([...styles.flatMap((networks) => Object.keys(networks)), DEV_NETWORK]),
    methods: new Set([...METHOD_NAMES, 'linea_estimateGas', 'op_estimateGas', 'optimism_estimateGas']),
    mayPass: () => false,
    issuers: new Set(),
    source: 'without --config FILE, settings may only name those of the built-in networks',
  };
}

/** @throws UnknownNameError with each unknown network, method or issuer */
export function checkNames({ networks = [], methods = [], jwt }: SettingsChange, known: KnownNames): void {
  const problems = [
    ...findUnknown('network', networks, known.networks),
    ...findUnknown(
      'method',
      methods.filter((name) => !known.mayPass(name)),
      known.methods,
    ),
    ...findUnknown('issuer of tokens', jwt === undefined ? [] : [jwt], known.issuers),
  ];
  if (problems.length > 0)
    throw new UnknownNameError(
      [...problems, ...(known.source === undefined ? [] : [known.source])].join('; '),
    );
}

function findUnknown(what: string, names: readonly string[], known: ReadonlySet<string>): string[] {
  return names
    .filter((name) => !known.has(name))
    .map((name) => `there is no ${what} ${JSON.stringify(name)}${pointToNames(name, known)}`);
}
