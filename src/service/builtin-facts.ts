import { readFileSync } from 'node:fs';
import type { CallObject } from '../chain/requests.ts';
import { BUILTIN_FACTS_FILE } from './data-paths.ts';

/** Facts about a built-in chain, written by the generator of the chain. */
type ChainFacts = {
  readonly headHash: string;
  /** Call objects that succeed on this chain. */
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
