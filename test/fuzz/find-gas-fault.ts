import type { FuzzCase } from './fuzz-case.ts';
import { compareOutcomes } from './outcome.ts';
import type { Subject } from './subject.ts';

const withGas = (fuzzCase: FuzzCase, gasLimit: bigint): FuzzCase => ({
  ...fuzzCase,
  level: 'message',
  transaction: { ...fuzzCase.transaction, gasLimit },
});

/**
 * Checks the gas need that a successful message reports, if the message does not read its gas: with that gas limit the outcome
 * is the same, with one less it differs.
 * @returns description of the fault
 */
export async function findGasFault(fuzzCase: FuzzCase, subject: Subject): Promise<string | undefined> {
  const { gasLimit } = fuzzCase.transaction;
  const outcome = await subject.runCase(withGas(fuzzCase, gasLimit));
  const needed = subject.gasNeeded;
  if (outcome.status !== 'success' || needed === undefined) return undefined;
  if (needed > gasLimit) return `needed gas: ${needed} of ${gasLimit}`;
  const difference = compareOutcomes(outcome, await subject.runCase(withGas(fuzzCase, needed)));
  if (difference !== undefined) return `with needed gas: ${needed} of ${gasLimit}, ${difference}`;
  if (needed === 0n) return undefined;
  const less = await subject.runCase(withGas(fuzzCase, needed - 1n));
  if (compareOutcomes(outcome, less) === undefined) return `less than needed gas: ${needed} - 1 does as well`;
  return undefined;
}
