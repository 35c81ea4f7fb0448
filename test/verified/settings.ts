import type { NetworkOptions } from './lied-network.ts';

/** Number of nodes, number of liars among them, and the service's options. */
export type Setting = Omit<NetworkOptions, 'checkpoint'> & {
  readonly name: string;
  readonly nodes: number;
  readonly liars: number;
  /** Whether the configuration names the hash of a block above. */
  readonly hasCheckpoint: boolean;
};

const LIARS: readonly Omit<Setting, 'transport'>[] = [
  { name: 'one of three', nodes: 3, liars: 1, verify: 'auto', hasCheckpoint: false },
  { name: 'two of three', nodes: 3, liars: 2, verify: 'auto', hasCheckpoint: false },
  { name: 'one of one', nodes: 1, liars: 1, verify: 'auto', hasCheckpoint: false },
  { name: 'one of one with a checkpoint', nodes: 1, liars: 1, verify: 'require', hasCheckpoint: true },
  { name: 'all of three with a checkpoint', nodes: 3, liars: 3, verify: 'require', hasCheckpoint: true },
];

/** Answers that are forwarded while they arrive; nodes send them over HTTP. */
const STREAMED: readonly Setting[] = LIARS.filter(({ liars, nodes }) => liars < nodes || nodes === 1).map(
  (row) => ({
    ...row,
    name: `${row.name}, streamed`,
    transport: 'HTTP',
    isStreamed: true,
  }),
);

/** Settings for each transport between the service and its nodes. */
export const SETTINGS: readonly Setting[] = [
  ...LIARS.flatMap((row) => [
    { ...row, transport: 'HTTP' as const },
    { ...row, transport: 'WebSocket' as const },
  ]),
  ...STREAMED,
];

/** Settings without those that are equal to another one where no node lies, for each transport. */
export const TRUE_SETTINGS: readonly (readonly Setting[])[] = (['HTTP', 'WebSocket'] as const).map(
  (transport) => SETTINGS.filter((row) => row.transport === transport && row.name !== 'two of three'),
);
