import { METHOD_NAMES } from '../methods/method-names.ts';
import { READ_METHODS } from '../upstream/read-methods.ts';
import { matchesEntry } from './method-options.ts';
import type { NetworkOptions } from './network-options.ts';

/** The methods that a network may serve, before `methods` narrows them. */
export type ServedMethods = {
  readonly names: ReadonlySet<string>;
  /** Whether it may serve further names: of a configured namespace, or of a rollup family that is detected from the nodes. */
  readonly mayServe: (name: string) => boolean;
};

export function listServed({ upstreams, methods, rollup }: NetworkOptions): ServedMethods {
  const namespaces = methods.also.filter((entry) => entry.endsWith('_*'));
  const prefix = rollup?.prefix;
  const hasAnyPrefix = rollup !== undefined && prefix === undefined;
  return {
    names: new Set([
      ...METHOD_NAMES,
      ...(upstreams === undefined ? [] : READ_METHODS.keys()),
      ...methods.also.filter((entry) => !entry.endsWith('_*')),
      ...(prefix === undefined ? [] : [`${prefix}_estimateGas`]),
    ]),
    mayServe: (name) =>
      namespaces.some((entry) => matchesEntry(entry, name)) ||
      (hasAnyPrefix && /^[a-z]\w*_estimateGas$/.test(name)),
  };
}
