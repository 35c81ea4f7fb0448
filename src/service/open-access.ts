import { KnownCredentials } from '../access/known-credentials.ts';
import { Limiter } from '../access/limits/limiter.ts';
import type { AccessOptions } from '../access/options.ts';
import { StoredKeys } from '../access/stored-keys.ts';
import { createTokenVerifier } from '../access/tokens.ts';
import type { Config } from '../config/config.ts';
import type { AdmissionParts } from '../gateway/admission.ts';
import type { Logger } from '../observe/logger.ts';
import { fingerprint } from './fingerprint.ts';
import { openTables, type SharedTables, type TableParts } from './open-tables.ts';

/** Access control of requests, and its resources. */
export type OpenAccess = AdmissionParts & {
  readonly keys: StoredKeys;
  readonly tables: SharedTables;
  /**
   * Fingerprints of two groups of settings: for keys (`settings`) and for tokens (`issuers`). A reload reuses the key or token cache whose
   * fingerprint is unchanged.
   */
  readonly settings: string;
  readonly issuers: string;
  close(): Promise<void>;
};

/**
 * Opens the keys and limits of a configuration. The location of the tables cannot change while the service runs, so the tables of `before` are reused
 * with their connections.
 */
export async function openAccess(
  config: Config,
  parts: TableParts,
  before?: OpenAccess,
): Promise<OpenAccess> {
  const { access, networks } = config;
  const tables = before?.tables ?? (await openTables(config, parts));
  tables.users++;
  const settings = fingerprint([access.rate, access.dailyCredits, access.staleKeys]);
  const isSame = before?.settings === settings;
  const keys = isSame ? before.keys : openKeys(access, tables, parts.log, before?.keys);
  const issuers = fingerprint(access.jwt);
  const knowsTokens = before?.issuers === issuers;
  const rates = Object.entries(networks).flatMap(([name, { rate }]) =>
    rate === undefined ? [] : [[name, rate] as const],
  );
  const limiter = new Limiter({ table: tables.limits, failures: access.failures, networks: new Map(rates) });
  return {
    keys,
    tokens: knowsTokens ? before.tokens : createTokenVerifier(access.jwt),
    // Known credentials remain known after a reload, because they only admit a client to the credential check, which still runs.
    credentials: before?.credentials ?? new KnownCredentials(),
    limiter,
    tables,
    settings,
    issuers,
    async close() {
      await limiter.close();
      if (--tables.users === 0) await tables.close();
    },
  };
}

function openKeys(
  access: AccessOptions,
  { keys, onStale }: SharedTables,
  log: Logger,
  before: StoredKeys | undefined,
): StoredKeys {
  return new StoredKeys({
    table: keys,
    defaults: {
      ...(access.rate !== undefined && { rate: access.rate }),
      ...(access.dailyCredits !== undefined && { dailyCredits: access.dailyCredits }),
    },
    staleMs: access.staleKeys,
    onStale,
    onLost: () =>
      log.error(
        { fault: 'keys' },
        'the keys cannot be read: only keys in use are accepted, for access.staleKeys; all other keys get 503',
      ),
    onReturned: () => log.info({ fault: 'keys' }, 'the keys can be read again'),
    ...(before !== undefined && { before }),
  });
}
