import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type KeyRecord, LmdbKeyStore } from '../access/lmdb-key-store.ts';
import { DEFAULT_DATA_DIR } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatTable } from './format-table.ts';
import { UsageError } from './usage.ts';

const KEYS_USAGE = `portcullis keys create --name NAME    make a key and print it; it cannot be shown again
portcullis keys list                  id, name, creation and revocation of every key
portcullis keys revoke ID             the key stops working within a second

  --data DIR       where the keys are (default PORTCULLIS_DATA_DIR or ${DEFAULT_DATA_DIR})
  --config FILE    take the place from this configuration file instead
`;

/** `portcullis keys`. @returns the exit code */
export async function runKeys(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      data: { type: 'string' },
      config: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(KEYS_USAGE);
    return 0;
  }
  const [command, ...operands] = positionals;
  const { name } = values;
  switch (command) {
    case 'create':
      if (name === undefined || operands.length > 0) throw new UsageError('keys create takes --name NAME');
      return withStore(values, (store) => create(store, name));
    case 'list':
      if (operands.length > 0) throw new UsageError('keys list takes no operand');
      return withStore(values, list);
    case 'revoke': {
      const [id, ...more] = operands;
      if (id === undefined || more.length > 0) throw new UsageError('keys revoke takes one id');
      return withStore(values, (store) => revoke(store, id));
    }
    default:
      throw new UsageError('keys takes create, list or revoke');
  }
}

type Place = { readonly data?: string | undefined; readonly config?: string | undefined };

async function withStore(
  place: Place,
  work: (store: LmdbKeyStore) => number | Promise<number>,
): Promise<number> {
  const store = new LmdbKeyStore(await findDataDir(place));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function findDataDir({ data, config }: Place): Promise<string> {
  if (data !== undefined && config !== undefined) throw new UsageError('give --data or --config, not both');
  if (config !== undefined) return (await loadConfig(config, process.env)).dataDir;
  return resolve(data ?? (process.env['PORTCULLIS_DATA_DIR'] || DEFAULT_DATA_DIR));
}

async function create(store: LmdbKeyStore, name: string): Promise<number> {
  try {
    const { key, record } = await store.create(name);
    process.stderr.write(`id ${record.id}, name ${record.name}; the key is shown this once:\n`);
    process.stdout.write(`${key}\n`);
    return 0;
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function list(store: LmdbKeyStore): number {
  const rows = store.list().map(toRow);
  process.stdout.write(formatTable([['ID', 'NAME', 'CREATED', 'REVOKED'], ...rows]));
  return 0;
}

function toRow({ id, name, createdAt, revokedAt }: KeyRecord): string[] {
  return [id, name, createdAt, revokedAt ?? ''];
}

async function revoke(store: LmdbKeyStore, id: string): Promise<number> {
  const revoked = await store.revoke(id);
  if (revoked === undefined) {
    process.stderr.write(`portcullis: there is no key with the id ${id}\n`);
    return 1;
  }
  process.stdout.write(`revoked ${revoked.id} (${revoked.name})\n`);
  return 0;
}
