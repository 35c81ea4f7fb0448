/** Priorities of programs that stand for other machines but share the processors with the service. */
import { spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Gives a process a small share of the processors. */
export function lowerPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
}

/** Gives a process only idle processor time; without `chrt` a small share. */
export function giveIdlePriority(pid: number): void {
  lowerPriority(pid);
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
}
