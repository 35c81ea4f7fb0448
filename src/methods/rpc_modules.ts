import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { METHOD_NAMES } from './method-names.ts';
import type { Network } from './network.ts';

/** Namespaces that only rollup networks serve. `l2` stands for the network's own prefixes. */
const ROLLUP_NAMESPACES: ReadonlySet<string> = new Set(['l2', 'rollup']);

export const rpcModules: Method<MethodContext> = defineMethod({
  name: 'rpc_modules',
  summary: 'Returns the namespaces of the methods that the network serves, each with version `1.0`.',
  params: [],
  result: { name: 'modules', schema: z.record(z.string(), z.literal('1.0')) },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: { debug: '1.0', eth: '1.0', net: '1.0', rpc: '1.0', web3: '1.0' } },
  handle(_, { network }) {
    const names = listNamespaces(network);
    return JSON.stringify(Object.fromEntries([...names].sort().map((name) => [name, '1.0'])));
  },
});

/**
 * A network with nodes serves methods of this namespace only where they are configured. For such a network, `rpc_modules` lists the namespace
 * only if `methods.also` contains the namespace or one of its methods.
 */
const OPT_IN_NAMESPACE = 'debug_';

function listNamespaces(network: Network): ReadonlySet<string> {
  const { rollup, hasNodes, methods } = network;
  const served = METHOD_NAMES.filter(
    (name) =>
      methods?.offers(name, name) !== false && !(hasNodes === true && name.startsWith(OPT_IN_NAMESPACE)),
  );
  const names = [...served, ...(methods?.also ?? [])];
  const namespaces = new Set(names.map(findNamespace));
  if (rollup === undefined) for (const name of ROLLUP_NAMESPACES) namespaces.delete(name);
  else for (const name of listRollupNames(network)) namespaces.add(findNamespace(name));
  return namespaces;
}

/** Returns the served names of `l2_estimateGas`, and the served estimate methods of the rollup's nodes. */
function listRollupNames({ rollupPrefixes = [], nodeEstimates = [], hasNodes, methods }: Network): string[] {
  const own = rollupPrefixes.map((prefix) => `${prefix}_estimateGas`);
  return [
    ...own.filter((name) => methods?.offers(name, 'l2_estimateGas') !== false),
    ...(hasNodes === true ? nodeEstimates : []).filter((name) => methods?.offers(name, name) !== false),
  ];
}

function findNamespace(name: string): string {
  return name.slice(0, name.indexOf('_'));
}
