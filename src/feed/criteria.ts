import type { LogCriteria, LogTest } from './feed.ts';

/** Alternatives up to which a list is searched faster than a set. */
const SHORT = 8;

/** A text that is the same for criteria that mean the same logs. */
export function nameCriteria({ addresses, topics }: LogCriteria): string {
  return [addresses, ...topics].map((alternatives) => [...new Set(alternatives)].sort().join()).join(';');
}

/** Addresses and topics that they name. */
export function countValues({ addresses, topics }: LogCriteria): number {
  return topics.reduce((sum, { length }) => sum + length, addresses.length);
}

export function createLogTest({ addresses, topics }: LogCriteria): LogTest {
  const isAddress = createMemberTest(addresses);
  const isTopic = topics.map(createMemberTest);
  return (log) =>
    log.topics.length >= isTopic.length &&
    isAddress(log.address) &&
    isTopic.every((test, position) => test(log.topics[position] as string));
}

/** None means any. */
function createMemberTest(alternatives: readonly string[]): (value: string) => boolean {
  if (alternatives.length === 0) return () => true;
  if (alternatives.length <= SHORT) return (value) => alternatives.includes(value);
  const members = new Set(alternatives);
  return (value) => members.has(value);
}
