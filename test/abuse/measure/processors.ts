/** Processor use of programs that have no part in the measurement. Linux only, since it reads /proc. */
import { readFileSync } from 'node:fs';

/** Unit of /proc/stat, the same on every platform that Node.js runs on. */
const TICKS_PER_SECOND = 100;
/** Fields of `cpu` in /proc/stat after its name: user, nice, system, steal. */
const BUSY_FIELDS = [0, 1, 2, 7] as const;
/** Fields of /proc/PID/stat from `state` on, after the name in parentheses: utime, stime, and cutime, cstime of its ended children. */
const OWN_FIELDS = [11, 12, 13, 14] as const;

/** A measurement counts when other programs use fewer processors than this on average: a p99 depends on a hundredth of the time. */
export const CALM_PROCESSORS = 0.1;

/**
 * Starts counting.
 * @param pids of all processes of the measurement
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

/** Starts counting. @returns processors that this process used since, on average */
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

/** Returns 0 when the process has ended. */
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
