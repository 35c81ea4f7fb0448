import { formatCompact, formatCount, formatDate } from '../format.ts';
import type { ChosenSettings, ListedSettings, SettingsPatch } from './wire.ts';

/** Maximum number of entries of a list that a summary shows; the title of the summary has all. */
const MAX_SHOWN = 3;

/** Limit of a key: a short text, and a longer one that has every entry. */
export type LimitText = { readonly text: string; readonly title: string };

/** Describes the limits of a key, the most important one first. */
export function describeLimits(settings: ListedSettings): readonly LimitText[] {
  const { networks, methods, addresses, origins, userAgents, rate, dailyCredits, expiresAt, jwt } = settings;
  const texts: (LimitText | undefined)[] = [
    rate && say(`${formatCount(rate.perSecond)} calls/s`, describeBurst(rate)),
    dailyCredits === undefined
      ? undefined
      : say(`${formatCompact(dailyCredits)} credits/day`, `${formatCount(dailyCredits)} credits per day`),
    networks && say(shorten(networks), `networks: ${networks.join(', ')}`),
    methods && say(shorten(methods), `methods: ${methods.join(', ')}`),
    addresses && say(`${countOf(addresses, 'contract')}`, `contracts: ${addresses.join(', ')}`),
    origins && say(shorten(origins), `origins: ${origins.join(', ')}`),
    userAgents && say(countOf(userAgents, 'user agent'), `user agents: ${userAgents.join(', ')}`),
    settings.send === false ? say('no sending', 'the key may not send transactions') : undefined,
    settings.secret && say('secret', 'requests must carry the secret of the key'),
    jwt === undefined ? undefined : say('token', `requests must carry a token of ${jwt}`),
    expiresAt === undefined
      ? undefined
      : say(`until ${expiresAt.slice(0, 10)}`, `valid until ${formatDate(Date.parse(expiresAt))}`),
  ];
  return texts.filter((text) => text !== undefined);
}

/** Returns the settings that differ, with null for those that are removed. The result is empty if nothing differs. */
export function compareSettings(before: ListedSettings, after: ChosenSettings): SettingsPatch {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<
    keyof ChosenSettings | 'secret'
  >;
  names.delete('secret');
  const changed = ([...names] as (keyof ChosenSettings)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

function say(text: string, title: string): LimitText {
  return { text, title };
}

function describeBurst({ perSecond, burst }: NonNullable<ListedSettings['rate']>): string {
  const after = burst === undefined ? '' : `, and at most ${formatCount(burst)} at once after a pause`;
  return `${perSecond} calls per second${after}`;
}

function shorten(entries: readonly string[]): string {
  const rest = entries.length - MAX_SHOWN;
  return entries.slice(0, MAX_SHOWN).join(', ') + (rest > 0 ? ` +${rest}` : '');
}

function countOf(entries: readonly string[], noun: string): string {
  return `${entries.length} ${noun}${entries.length === 1 ? '' : 's'}`;
}
