import { READ_METHODS } from '../chains/upstream/read-methods.ts';
import { DEVELOPMENT_ENTRIES, findDevelopmentLabel } from '../methods/development-methods.ts';
import { METHOD_NAMES } from '../methods/method-names.ts';
import { findPassedNamespace } from '../methods/passed-methods.ts';
import { isNodeMethod } from '../pool/node-method-rule.ts';
import type { RollupOptions } from '../rollup/options.ts';
import { FAMILY_ESTIMATES, FAMILY_PREFIXES, findWireNames } from '../rollup/wire-names.ts';
import { matchesEntry } from './method-options.ts';
import type { NetworkOptions } from './network-options.ts';

/** Methods that a network may serve, before `methods.only` and `methods.except` restrict them. */
export type ServedMethods = {
  readonly names: ReadonlySet<string>;
  /** Whether a method that is not in `names` is forwarded to nodes, because its namespace is configured or forwarded by default. */
  readonly mayPass: (name: string) => boolean;
  /**
   * Whether a method that is not in `names` may be served. True if `mayPass` accepts the method. If the prefix of a rollup is not configured, also
   * true for every `<prefix>_estimateGas`.
   */
  readonly mayServe: (name: string) => boolean;
};

/** Returns the methods that a network may serve according to its options. */
export function listServed(network: NetworkOptions): ServedMethods {
  const { upstreams, methods, rollup } = network;
  const isDevelopment = servesDevelopment(network);
  const namespaces = methods.also.filter((entry) => entry.endsWith('_*'));
  const mayPass = (name: string): boolean =>
    namespaces.some((entry) => matchesEntry(entry, name)) ||
    (upstreams !== undefined && isPassed(name)) ||
    (isDevelopment && isOfDevelopment(name));
  const hasAnyPrefix = rollup !== undefined && rollup.prefix === undefined;
  return {
    names: new Set([
      ...METHOD_NAMES,
      ...(upstreams === undefined ? [] : READ_METHODS.keys()),
      ...methods.also.filter((entry) => !entry.endsWith('_*')),
      ...(isDevelopment ? DEVELOPMENT_ENTRIES.filter((entry) => !entry.endsWith('_*')) : []),
      ...(rollup === undefined ? [] : listRollupNames(rollup, upstreams !== undefined)),
    ]),
    mayPass,
    mayServe: (name) => mayPass(name) || (hasAnyPrefix && /^[a-z]\w*_estimateGas$/.test(name)),
  };
}

/** Whether a network serves methods of its development node, at least to some clients. */
export function servesDevelopment({ pool, methods }: Pick<NetworkOptions, 'pool' | 'methods'>): boolean {
  return pool.development && methods.development !== false;
}

/** Whether a method name, or a namespace such as `debug_*`, belongs to development nodes. */
function isOfDevelopment(entry: string): boolean {
  return DEVELOPMENT_ENTRIES.includes(entry) || findDevelopmentLabel(entry) !== undefined;
}

/** Whether a method name, or a namespace such as `debug_*`, is forwarded to nodes by default. */
function isPassed(entry: string): boolean {
  if (!entry.endsWith('_*')) return findPassedNamespace(entry) !== undefined && isNodeMethod(entry);
  return findPassedNamespace(`${entry.slice(0, -1)}get`) !== undefined;
}

/**
 * Lists the rollup methods of the configured family. Without a configured family, lists those of all families, because the family is recognised at
 * run time.
 */
function listRollupNames({ prefix, family }: RollupOptions, hasNodes: boolean): readonly string[] {
  const { prefixes, nodeEstimates } =
    family === undefined
      ? { prefixes: [...FAMILY_PREFIXES], nodeEstimates: [...FAMILY_ESTIMATES] }
      : findWireNames(family);
  const served = prefix === undefined ? prefixes : [prefix];
  return [...served.map((each) => `${each}_estimateGas`), ...(hasNodes ? nodeEstimates : [])];
}
