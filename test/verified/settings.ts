import type { NetworkOptions } from './lied-network.ts';

/** How many nodes there are, how many of them lie, and what the service is told to do about it. */
export type Setting = NetworkOptions & {
  readonly name: string;
  readonly nodes: number;
  readonly liars: number;
};

const LIARS: readonly Omit<Setting, 'transport'>[] = [
  { name: 'one of three', nodes: 3, liars: 1, verify: 'auto' },
  { name: 'two of three', nodes: 3, liars: 2, verify: 'auto' },
  { name: 'one of one', nodes: 1, liars: 1, verify: 'auto' },
  { name: 'one of one, all has to be proven', nodes: 1, liars: 1, verify: 'require' },
  { name: 'all of three, all has to be proven', nodes: 3, liars: 3, verify: 'require' },
];

/** Over each transport between the service and its nodes. */
export const SETTINGS: readonly Setting[] = LIARS.flatMap((row) => [
  { ...row, transport: 'HTTP' as const },
  { ...row, transport: 'WebSocket' as const },
]);
