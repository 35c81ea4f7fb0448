import { type Revision, rulesOf } from '../../packages/evm/interpreter/revisions/revisions.ts';

/** Whether `revision` includes the rules of `since`. */
export function isAtLeast(revision: Revision, since: Revision): boolean {
  return rulesOf(revision).number >= rulesOf(since).number;
}
