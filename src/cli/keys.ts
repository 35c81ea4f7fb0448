import { resolve } from 'node:path';
import * as z from 'zod';
import { describeKey } from '../access/keys/describe-key.ts';
import { ClosedKeyError, type IssuedKey, KeyBook, UnknownNameError } from '../access/keys/key-book.ts';
import type { KeyRecord } from '../access/keys/key-record.ts';
import { type AccessOptions, accessOptionsSchema } from '../access/options.ts';
import { type Config, DEFAULT_DATA_DIR } from '../config/config.ts';
import { loadKeysConfig } from '../config/load-config.ts';
import { createNameCheck } from '../service/check-key-names.ts';
import { type Command, createCommand, createCommandGroup } from '../service/command.ts';
import { DATA_VARIABLES } from '../service/common-help.ts';
import { formatTable } from '../service/format-table.ts';
import { findMissingKeyStore, openKeyTable } from '../service/open-one-table.ts';
import { UsageError } from '../service/usage.ts';
import { describeIssues } from '../util/describe-issue.ts';
import { KEY_SETTING_OPTIONS, readDuration, readSettings } from './key-options.ts';

/** Options that locate the keys. */
const PLACE_OPTIONS = {
  data: { value: 'DIR', about: `where the keys are (default PORTCULLIS_DATA_DIR or ${DEFAULT_DATA_DIR})` },
  config: {
    short: 'c',
    value: 'FILE',
    about:
      'use the folder of this configuration file instead, and its networks, methods and issuers in settings; ' +
      'without it, settings may name those of the built-in networks',
  },
} as const;
type Place = { readonly data: string | undefined; readonly config: string | undefined };
type SettingValues = Parameters<typeof readSettings>[0];

const SETTINGS_HELP = `A request must match one entry of each list that is set. Lists are separated by commas; an empty
    value removes a setting.`;
const SHARED = {
  environment: DATA_VARIABLES,
  exitCodes: { 1: 'the keys cannot be used, or there is no such key' },
};
const GRACE = '24h';

const SUBCOMMANDS = {
  create: createCommand({
    ...SHARED,
    name: 'keys create',
    about: `Creates a key and prints it; it cannot be shown again.

    ${SETTINGS_HELP}`,
    options: {
      name: {
        value: 'NAME',
        isRequired: true,
        about: 'name of the key in lists and logs, and on the status page',
      },
      secret: { about: 'requests must carry a secret, which is printed after the key' },
      ...KEY_SETTING_OPTIONS,
      ...PLACE_OPTIONS,
    },
    examples: [
      'portcullis keys create --name my-app --config portcullis.yaml',
      'portcullis keys create --name wallet --networks mainnet --rate 50/100 --expires 90d --config portcullis.yaml',
    ],
    run: (values) => withKeys(values, (book) => create(book, values), reportNewStore),
  }),
  list: createCommand({
    ...SHARED,
    name: 'keys list',
    about: 'Lists id, name, state and times of every key.',
    options: PLACE_OPTIONS,
    examples: ['portcullis keys list --config portcullis.yaml'],
    run: (values) => withKeys(values, list),
  }),
  show: createCommand({
    ...SHARED,
    name: 'keys show',
    operands: ['ID'],
    about: 'Prints all details of a key as JSON, without the key.',
    options: PLACE_OPTIONS,
    examples: ['portcullis keys show 1a2b3c4d5e6f --config portcullis.yaml'],
    run: (values, [id = '']) =>
      withKeys(values, async (book) => report(await book.find(id), id, printRecord)),
  }),
  update: createCommand({
    ...SHARED,
    name: 'keys update',
    operands: ['ID'],
    about: `Changes the settings of a key that are named, and no others.

    ${SETTINGS_HELP}`,
    options: {
      name: { value: 'NAME', about: 'new name of the key' },
      ...KEY_SETTING_OPTIONS,
      ...PLACE_OPTIONS,
    },
    examples: [`portcullis keys update 1a2b3c4d5e6f --origins 'https://*.example.org' --rate ''`],
    run: (values, [id = '']) => withKeys(values, (book) => update(book, id, values)),
  }),
  rotate: createCommand({
    ...SHARED,
    name: 'keys rotate',
    operands: ['ID'],
    about: 'Replaces a key by a new one with the same settings, and prints the new one.',
    options: {
      grace: { value: 'DURATION', default: GRACE, about: 'time for which the old key continues to work' },
      ...PLACE_OPTIONS,
    },
    examples: ['portcullis keys rotate 1a2b3c4d5e6f --grace 1h'],
    run: (values, [id = '']) => withKeys(values, (book) => rotate(book, id, values.grace)),
  }),
  revoke: createCommand({
    ...SHARED,
    name: 'keys revoke',
    operands: ['ID'],
    about: 'Revokes a key, which stops working within a second.',
    options: PLACE_OPTIONS,
    examples: ['portcullis keys revoke 1a2b3c4d5e6f'],
    run: (values, [id = '']) => withKeys(values, (book) => revoke(book, id)),
  }),
};

/** `portcullis keys` */
export const keysCommand: Command = createCommandGroup(
  {
    name: 'keys',
    about: `Manages API keys.

    The keys are below the folder of --data, or below the folder of the configuration file of --config. Without both they are
    below PORTCULLIS_DATA_DIR, or ${DEFAULT_DATA_DIR} in the working folder.`,
  },
  SUBCOMMANDS,
);

/** Reports that `keys create` makes a new store, which a service with another data folder does not read. */
function reportNewStore(folder: string): undefined {
  process.stderr.write(
    `portcullis: creates a new key store in ${folder}: the key opens only a service with this data folder ` +
      '(dataDir, or PORTCULLIS_DATA_DIR in the environment of the service)\n',
  );
}

/** Reports that a command other than `keys create` needs a store. @returns the exit code */
function rejectMissingStore(folder: string): number {
  process.stderr.write(
    `portcullis: there is no key store in ${folder}: use --data or PORTCULLIS_DATA_DIR with the data folder of the ` +
      'service, or create a key first\n',
  );
  return 1;
}

/**
 * Opens the keys while `work` runs.
 * @param onMissingStore is called with the folder of the store if there is no store yet; an exit code ends the command
 */
async function withKeys(
  place: Place,
  work: (book: KeyBook) => Promise<number>,
  onMissingStore: (folder: string) => number | undefined = rejectMissingStore,
): Promise<number> {
  const config = await findConfig(place);
  const options = config ?? findFolder(place);
  const missing = findMissingKeyStore(options);
  const exitCode = missing === undefined ? undefined : onMissingStore(missing);
  if (exitCode !== undefined) return exitCode;
  const table = await openKeyTable(options);
  const book = new KeyBook(
    table,
    createNameCheck(() => config),
  );
  try {
    return await work(book);
  } catch (error) {
    if (error instanceof z.ZodError) throw new UsageError(describeIssues(error.issues));
    if (error instanceof UnknownNameError) throw new UsageError(error.message);
    if (error instanceof ClosedKeyError) {
      process.stderr.write(`portcullis: ${error.message}\n`);
      return 1;
    }
    throw error;
  } finally {
    await book.close();
  }
}

async function findConfig({ data, config }: Place): Promise<Config | undefined> {
  if (data !== undefined && config !== undefined)
    throw new UsageError('use either --data or --config, not both');
  return config === undefined ? undefined : loadKeysConfig(config, process.env);
}

function findFolder({ data }: Place): { dataDir: string; access: AccessOptions } {
  const dataDir = resolve(data ?? (process.env['PORTCULLIS_DATA_DIR'] || DEFAULT_DATA_DIR));
  return { dataDir, access: accessOptionsSchema.parse(undefined) };
}

async function create(
  book: KeyBook,
  values: SettingValues & { readonly name: string; readonly secret: boolean },
): Promise<number> {
  const settings = Object.entries(readSettings(values)).filter(([, value]) => value !== undefined);
  const issued = await book.create(values.name, Object.fromEntries(settings), values.secret);
  if (await printIssued(issued)) return 0;
  const { id } = issued.record;
  const isRevoked = await book.revoke(id).then(
    () => true,
    () => false,
  );
  const state = isRevoked ? 'and is revoked' : `: revoke it (keys revoke ${id})`;
  process.stderr.write(
    `portcullis: key ${id} was created, but could not be printed${isRevoked ? ' ' : ''}${state}\n`,
  );
  return 1;
}

/** @returns whether the key was printed; a key cannot be shown again */
function printIssued({ key, secret, record }: IssuedKey): Promise<boolean> {
  const what = secret === undefined ? 'the key is' : 'the key and its secret are';
  process.stderr.write(`id ${record.id}, name ${record.name}; ${what} shown only once:\n`);
  const text = secret === undefined ? `${key}\n` : `${key}\n${secret}\n`;
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(error === null || error === undefined));
  });
}

async function list(book: KeyBook): Promise<number> {
  const rows = (await book.list()).map(toRow);
  process.stdout.write(formatTable([['ID', 'NAME', 'STATE', 'CREATED', 'REVOKED', 'EXPIRES'], ...rows]));
  return 0;
}

function toRow(record: KeyRecord): string[] {
  const { id, name, state, createdAt, revokedAt = '', settings } = describeKey(record);
  return [id, name, state, createdAt, revokedAt, settings.expiresAt ?? ''];
}

async function update(
  book: KeyBook,
  id: string,
  values: SettingValues & { readonly name: string | undefined },
): Promise<number> {
  const change = readSettings(values);
  if (values.name === undefined && Object.keys(change).length === 0)
    throw new UsageError('keys update needs a setting to change');
  return report(await book.update(id, change, values.name), id, printRecord);
}

async function rotate(book: KeyBook, id: string, grace: string): Promise<number> {
  const issued = await book.rotate(id, readDuration('grace', grace));
  if (issued === undefined) return report(issued, id, () => {});
  if (await printIssued(issued)) return 0;
  process.stderr.write(
    `portcullis: key ${id} was rotated, but the new key could not be printed; the old key works for ${grace}: rotate again\n`,
  );
  return 1;
}

async function revoke(book: KeyBook, id: string): Promise<number> {
  return report(await book.revoke(id), id, (record) => {
    process.stdout.write(`revoked ${record.id} (${record.name})\n`);
  });
}

/** Prints a record without its hashes. */
function printRecord(record: KeyRecord): void {
  process.stdout.write(`${JSON.stringify(describeKey(record), null, 2)}\n`);
}

function report<T>(outcome: T | undefined, id: string, print: (outcome: T) => void): number {
  if (outcome === undefined) {
    process.stderr.write(`portcullis: there is no key with the id ${id}\n`);
    return 1;
  }
  print(outcome);
  return 0;
}
