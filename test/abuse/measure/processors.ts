/** How much of the processors is used by programs that have no part in the measurement. Linux only, as /proc is. */
import { readFileSync } from 'node:fs';

/** Of /proc/stat, as it is on every platform that node runs on. */
const TICKS_PER_SECOND = 100;
/** Fields of `cpu` in /proc/stat behind its name: user, nice, system, and time that another machine took. */
const BUSY_FIELDS = [0, 1, 2, 7] as const;
/** Behind the name in parentheses in /proc/PID/stat, from `state` on: user, system, and those of its children that have ended. */
const OWN_FIELDS = [11, 12, 13, 14] as const;

/** Processors that others use, on average, below which a measurement counts: a hundredth of it decides about a p99. */
export const CALM_PROCESSORS = 0.1;

/**
 * Counts from now on.
 * @param pids of all that belongs to the measurement
 * @returns processors that other programs used since, on average
 */
export function watchProcessors(pids: readonly number[]): () => number {
  const startedAt = performance.now();
  const before = readForeignTicks(pids);
  return () => {
    const seconds = (performance.now() - startedAt) / 1_000;
    return Math.max(0, readForeignTicks(pids) - before) / TICKS_PER_SECOND / seconds;
  };
}

/** Counts from now on. @returns processors that this process used since, on average */
export function watchProcess(pid: number): () => number {
  const startedAt = performance.now();
  const before = readOwnTicks(pid);
  return () => {
    const seconds = (performance.now() - startedAt) / 1_000;
    return Math.max(0, readOwnTicks(pid) - before) / TICKS_PER_SECOND / seconds;
  };
}

function readForeignTicks(pids: readonly number[]): number {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const own = pids.reduce((sum, pid) => sum + readOwnTicks(pid), 0);
  return addFields(all.split(/\s+/).slice(1), BUSY_FIELDS) - own;
}

/** 0 when the process has ended. */
function readOwnTicks(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return addFields(text.slice(text.lastIndexOf(')') + 2).split(' '), OWN_FIELDS);
  } catch {
    return 0;
  }
}

function addFields(values: readonly string[], fields: readonly number[]): number {
  return fields.reduce((sum, field) => sum + Number(values[field] ?? 0), 0);
}
