import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { fingerprint } from './fingerprint.ts';

/** Limits that a reload can change, because it creates a new gateway; the other limits belong to the server and its transports. */
const GATEWAY_LIMITS: ReadonlySet<string> = new Set([
  'batchItems',
  'batchConcurrency',
  'batchAnswerBytes',
  'inFlightBodies',
  'networkCalls',
  'networkQueue',
  'queueWait',
  'filters',
  'filterLife',
]);

/** Sections of the configuration that a running process can change. */
const CHANGEABLE: ReadonlySet<string> = new Set(['networks', 'defaultNetwork', 'access', 'limits']);

/** @throws ConfigError with the settings that only a restart can change */
export function checkReload(running: Config, next: Config): void {
  const lines = [
    ...findChanges('', running, next, CHANGEABLE),
    ...findChanges('limits.', running.limits, next.limits, GATEWAY_LIMITS),
    ...(fingerprint(running.access.valkey) === fingerprint(next.access.valkey) ? [] : ['access.valkey']),
  ].map((name) => `${name} cannot change while the service runs: restart it`);
  if (lines.length > 0) throw new ConfigError(lines);
}

/**
 * Lists the options that differ between two configurations, such as `networks.mainnet added` and `access.rate changed`. The list has no values,
 * because values may be secrets.
 */
export function listChanges(running: Config, next: Config): string[] {
  const sections = [
    ['networks.', running.networks, next.networks],
    ['limits.', running.limits, next.limits],
    ['access.', running.access, next.access],
  ] as const;
  const rest = new Set(['networks', 'limits', 'access']);
  return [
    ...findChanges('', running, next, rest).map((name) => `${name} changed`),
    ...sections.flatMap(([prefix, a, b]) =>
      findChanges('', a, b, new Set()).map(
        (name) => `${prefix}${name} ${!(name in a) ? 'added' : name in b ? 'changed' : 'removed'}`,
      ),
    ),
  ];
}

function findChanges(prefix: string, a: object, b: object, changeable: ReadonlySet<string>): string[] {
  const read = (object: object, name: string): unknown => (object as Readonly<Record<string, unknown>>)[name];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => !changeable.has(name) && fingerprint(read(a, name)) !== fingerprint(read(b, name)))
    .map((name) => `${prefix}${name}`);
}
