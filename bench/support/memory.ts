import { readFileSync } from 'node:fs';

const KIB = 1024;
const MEGABYTE = 1e6;

/** Resident memory of a process, bytes. Linux only, as /proc is. */
export function readResidentBytes(pid: number): number {
  return readStatus(pid, 'VmRSS');
}

/** The part of it that pages of files are, `node` itself and libraries above all: processes share it. */
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

/** The part that is no page of a file: heaps, stacks, buffers. A store that is mapped adds nothing to it. */
export function readAnonymousMegabytes(pid: number): number {
  return readStatus(pid, 'RssAnon') / MEGABYTE;
}
