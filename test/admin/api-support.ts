import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { KeyBook, UnknownNameError } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import type { AdminParts } from '../../src/admin/admin-server.ts';
import type { ApiSources } from '../../src/admin/api/api-sources.ts';
import type { AuditEntry } from '../../src/admin/api/audit-entry.ts';
import { AuditLog } from '../../src/admin/api/audit-log.ts';
import { formatDay } from '../../src/util/utc-day.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { type Asked, ask, type Got, startAdmin } from './support.ts';

/** Tokens of the credentials of a test. */
export const TOKENS = {
  read: 'token-of-a-reader-0123',
  write: 'token-of-a-writer-0123',
  wrong: 'token-of-nobody-012345',
} as const;

export const CREDENTIALS: NonNullable<AdminParts['options']['api']> = {
  auditor: { role: 'read', token: TOKENS.read },
  operator: { role: 'write', token: TOKENS.write },
};

const NO_NODE = { outcome: 'unknown', reason: 'no node of the service has this name' } as const;

/** A service with the network `mainnet` that runs without a configuration file. */
const SOURCES: Omit<ApiSources, 'useKeys'> = {
  readUsage: async ({ from, to }) => ({
    from: formatDay(from),
    to: formatDay(to),
    rows: [],
    total: { calls: 0, refused: 0, credits: 0 },
  }),
  listNodes: async () => [],
  cordon: async () => NO_NODE,
  uncordon: async () => NO_NODE,
  listNetworks: () => ['mainnet', 'sepolia'],
  evictCache: async (network) => network === undefined || network === 'mainnet',
  reload: async () => undefined,
  readHealth: async () => ({ state: 'healthy', summary: 'All networks can answer', problems: [] }),
};

export type ApiRequest = Asked & { readonly token?: string; readonly json?: unknown };

export type RunningApi = {
  readonly port: number;
  readonly folder: string;
  readonly book: KeyBook;
  /** Log lines so far. */
  readonly lines: readonly string[];
  /** Sends a request, by default with the token of the writer. */
  send(request: ApiRequest): Promise<Got>;
  /** Sends a request to a path of the Admin API. @throws Error for a status other than 200 or 201 */
  call<T>(method: string, path: string, json?: unknown): Promise<T>;
};

/** Starts an admin server with an Admin API on keys in a folder. Settings may name the networks `mainnet` and `sepolia`. */
export async function startApi(
  t: TestContext,
  { sources, ...choices }: { sources?: Partial<ApiSources>; key?: string; clock?: AdminParts['clock'] } = {},
): Promise<RunningApi> {
  const folder = makeTemporaryFolder();
  const book = new KeyBook(new LmdbKeyTable(folder.path), ({ networks = [] }) => {
    for (const name of networks)
      if (name !== 'mainnet' && name !== 'sepolia') throw new UnknownNameError(`there is no network ${name}`);
  });
  const audit = new AuditLog({ folder: join(folder.path, 'audit') });
  const { server, port, lines } = await startAdmin({
    ...choices,
    credentials: CREDENTIALS,
    api: { audit, version: '1.2.3', sources: { ...SOURCES, useKeys: (work) => work(book), ...sources } },
  });
  t.after(async () => {
    await server.close();
    await book.close();
    folder.remove();
  });
  const send = ({ token = TOKENS.write, json, headers, ...asked }: ApiRequest): Promise<Got> =>
    ask(port, {
      ...asked,
      headers: {
        ...(token !== '' && { Authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  return {
    port,
    folder: folder.path,
    book,
    lines,
    send,
    async call<T>(method: string, path: string, json?: unknown) {
      const { status, body } = await send({ method, path: `/admin/v1${path}`, json });
      if (status !== 200 && status !== 201) throw new Error(`${status}: ${body}`);
      return JSON.parse(body) as T;
    },
  };
}

/** Reads the audit log of a data folder from its files, oldest entry first. */
export function readAuditFiles(dataDir: string): AuditEntry[] {
  const folder = join(dataDir, 'audit');
  const lines = readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEntry);
}
