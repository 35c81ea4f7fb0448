import type { FamilyRow } from './rollup-family.ts';
import type { FamilyName } from './wire-names.ts';

/**
 * All families. If the evidence for several families is equal, the first of these families in the table applies. For example, a Mantle chain is also
 * an OP Stack chain. The files of the families are loaded on demand, because loading all of them takes 25 ms at the start.
 */
const TABLE: Readonly<Record<FamilyName, () => Promise<FamilyRow>>> = {
  linea: async () => (await import('./families/linea.ts')).linea,
  mantle: async () => (await import('./families/mantle.ts')).mantle,
  'op-stack': async () => (await import('./families/op-stack.ts')).opStack,
  arbitrum: async () => (await import('./families/arbitrum.ts')).arbitrum,
  scroll: async () => (await import('./families/scroll.ts')).scroll,
  morph: async () => (await import('./families/morph.ts')).morph,
  zksync: async () => (await import('./families/zksync.ts')).zksync,
  'polygon-zkevm': async () => (await import('./families/polygon-zkevm.ts')).polygonZkevm,
  taiko: async () => (await import('./families/taiko.ts')).taiko,
  l2geth: async () => (await import('./families/l2geth.ts')).l2geth,
  ethereum: async () => (await import('./families/ethereum.ts')).ethereum,
};

/** Families that deviate from the EVM in opcodes, precompiles or state. Calls on chains of these families are not executed locally. */
const WITH_OWN_MACHINE: ReadonlySet<string> = new Set([
  'arbitrum',
  'scroll',
  'morph',
  'zksync',
  'polygon-zkevm',
  'l2geth',
]);

/** Returns whether the execution rules of the family's chains differ from the EVM's. */
export function hasOwnMachine(family: string | undefined): boolean {
  return family !== undefined && WITH_OWN_MACHINE.has(family);
}

/** Family names in the order of the table. */
export const FAMILY_NAMES: readonly string[] = Object.keys(TABLE);

/** Loads the family with this name. @throws Error if the table has no family with this name */
export async function loadFamily(name: string): Promise<FamilyRow> {
  const load = Object.hasOwn(TABLE, name) ? TABLE[name as FamilyName] : undefined;
  if (load === undefined) throw new Error(`there is no rollup family ${name}`);
  return load();
}

/** Loads all families in the order of the table. */
export function loadFamilies(): Promise<FamilyRow[]> {
  return Promise.all(FAMILY_NAMES.map(loadFamily));
}
