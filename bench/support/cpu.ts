/** Processors and what a process used of them. Linux only, as /proc is. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { delimiter, join } from 'node:path';

/** The measured server's own processor; everything else of a bench keeps off it. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** The kernel's USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
/** The smallest difference that can be measured, seconds: less than this is reported as nothing. */
export const CPU_RESOLUTION: number = 1 / TICKS_PER_SECOND;
/** Fields of /proc/<pid>/stat after the name, which ends with the last parenthesis; they count from the state on. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12];

const NANOSECONDS = 1e9;
const PROGRAM = 'taskset';

/** Whether processes can be bound to processors here. */
export const CAN_PIN: boolean =
  cpus().length > Math.max(SERVER_CORE, LOAD_CORE) &&
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, PROGRAM)));

export const NO_PIN_NOTE =
  'there is no taskset, or no second processor: nothing is bound to a processor, ratios are rougher';

/** Words in front of a command that bind it to one processor; none where that is not possible. */
export function pinTo(core: number): readonly string[] {
  return CAN_PIN ? [PROGRAM, '-c', String(core)] : [];
}

/** Binds this process, with the threads it has, and what it starts from now on. */
export function pinSelf(core: number): void {
  if (CAN_PIN)
    execFileSync(PROGRAM, ['-a', '-c', '-p', String(core), String(process.pid)], { stdio: 'ignore' });
}

/** User and system time of a process and all its threads so far. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}

/** Time of the threads that a process has, to the nanosecond: that of threads that have ended is missing. */
export function readThreadSeconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + readScheduled(`${pid}/task/${thread}`).ran,
    0,
  );
}

/** Seconds in which the first thread of a process could have run while another thread did. */
export function readWaitSeconds(pid: number): number {
  return readScheduled(`${pid}`).waited;
}

function readScheduled(thread: string): { readonly ran: number; readonly waited: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${thread}/schedstat`, 'latin1').split(' ').map(Number);
  return { ran: ran / NANOSECONDS, waited: waited / NANOSECONDS };
}
