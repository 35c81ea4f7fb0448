/** Resource use of the service's process, from the kernel and from its own metrics. Linux only, since it reads /proc. */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../../support/program.ts';

const WATCH_MS = 20;
const NEW_LINE = 0x0a;

/** Returns the resident size in bytes; NaN when the process has ended. */
export function readResidentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  } catch {
    return Number.NaN;
  }
}

function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** Samples the memory of a process. @returns a function that stops sampling and returns the peak, bytes */
export function watchMemory(pid: number): () => number {
  let peak = readResidentBytes(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, readResidentBytes(pid) || 0);
  }, WATCH_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Resources that an abuse may use up and has to release, by name. */
export type Vitals = Readonly<Record<string, number>>;

/** Gauges of `/metrics` that return to their earlier values. */
const GAUGE =
  /^(portcullis_(?:http_connections|websocket_connections|gateway_bodies_in_flight|engine_queue_depth|engine_heavy_calls_running|\w*(?:unsent|arriving)\w*))(?:\{[^}]*\})? (\S+)$/gm;
const PREFIX = 'portcullis_';

export async function readVitals(program: Program): Promise<Vitals> {
  const text = await program.readMetrics();
  const vitals: Record<string, number> = {};
  for (const [, name = '', value] of text.matchAll(GAUGE)) {
    const key = name.slice(PREFIX.length);
    if (!key.endsWith('_total')) vitals[key] = (vitals[key] ?? 0) + Number(value);
  }
  return { ...vitals, descriptors: countDescriptors(program.pid) };
}

/** Counts the lines of the log from an offset on. @returns `end`, the current length of the log, bytes */
export function countLogLines(
  program: Program,
  from: number,
): { readonly lines: number; readonly end: number } {
  const file = openSync(join(program.folder, 'portcullis.log'), 'r');
  try {
    const end = fstatSync(file).size;
    const bytes = Buffer.alloc(Math.max(0, end - from));
    readSync(file, bytes, 0, bytes.length, from);
    let lines = 0;
    for (const byte of bytes) if (byte === NEW_LINE) lines++;
    return { lines, end };
  } finally {
    closeSync(file);
  }
}
