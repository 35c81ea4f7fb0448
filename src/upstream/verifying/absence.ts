import type { NullMeaning } from '../routed-call.ts';

/** What a null means. No root proves that something is absent. */
export type Absence = {
  /** Of what is asked for by a hash of which nothing is known. */
  readonly byHash: NullMeaning;
  /** Of a block by its height, which is not above the head. */
  readonly byHeight: NullMeaning;
  /** Of a block of the served chain, by the height and hash that it is known to have. */
  readonly known: NullMeaning;
};

export const ABSENCE_UNVERIFIED: Absence = { byHash: 'claim', byHeight: 'doubt', known: 'doubt' };
export const ABSENCE_VERIFIED: Absence = { byHash: 'claim', byHeight: 'doubt', known: 'fault' };
/** What one node has, it can prove: all of them are asked. */
export const ABSENCE_REQUIRED: Absence = { byHash: 'search', byHeight: 'fault', known: 'fault' };
