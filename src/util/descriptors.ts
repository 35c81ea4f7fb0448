import { readdirSync, readFileSync } from 'node:fs';

/** File descriptors of this process: the maximum number, and the number that is open. */
export type Descriptors = { readonly limit: number; readonly open: number };

const LIMIT = /^Max open files +(\d+) /m;

/** Returns undefined where the system reports no descriptors (only Linux does), or sets no limit. */
export function readDescriptors(): Descriptors | undefined {
  try {
    const [, limit] = LIMIT.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return limit === undefined
      ? undefined
      : { limit: Number(limit), open: readdirSync('/proc/self/fd').length };
  } catch {
    return undefined;
  }
}
