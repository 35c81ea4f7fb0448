import { type ChainFacts, readChainFacts } from './requests/chain-facts.ts';
import type { Sides } from './sides.ts';

const RESULT = 'result ';

/** Reads the facts of the chain from its geth. @throws Error when geth returns an error */
export function readGethFacts(sides: Sides, accounts: string | undefined): Promise<ChainFacts> {
  return readChainFacts(async (method, params) => {
    const outcome = await sides.askGeth({ method, params });
    if (!outcome.startsWith(RESULT)) throw new Error(`${method}: ${outcome}`);
    return JSON.parse(outcome.slice(RESULT.length));
  }, accounts);
}
