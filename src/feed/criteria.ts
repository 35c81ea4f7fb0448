import type { LogCriteria, LogTest } from './feed.ts';

/** Maximum length of a list in which a linear search is faster than a look-up in a set. */
const SHORT = 8;

/** Returns a canonical name, which is equal for criteria that match the same logs. */
export function nameCriteria({ addresses, topics }: LogCriteria): string {
  return [addresses, ...topics].map((alternatives) => [...new Set(alternatives)].sort().join()).join(';');
}

/** Returns the number of addresses and topics. */
export function countValues({ addresses, topics }: LogCriteria): number {
  return topics.reduce((sum, { length }) => sum + length, addresses.length);
}

/** Compiles criteria to a predicate: at every position, one of the alternatives must match. A log with fewer topics than positions does not match. */
export function createLogTest({ addresses, topics }: LogCriteria): LogTest {
  const isAddress = createMemberTest(addresses);
  const isTopic = topics.map(createMemberTest);
  return (log) =>
    log.topics.length >= isTopic.length &&
    isAddress(log.address) &&
    isTopic.every((test, position) => test(log.topics[position] as string));
}

/** Creates a test for a list of alternatives. An empty list matches any value. */
function createMemberTest(alternatives: readonly string[]): (value: string) => boolean {
  if (alternatives.length === 0) return () => true;
  if (alternatives.length <= SHORT) return (value) => alternatives.includes(value);
  const members = new Set(alternatives);
  return (value) => members.has(value);
}
