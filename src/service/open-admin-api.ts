import { join } from 'node:path';
import { KeyBook } from '../access/keys/key-book.ts';
import type { AdminApiParts } from '../admin/admin-server.ts';
import type { ReloadAnswer } from '../admin/api/api-sources.ts';
import type { Config } from '../config/config.ts';
import { createNameCheck } from './check-key-names.ts';
import { listUsage } from './list-usage.ts';
import { openKeyTable } from './open-one-table.ts';
import type { ServiceHost } from './service-host.ts';
import { readVersion } from './version.ts';

/** Folder of the audit log in `dataDir`. */
const AUDIT_FOLDER = 'audit';

export type AdminApiOptions = {
  /** Returns the configuration in force. */
  readonly findConfig: () => Config;
  readonly host: Pick<ServiceHost, 'readStatus' | 'evictCache' | 'listNodes' | 'cordon' | 'uncordon'>;
  /** Reloads the configuration file; undefined if there is no file. */
  readonly reload: () => Promise<ReloadAnswer> | undefined;
};

/** Opens the operations that the Admin API offers; undefined if the configuration has no Admin API. */
export async function openAdminApi({
  findConfig,
  host,
  reload,
}: AdminApiOptions): Promise<AdminApiParts | undefined> {
  const { admin, dataDir } = findConfig();
  if (admin === false || admin.api === undefined) return undefined;
  // Loaded on demand: a service without an Admin API does not need the module.
  const { AuditLog } = await import('../admin/api/audit-log.ts');
  return {
    version: readVersion(),
    audit: new AuditLog({ folder: join(dataDir, AUDIT_FOLDER) }),
    sources: {
      async useKeys(work) {
        const config = findConfig();
        const book = new KeyBook(
          await openKeyTable(config),
          createNameCheck(() => config),
        );
        try {
          return await work(book);
        } finally {
          await book.close();
        }
      },
      readUsage: (query, left) => listUsage(findConfig(), query, { left }),
      listNodes: () => host.listNodes(),
      cordon: (name, isForced) => host.cordon(name, isForced),
      uncordon: (name) => host.uncordon(name),
      listNetworks: () => Object.keys(findConfig().networks),
      evictCache: (network) => host.evictCache(network),
      reload: async () => reload(),
      readHealth: async () => (await host.readStatus()).verdict,
    },
  };
}
