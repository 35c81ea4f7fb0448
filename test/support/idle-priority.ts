/** Programs that stand for others' machines, where they share the processors with the service. */
import { spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Has a process get a small part of the processors always. */
export function lowerPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
}

/** Has a process get what all others leave, and nothing else. Where there is no `chrt`, a small part. */
export function giveIdlePriority(pid: number): void {
  lowerPriority(pid);
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
}
