import type { SettingsChange } from '../access/keys/key-settings.ts';
import type { FlagOption, TextOption } from '../service/command-usage.ts';
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

/** Options for the settings of a key. Lists are separated by commas; an empty value removes a setting. */
export const KEY_SETTING_OPTIONS: Readonly<Record<SettingOption, TextOption> & Record<Switch, FlagOption>> = {
  networks: { value: 'LIST', about: 'networks that requests may use' },
  methods: { value: 'LIST', about: 'methods that requests may call' },
  addresses: { value: 'LIST', about: 'contract addresses that requests may name' },
  origins: { value: 'LIST', about: 'values of the Origin header, such as https://*.example.org' },
  'user-agents': { value: 'LIST', about: 'values of the User-Agent header' },
  'no-send': { about: 'the key may not send transactions' },
  send: { about: 'the key may send transactions again (default)' },
  rate: { value: 'N[/BURST]', about: 'calls per second, and the maximum burst (default: no limit)' },
  'daily-credits': { value: 'N', about: 'maximum credits for the calls of a day (default: no limit)' },
  expires: { value: 'TIME', about: 'ISO 8601, or a duration from now such as 90d (default: never)' },
  jwt: { value: 'NAME', about: 'requests must carry a token of this issuer (access.jwt)' },
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
