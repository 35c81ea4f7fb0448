import { BlockError } from '../../../packages/evm/transition/block-error.ts';
import type { BlockImporter } from '../../../src/chains/embedded/import/block-importer.ts';
import { type Alteration, alterAccessList, alterHeader } from './alterations.ts';
import type { ChainSet } from './chain-set.ts';
import { openImporter } from './open-importer.ts';

export type AlterationFigures = {
  readonly headers: number;
  readonly lists: number;
  /** Altered blocks that were refused for another reason than the change, or moved the head; must be empty. */
  readonly faults: readonly string[];
};

/** Every n-th block is altered, and those next to the fork; `lists` is the maximum number of list alterations per block. */
export type Thoroughness = { readonly every: number; readonly lists: number };

const LIST_REASON = /block access list hash mismatch/;

/** @returns the fault in the importer's refusal, or undefined @throws Error when the altered block is accepted */
function findFault(importer: BlockImporter, { what, block }: Alteration, reason: RegExp): string | undefined {
  const head = importer.headHash;
  try {
    importer.import(block);
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    if (importer.headHash !== head) return `${what}: refused, but the head moved`;
    return reason.test(error.message) ? undefined : `${what}: refused for ${error.message}`;
  }
  throw new Error(`${what}: taken as block ${importer.headNumber}`);
}

function takeSome<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, index) => index % step === 0);
}

/**
 * Imports a chain, and tries altered copies of every n-th of its blocks first, each with one difference: each must be refused,
 * and the original accepted after them. @throws Error when an altered block is accepted
 */
export async function refuseAltered(
  set: ChainSet,
  accessLists: ReadonlyMap<number, Uint8Array>,
  { every, lists }: Thoroughness,
): Promise<AlterationFigures> {
  const { importer, close } = openImporter(set);
  const faults: string[] = [];
  const counts = { headers: 0, lists: 0 };
  try {
    for (const [index, encoded] of set.blocks.entries()) {
      const number = index + 1;
      const isBorder = Math.abs(number - set.firstAmsterdam) <= 1;
      if (isBorder || number % every === 0) {
        const note = (fault: string | undefined): void => {
          if (fault !== undefined) faults.push(`block ${number}, ${fault}`);
        };
        const list = accessLists.get(number);
        for (const alteration of alterHeader(encoded, list)) {
          note(findFault(importer, alteration, /./));
          counts.headers++;
        }
        const altered = list === undefined ? [] : [...alterAccessList(encoded, list)];
        for (const alteration of takeSome(altered, lists)) {
          note(findFault(importer, alteration, LIST_REASON));
          counts.lists++;
        }
      }
      importer.import(encoded);
    }
  } finally {
    await close();
  }
  return { ...counts, faults };
}
