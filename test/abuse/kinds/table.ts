import type { Abuse } from '../abuse.ts';
import { ACCESS } from './access.ts';
import { BATCHES } from './batches.ts';
import { CONNECTIONS } from './connections.ts';
import { EXPENSIVE_BODIES } from './expensive-bodies.ts';
import { HEAVY_CALLS } from './heavy-calls.ts';
import { LARGE_ANSWERS } from './large-answers.ts';
import { NODES_ABUSES } from './nodes.ts';
import { PROVEN_STATE } from './proven-state.ts';
import { RECORDS_ABUSES } from './records.ts';
import { TLS } from './tls.ts';
import { UNREAD_ANSWERS } from './unread-answers.ts';
import { WAITING_SENDS } from './waiting-sends.ts';
import { WEB_SOCKETS } from './web-sockets.ts';

/** Controls that take nothing from the service: they show the noise of the measurement, and the effect of the attackers' own computation. */
const CONTROL = {
  family: 'control',
  transport: 'HTTP',
  key: 'none',
  charge: 'nothing',
} as const;
const BURN_MS = 20;
const CONTROLS: readonly Abuse[] = [
  { ...CONTROL, name: 'nothing (control)', begin: () => {} },
  {
    ...CONTROL,
    name: 'attackers that only compute (control)',
    begin({ seen, signal }) {
      const burn = (): void => {
        if (signal.aborted) return;
        seen.sent++;
        for (const until = performance.now() + BURN_MS; performance.now() < until; );
        setImmediate(burn);
      };
      setImmediate(burn);
    },
  },
];

/** All abuses in running order; TLS comes last because it needs another service. */
export const ABUSES: readonly Abuse[] = [
  ...CONTROLS,
  ...EXPENSIVE_BODIES,
  ...BATCHES,
  ...LARGE_ANSWERS,
  ...UNREAD_ANSWERS,
  ...HEAVY_CALLS,
  ...WEB_SOCKETS,
  ...CONNECTIONS,
  ...ACCESS,
  ...NODES_ABUSES,
  ...WAITING_SENDS,
  ...RECORDS_ABUSES,
  ...PROVEN_STATE,
  ...TLS,
];

/** @throws Error when no abuse has this name */
export function findAbuse(name: string): Abuse {
  const found = ABUSES.find((abuse) => abuse.name === name);
  if (found === undefined) throw new Error(`there is no abuse "${name}"`);
  return found;
}
