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

/** Anonymous resident memory by what it is for, megabytes. */
export type MemoryParts = {
  /** Pages of V8's heap, with the unused part of them. */
  readonly heapPages: number;
  /** Machine code that V8 made. */
  readonly code: number;
  /** Memories of WebAssembly: mappings of 64 MiB and more. */
  readonly wasm: number;
  /** malloc, array buffers and stacks. */
  readonly native: number;
};

/** V8 maps its heap in pages of this size, and longer ones for large objects, which count as native here. */
const HEAP_PAGE = 256 * KIB;
const WASM_MAPPING = 64 * 1024 * KIB;
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)$/;

/** Reads the mappings of a process. Linux only; it takes some milliseconds, in which the process cannot map memory. */
export function readMemoryParts(pid: number): MemoryParts {
  const parts = { heapPages: 0, code: 0, wasm: 0, native: 0 };
  let part: keyof MemoryParts = 'native';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'latin1').split('\n')) {
    const mapping = MAPPING.exec(line);
    if (mapping !== null) {
      const [, from, to, rights = '', name] = mapping;
      const size = Number(`0x${to}`) - Number(`0x${from}`);
      if (name !== '') part = 'native';
      else if (rights.includes('x')) part = 'code';
      else if (size >= WASM_MAPPING) part = 'wasm';
      else part = size === HEAP_PAGE ? 'heapPages' : 'native';
    } else if (line.startsWith('Anonymous:')) {
      parts[part] += (Number(line.slice('Anonymous:'.length, -' kB'.length)) * KIB) / MEGABYTE;
    }
  }
  return parts;
}
