import type { SettingsChange } from '../access/keys/key-book.ts';
import { UsageError } from '../service/usage.ts';
import { parseDuration } from '../util/duration.ts';

type SettingOption =
  | 'networks'
  | 'methods'
  | 'addresses'
  | 'origins'
  | 'user-agents'
  | 'rate'
  | 'daily-credits'
  | 'expires'
  | 'jwt';

/** Options without a value. */
type Switch = 'send' | 'no-send';

type Text = { readonly type: 'string' };
type Flag = { readonly type: 'boolean' };
const TEXT: Text = { type: 'string' };

/** Command line options for the settings of a key. */
export const KEY_SETTING_OPTIONS: Readonly<Record<SettingOption, Text> & Record<Switch, Flag>> = {
  networks: TEXT,
  methods: TEXT,
  addresses: TEXT,
  origins: TEXT,
  'user-agents': TEXT,
  rate: TEXT,
  'daily-credits': TEXT,
  expires: TEXT,
  jwt: TEXT,
  send: { type: 'boolean' },
  'no-send': { type: 'boolean' },
};

type TextOptions = { readonly [K in SettingOption]?: string | undefined };
type Options = TextOptions & { readonly [K in Switch]?: boolean | undefined };

/**
 * Parses options into settings of a key. Only the form of the values is checked. An empty value resets a setting. @throws UsageError for a malformed
 * option
 */
export function readSettings(options: Options): SettingsChange {
  const readers: Readonly<Record<keyof TextOptions, (value: string) => SettingsChange>> = {
    networks: (value) => ({ networks: readList('networks', value) }),
    methods: (value) => ({ methods: readList('methods', value) }),
    addresses: (value) => ({ addresses: readList('addresses', value) }),
    origins: (value) => ({ origins: readList('origins', value) }),
    'user-agents': (value) => ({ userAgents: readList('user-agents', value) }),
    rate: (value) => ({ rate: readRate(value) }),
    'daily-credits': (value) => ({ dailyCredits: value === '' ? undefined : Number(value) }),
    expires: (value) => ({ expiresAt: readTime(value) }),
    jwt: (value) => ({ jwt: value === '' ? undefined : value }),
  };
  const names = Object.keys(readers) as (keyof TextOptions)[];
  return Object.assign(
    readSend(options),
    ...names.map((name) => {
      const value = options[name];
      return value === undefined ? {} : readers[name](value);
    }),
  );
}

/** Reads --send and --no-send. Keys may send transactions by default, so --send only removes the setting. */
function readSend({ send = false, 'no-send': noSend = false }: Options): SettingsChange {
  if (send && noSend) throw new UsageError('use either --send or --no-send, not both');
  if (noSend) return { send: false };
  return send ? { send: undefined } : {};
}

function readList(option: string, value: string): string[] | undefined {
  if (value === '') return undefined;
  const entries = value.split(',').map((entry) => entry.trim());
  if (entries.includes('')) throw new UsageError(`--${option} has an empty entry: remove the extra comma`);
  return entries;
}

function readRate(value: string): SettingsChange['rate'] {
  if (value === '') return undefined;
  const [, perSecond, burst] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(value) ?? [];
  if (perSecond === undefined)
    throw new UsageError('--rate takes calls per second and a burst, such as 50/100');
  return { perSecond: Number(perSecond), burst: Number(burst ?? Math.max(1, Math.ceil(Number(perSecond)))) };
}

function readTime(value: string): string | undefined {
  if (value === '') return undefined;
  const time = /^[\d.]+[a-z]+$/.test(value) ? Date.now() + readDuration('expires', value) : Date.parse(value);
  if (!Number.isFinite(time))
    throw new UsageError('--expires takes a time in ISO 8601 or a duration such as 90d');
  return new Date(time).toISOString();
}

/** Parses a duration into milliseconds. @throws UsageError if the text is malformed */
export function readDuration(option: string, value: string): number {
  try {
    return parseDuration(value);
  } catch {
    throw new UsageError(`--${option} takes a duration such as 24h or 90d`);
  }
}
