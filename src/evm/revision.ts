/** The EVM's rule sets in order of activation. Each one is the previous one plus its changes. */
export const REVISIONS = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const;

export type Revision = (typeof REVISIONS)[number];

const ORDER: ReadonlyMap<string, number> = new Map(REVISIONS.map((revision, order) => [revision, order]));

/** Whether the rules of `since` are part of `revision`. */
export function isAtLeast(revision: Revision, since: Revision): boolean {
  return (ORDER.get(revision) as number) >= (ORDER.get(since) as number);
}
