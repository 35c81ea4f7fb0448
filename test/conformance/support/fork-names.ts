import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';

/** Revisions by the test files' names of forks. A fork that changes blob parameters only is the revision before it. */
const REVISION_BY_FORK: ReadonlyMap<string, Revision> = new Map([
  ['Frontier', 'frontier'],
  ['Homestead', 'homestead'],
  ['EIP150', 'tangerineWhistle'],
  ['EIP158', 'spuriousDragon'],
  ['Byzantium', 'byzantium'],
  ['Constantinople', 'constantinople'],
  ['ConstantinopleFix', 'petersburg'],
  ['Istanbul', 'istanbul'],
  ['Berlin', 'berlin'],
  ['London', 'london'],
  ['Paris', 'paris'],
  ['Merge', 'paris'],
  ['Shanghai', 'shanghai'],
  ['Cancun', 'cancun'],
  ['Prague', 'prague'],
  ['Osaka', 'osaka'],
  ['BPO1', 'osaka'],
  ['BPO2', 'osaka'],
  ['BPO3', 'osaka'],
  ['BPO4', 'osaka'],
  ['BPO5', 'osaka'],
]);

/** @throws RangeError when the fork is not in the table. */
export function revisionOfFork(fork: string): Revision {
  const revision = REVISION_BY_FORK.get(fork);
  if (revision === undefined) throw new RangeError(`no revision is known for the fork ${fork}`);
  return revision;
}
