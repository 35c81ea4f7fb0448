import { readFileSync } from 'node:fs';

const KIB = 1024;
const MEGABYTE = 1e6;

/** Returns the resident memory of a process, bytes. Linux only, because it reads /proc. */
export function readResidentBytes(pid: number): number {
  return readStatus(pid, 'VmRSS');
}

/** Returns the resident file pages, `node` itself and libraries above all, which processes share. */
export function readFileMegabytes(pid: number): number {
  return readStatus(pid, 'RssFile') / MEGABYTE;
}

function readStatus(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  if (line === null) throw new Error(`the process has no ${name}`);
  return Number(line[1]) * KIB;
}

export function readResidentMegabytes(pid: number): number {
  return readResidentBytes(pid) / MEGABYTE;
}

/** Returns the resident memory without file pages: heaps, stacks, buffers. A memory-mapped store adds nothing to it. */
export function readAnonymousMegabytes(pid: number): number {
  return readStatus(pid, 'RssAnon') / MEGABYTE;
}
