import { type Revision, rulesOf } from '../../src/evm/revisions/revisions.ts';

/** Whether the rules of `since` are part of `revision`. */
export function isAtLeast(revision: Revision, since: Revision): boolean {
  return rulesOf(revision).number >= rulesOf(since).number;
}
