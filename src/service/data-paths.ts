import { join, resolve } from 'node:path';
import type { BuiltinChain } from '../config/network-options.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Returns the folder of a built-in chain's genesis and block files. */
export function builtinChainFolder(chain: BuiltinChain): string {
  return join(ROOT, 'chains', chain);
}

/** File with addresses and hashes of the built-in chains, written by their generator. */
export const BUILTIN_FACTS_FILE: string = join(ROOT, 'chains', 'facts.json');

/** JSON Schema of the configuration, for editors. */
export const SCHEMA_FILE: string = join(ROOT, 'docs', 'portcullis.schema.json');

export const PACKAGE_FILE: string = join(ROOT, 'package.json');
