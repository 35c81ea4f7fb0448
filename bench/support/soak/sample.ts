import { readCpuSeconds, readWaitSeconds } from '../cpu.ts';
import { readAnonymousMegabytes } from '../memory.ts';
import type { Program } from '../proxy/program.ts';

const MEGABYTE = 1e6;
const MS = 1_000;

/** A process uses this much at a moment: megabytes, milliseconds. */
export type Sample = {
  /** Resident memory without pages of files, which a store that is mapped has many of. */
  readonly anonymous: number;
  readonly heap: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly handles: number;
  /** How late the event loop was in the last minute or so. */
  readonly delayP99: number;
  readonly delayMax: number;
  /** Seconds so far: of all its threads, and those in which its main thread could have run while another program did. */
  readonly cpuSeconds: number;
  readonly waitedSeconds: number;
};

export async function takeSample(program: Program): Promise<Sample> {
  const text = await program.readMetrics();
  return {
    anonymous: readAnonymousMegabytes(program.pid),
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

/** @throws Error where the page has no such row */
function readMetric(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  if (line === undefined) throw new Error(`/metrics has no ${name}`);
  return Number(line.slice(name.length + 1));
}
