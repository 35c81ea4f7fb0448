import { readFileSync } from 'node:fs';
import type { CallObject } from '../chain/requests.ts';
import { BUILTIN_FACTS_FILE } from './data-paths.ts';

/** What the generator of the built-in chains has written about each of them. */
type ChainFacts = {
  readonly headHash: string;
  /** Call objects that mean something on this chain. */
  readonly calls: { readonly tokenBalance: CallObject; readonly tokenTransfer: CallObject };
};

type BuiltinFacts = {
  readonly devnet: ChainFacts & { readonly uncleBlock: number };
  readonly rollup: ChainFacts;
  readonly 'op-rollup': ChainFacts;
};

export function readBuiltinFacts(): BuiltinFacts {
  return JSON.parse(readFileSync(BUILTIN_FACTS_FILE, 'utf8')) as BuiltinFacts;
}
