import { readCpuSeconds, readWaitSeconds } from '../cpu.ts';
import { type MemoryParts, readAnonymousMegabytes, readMemoryParts } from '../memory.ts';
import type { Program } from '../proxy/program.ts';

const MEGABYTE = 1e6;
const MS = 1_000;

/** Resource use of a process at one moment: megabytes, milliseconds. */
export type Sample = {
  /** Resident memory without file pages, of which a memory-mapped store has many. */
  readonly anonymous: number;
  readonly parts: MemoryParts;
  readonly heap: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly handles: number;
  /** Delay of the event loop in about the last minute. */
  readonly delayP99: number;
  readonly delayMax: number;
  /** Seconds so far: CPU of all threads, and time in which the main thread was runnable while another program ran. */
  readonly cpuSeconds: number;
  readonly waitedSeconds: number;
};

export async function takeSample(program: Program): Promise<Sample> {
  const text = await program.readMetrics();
  return {
    anonymous: readAnonymousMegabytes(program.pid),
    parts: readMemoryParts(program.pid),
    heap: readMetric(text, 'portcullis_process_heap_bytes') / MEGABYTE,
    external: readMetric(text, 'portcullis_process_external_bytes') / MEGABYTE,
    arrayBuffers: readMetric(text, 'portcullis_process_array_buffer_bytes') / MEGABYTE,
    handles: readMetric(text, 'portcullis_process_handles'),
    delayP99: MS * readMetric(text, 'portcullis_event_loop_delay_seconds{percentile="99"}'),
    delayMax: MS * readMetric(text, 'portcullis_event_loop_delay_seconds{percentile="100"}'),
    cpuSeconds: readCpuSeconds(program.pid),
    waitedSeconds: readWaitSeconds(program.pid),
  };
}

/** @throws Error where `/metrics` has no such row */
function readMetric(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  if (line === undefined) throw new Error(`/metrics has no ${name}`);
  return Number(line.slice(name.length + 1));
}
