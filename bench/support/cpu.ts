/** Processors, and their use by processes. Linux only, because it reads /proc. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { delimiter, join } from 'node:path';

/** The measured server's own processor; everything else of a bench stays off it. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** The kernel's USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
/** The smallest measurable difference, seconds; smaller ones are reported as zero. */
export const CPU_RESOLUTION: number = 1 / TICKS_PER_SECOND;
/** Indexes of the fields of /proc/<pid>/stat after the name, which ends with the last parenthesis; index 0 is the state. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12];

const NANOSECONDS = 1e9;
const PROGRAM = 'taskset';

/** Whether processes can be pinned to processors on this machine. */
export const CAN_PIN: boolean =
  cpus().length > Math.max(SERVER_CORE, LOAD_CORE) &&
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, PROGRAM)));

export const NO_PIN_NOTE =
  'there is no taskset, or no second processor: nothing is bound to a processor, ratios are rougher';

/** Returns the words in front of a command that pin it to one processor; none where pinning is not possible. */
export function pinTo(core: number): readonly string[] {
  return CAN_PIN ? [PROGRAM, '-c', String(core)] : [];
}

/** Pins this process, with its threads, and every process that it starts from now on. */
export function pinSelf(core: number): void {
  if (CAN_PIN)
    execFileSync(PROGRAM, ['-a', '-c', '-p', String(core), String(process.pid)], { stdio: 'ignore' });
}

/** Returns user and system time of a process and all its threads so far, seconds. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}

/** Returns the CPU time of a process's present threads, seconds with nanosecond resolution; ended threads are missing. */
export function readThreadSeconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + readScheduled(`${pid}/task/${thread}`).ran,
    0,
  );
}

/** Returns the seconds in which the first thread of a process was runnable while another thread ran. */
export function readWaitSeconds(pid: number): number {
  return readScheduled(`${pid}`).waited;
}

function readScheduled(thread: string): { readonly ran: number; readonly waited: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${thread}/schedstat`, 'latin1').split(' ').map(Number);
  return { ran: ran / NANOSECONDS, waited: waited / NANOSECONDS };
}
