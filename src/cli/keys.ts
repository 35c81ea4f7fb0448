import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { type IssuedKey, KeyBook, type SettingsChange } from '../access/keys/key-book.ts';
import type { KeyRecord } from '../access/keys/key-record.ts';
import { type AccessOptions, accessOptionsSchema } from '../access/options.ts';
import { type Config, DEFAULT_DATA_DIR } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatTable } from '../service/format-table.ts';
import { openKeyTable } from '../service/open-access.ts';
import { UsageError } from '../service/usage.ts';
import { describeIssue } from '../util/describe-issue.ts';
import { suggestName } from '../util/near-name.ts';
import { KEY_SETTING_OPTIONS, readDuration, readSettings } from './key-options.ts';

const KEYS_USAGE = `portcullis keys create --name NAME [SETTINGS]  create a key and print it; it cannot be shown again
portcullis keys list                           id, name, state and times of every key
portcullis keys show ID                        all details of a key, as JSON
portcullis keys update ID SETTINGS             change these settings and no others
portcullis keys rotate ID [--grace 24h]        a new key with the same settings; the old one works for that long
portcullis keys revoke ID                      the key stops working within a second

Settings. Lists are separated by commas; an empty value removes a setting.
  --networks, --methods, --addresses, --origins, --user-agents LIST
                       a request must match one entry of each of these lists
  --no-send            the key may not send transactions; --send allows it again
  --rate N[/BURST]     calls per second, and the maximum burst
  --daily-credits N    maximum credits for the calls of a day
  --expires TIME       ISO 8601, or a duration from now such as 90d
  --jwt NAME           requests must bring a token of this issuer (access.jwt)
  --secret             (create) requests must bring a secret, which is printed after the key

  --data DIR           where the keys are (default PORTCULLIS_DATA_DIR or ${DEFAULT_DATA_DIR})
  --config FILE        use the folder of this configuration file instead (PORTCULLIS_DATA_DIR overrides its dataDir),
                       and its networks, methods and issuers in settings; without it, settings may name those of
                       the built-in networks
`;

const OPTIONS = {
  name: { type: 'string' },
  secret: { type: 'boolean' },
  grace: { type: 'string' },
  data: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  ...KEY_SETTING_OPTIONS,
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Subcommand of `portcullis keys`. */
type Command = {
  readonly operands: number;
  /** Options that the subcommand takes besides --data and --config. */
  readonly options: readonly string[];
  run(book: KeyBook, id: string, values: Values): Promise<number>;
};

const SETTINGS = Object.keys(KEY_SETTING_OPTIONS);

const COMMANDS: Readonly<Record<string, Command>> = {
  create: { operands: 0, options: ['name', 'secret', ...SETTINGS], run: create },
  list: { operands: 0, options: [], run: list },
  show: { operands: 1, options: [], run: show },
  update: { operands: 1, options: SETTINGS, run: update },
  rotate: { operands: 1, options: ['grace'], run: rotate },
  revoke: { operands: 1, options: [], run: revoke },
};

/** Runs `portcullis keys`. @returns the exit code */
export async function runKeys(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(KEYS_USAGE);
    return 0;
  }
  const [name = '', ...operands] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new UsageError(
      `keys takes one of ${Object.keys(COMMANDS).join(', ')}${suggestName(name, Object.keys(COMMANDS))}`,
    );
  if (operands.length !== command.operands) {
    throw new UsageError(`keys ${name} takes ${command.operands === 0 ? 'no operand' : 'one id'}`);
  }
  const foreign = Object.keys(values).find(
    (option) => ![...command.options, 'data', 'config'].includes(option),
  );
  if (foreign !== undefined) throw new UsageError(`keys ${name} does not take --${foreign}`);
  const config = await findConfig(values);
  const place = config ?? findFolder(values);
  const { networks, methods, jwt } = values;
  if (networks !== undefined || methods !== undefined || jwt !== undefined) {
    await checkSettings(readSettings(values), config);
  }
  const book = new KeyBook(await openKeyTable(place));
  try {
    return await command.run(book, operands[0] ?? '', values);
  } catch (error) {
    if (error instanceof z.ZodError) throw new UsageError(describeIssues(error.issues));
    throw error;
  } finally {
    await book.close();
  }
}

async function findConfig({ data, config }: Values): Promise<Config | undefined> {
  if (data !== undefined && config !== undefined)
    throw new UsageError('use either --data or --config, not both');
  return config === undefined ? undefined : loadConfig(config, process.env);
}

/** Checks the names in key settings. The method table is loaded on demand, because loading takes 50 ms. */
async function checkSettings(settings: SettingsChange, config: Config | undefined): Promise<void> {
  const { checkNames, listBuiltinNames, listKnownNames } = await import('./known-names.ts');
  checkNames(settings, config === undefined ? listBuiltinNames() : listKnownNames(config));
}

function findFolder({ data }: Values): { dataDir: string; access: AccessOptions } {
  const dataDir = resolve(data ?? (process.env['PORTCULLIS_DATA_DIR'] || DEFAULT_DATA_DIR));
  return { dataDir, access: accessOptionsSchema.parse(undefined) };
}

/** Formats schema issues with their paths. The text may quote values, because the operator who reads it has entered them. */
function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const texts = issues.map((issue) =>
    issue.path.length === 0 ? describeIssue(issue) : `${issue.path.join('.')}: ${describeIssue(issue)}`,
  );
  return [...new Set(texts)].join('; ');
}

async function create(book: KeyBook, _id: string, values: Values): Promise<number> {
  if (values.name === undefined) throw new UsageError('keys create needs --name NAME');
  const settings = Object.entries(readSettings(values)).filter(([, value]) => value !== undefined);
  const issued = await book.create(values.name, Object.fromEntries(settings), values.secret === true);
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

function toRow({ id, name, createdAt, revokedAt, settings }: KeyRecord): string[] {
  const { expiresAt } = settings;
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const state = revokedAt !== undefined ? 'revoked' : isOver ? 'expired' : 'open';
  return [id, name, state, createdAt, revokedAt ?? '', expiresAt ?? ''];
}

async function show(book: KeyBook, id: string): Promise<number> {
  return report(await book.find(id), id, printRecord);
}

async function update(book: KeyBook, id: string, values: Values): Promise<number> {
  const change = readSettings(values);
  if (Object.keys(change).length === 0) throw new UsageError('keys update needs a setting to change');
  return report(await book.update(id, change), id, printRecord);
}

async function rotate(book: KeyBook, id: string, { grace = '24h' }: Values): Promise<number> {
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
function printRecord({ hashes, settings, ...record }: KeyRecord): void {
  const { secretHash, ...shown } = settings;
  const forms = hashes.map(({ until }) => (until === undefined ? 'current' : `opens until ${until}`));
  const text = {
    ...record,
    keys: forms,
    settings: { ...shown, ...(secretHash !== undefined && { secret: true }) },
  };
  process.stdout.write(`${JSON.stringify(text, null, 2)}\n`);
}

function report<T>(outcome: T | undefined, id: string, print: (outcome: T) => void): number {
  if (outcome === undefined) {
    process.stderr.write(`portcullis: there is no key with the id ${id}\n`);
    return 1;
  }
  print(outcome);
  return 0;
}
