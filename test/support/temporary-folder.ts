import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tests commit thousands of times; their files need not outlive the machine. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES: number = 2 ** 31;
const TEMPORARY: string = hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MEMORY_BYTES;
}

/** Environment variable: folder where one test run keeps the stores of built-in chains. */
export const STORES_VARIABLE = 'PORTCULLIS_TEST_STORES';

const FOLDER_NAME = 'portcullis-test-';

/**
 * Creates a folder that is removed after the test. Its name contains the process id, so that leftovers of killed processes are
 * distinguishable from folders in use.
 */
export function makeTemporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(TEMPORARY, `${FOLDER_NAME}${process.pid}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Removes the folders of processes that ended without removing them: they occupy memory until a reboot. */
export function removeAbandonedFolders(): void {
  for (const name of readdirSync(TEMPORARY)) {
    const pid = /^portcullis-test-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) removeAbandoned(join(TEMPORARY, name));
  }
}

/** A test of full disks mounts a file system on its folder, which has to be unmounted first. */
function removeAbandoned(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    spawnSync('umount', ['--lazy', path]);
    rmSync(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
