import { OTHER_KEY, type UsageRow } from '../../util/usage-row.ts';

/** Names a row within its day. Keys and networks have no blanks in their names. */
export function nameRow({ key, network, method }: Pick<UsageRow, 'key' | 'network' | 'method'>): string {
  return `${key} ${network} ${method}`;
}

/** Names the row in which calls are counted if there is no room for a row of their key. */
export function nameOtherRow(row: UsageRow): string {
  return nameRow({ ...row, key: OTHER_KEY });
}

/** Returns the row with this name; undefined if the name or the counts are not those of a row. @param counts calls, refused calls, credits */
export function readRow(name: string, counts: readonly number[]): UsageRow | undefined {
  const [, key, network, method] = /^([^ ]+) ([^ ]+) (.+)$/.exec(name) ?? [];
  const [calls, refused, credits] = counts;
  if (key === undefined || network === undefined || method === undefined) return undefined;
  if (calls === undefined || refused === undefined || credits === undefined) return undefined;
  return { key, network, method, calls, refused, credits };
}
