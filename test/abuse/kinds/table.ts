import type { Abuse } from '../abuse.ts';
import { ACCESS } from './access.ts';
import { BATCHES } from './batches.ts';
import { CONNECTIONS } from './connections.ts';
import { DEAR_BODIES } from './dear-bodies.ts';
import { HEAVY_CALLS } from './heavy-calls.ts';
import { LARGE_ANSWERS } from './large-answers.ts';
import { NODES_ABUSES } from './nodes.ts';
import { TLS } from './tls.ts';
import { UNREAD_ANSWERS } from './unread-answers.ts';
import { WEB_SOCKETS } from './web-sockets.ts';

/** No abuse at all: what it shows is the noise of the measurement. */
const CONTROL: Abuse = {
  name: 'nothing (control)',
  family: 'control',
  transport: 'HTTP',
  key: 'none',
  charge: 'nothing',
  begin: () => {},
};

/** In the order in which they run; those of TLS last, as they need another service. */
export const ABUSES: readonly Abuse[] = [
  CONTROL,
  ...DEAR_BODIES,
  ...BATCHES,
  ...LARGE_ANSWERS,
  ...UNREAD_ANSWERS,
  ...HEAVY_CALLS,
  ...WEB_SOCKETS,
  ...CONNECTIONS,
  ...ACCESS,
  ...NODES_ABUSES,
  ...TLS,
];

/** @throws Error when there is none of that name */
export function findAbuse(name: string): Abuse {
  const found = ABUSES.find((abuse) => abuse.name === name);
  if (found === undefined) throw new Error(`there is no abuse "${name}"`);
  return found;
}
