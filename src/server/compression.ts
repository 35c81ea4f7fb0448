import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { PackedBytes, SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import { limitOf } from '../util/bounds.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { type OwnerShare, SharedBudget } from '../util/shared-budget.ts';
import type { Coding } from './codings/coding.ts';

const gunzipAsync = promisify(gunzip);

/**
 * Maximum number of concurrent compression jobs on the thread pool. The thread pool has four threads: one stays free for files and DNS. One processor
 * stays free for the main thread.
 */
const RUNNING = Math.max(1, Math.min(3, availableParallelism() - 1));
/** Minimum size of an output chunk of a zlib job, bytes; each chunk costs an iteration of the event loop and a buffer. */
const MIN_CHUNK_BYTES = 16 * 1024;
/** Size of the last field of a gzip member, which has the uncompressed length modulo 2^32 (RFC 1952 2.3.1). */
const LENGTH_FIELD_BYTES = 4;
/** Maximum number of jobs that wait for a running slot. */
const WAITING = limitOf('compression.jobs');
/** Maximum wait for a running slot, ms. */
const WAIT_MS = 2_000;
/** Maximum total memory of the compressors of concurrent streams, in units of 256 KiB (`Coding.streamUnits`). */
const STREAM_UNITS = 256;

/** Connection of a client, or a response to the client. When this object is destroyed, its waiting compression jobs are dropped. */
type Client = { readonly destroyed: boolean };

/** Runs all compression and decompression of the server. Few jobs run at a time, scheduled fairly across owners. */
export class Compression {
  readonly #jobs = new FairQueue({ running: RUNNING, waiting: WAITING, waitMs: WAIT_MS });
  readonly #streams: SharedBudget;
  /** Running compressions by coding and value; a value is compressed once for all answers that contain it. */
  readonly #packing = new Map<Coding, Map<SharedBytes, Promise<PackedBytes | undefined>>>();

  constructor(ownerShare: OwnerShare) {
    this.#streams = new SharedBudget(STREAM_UNITS, ownerShare);
  }

  /** Number of running and waiting jobs. */
  get jobs(): number {
    return this.#jobs.running + this.#jobs.waiting;
  }

  /** Compresses a text. @returns undefined if no slot is free in time, or if the client has disconnected */
  compress(coding: Coding, text: string, owner: string, client: Client): Promise<Uint8Array | undefined> {
    return this.#run(owner, client, () => coding.compress(text));
  }

  /**
   * Compresses a value so that it can be part of several answers. The result is cached with the value if there is room.
   * @returns undefined if no slot is free in time, or if the first requesting client has disconnected
   */
  pack(coding: Coding, value: SharedBytes, owner: string, client: Client): Promise<PackedBytes | undefined> {
    const cached = value.findPacked(coding.name);
    if (cached !== undefined) return Promise.resolve(cached);
    let running = this.#packing.get(coding);
    if (running === undefined) {
      running = new Map();
      this.#packing.set(coding, running);
    }
    const packing =
      running.get(value) ?? this.#pack(coding, value, owner, client).finally(() => running.delete(value));
    running.set(value, packing);
    return packing;
  }

  /**
   * Decompresses gzip bytes.
   * @param limit maximum size of the result, bytes
   * @returns undefined if no slot is free in time, or if the client has disconnected
   * @throws the error of Node.js if the bytes are not gzip, or if the result exceeds the limit
   */
  decompress(
    bytes: Uint8Array,
    limit: number,
    owner: string,
    client: Client,
  ): Promise<Uint8Array | undefined> {
    const chunkSize = Math.max(MIN_CHUNK_BYTES, Math.min(limit, readMadeBytes(bytes)) + 1);
    return this.#run(owner, client, async () => {
      const made = await gunzipAsync(bytes, { maxOutputLength: limit, chunkSize });
      // The length field of the gzip trailer may be much larger than the real output. If the output is much shorter than its buffer, it is copied, so
      // that the large buffer is freed.
      return made.length < made.buffer.byteLength / 2 ? Buffer.from(made) : made;
    });
  }

  /** Reserves the memory of a compressed stream; `endStream` releases it. @returns whether there was room */
  takeStream(coding: Coding, owner: string): boolean {
    return this.#streams.tryTake(owner, coding.streamUnits);
  }

  /** Releases a stream that `takeStream` reserved. */
  endStream(coding: Coding, owner: string): void {
    this.#streams.giveBack(owner, coding.streamUnits);
  }

  async #pack(
    coding: Coding,
    value: SharedBytes,
    owner: string,
    client: Client,
  ): Promise<PackedBytes | undefined> {
    const made = await this.#run(owner, client, () => coding.pack(value.bytes));
    if (made === undefined) return undefined;
    const { blocks } = made;
    // zlib's output is a view of a chunk of 16 KiB or more, which the cache would keep without counting it.
    const packed = blocks.length < blocks.buffer.byteLength ? { ...made, blocks: Buffer.from(blocks) } : made;
    value.keepPacked(packed);
    return packed;
  }

  async #run<T>(owner: string, client: Client, job: () => Promise<T>): Promise<T | undefined> {
    const waiter = {
      get aborted(): boolean {
        return client.destroyed;
      },
    };
    if (this.#jobs.hasRoom(owner)) this.#jobs.take(owner);
    else if (!(await this.#jobs.wait(owner, waiter))) return undefined;
    try {
      return await job();
    } finally {
      this.#jobs.leave(owner);
    }
  }
}

/**
 * Returns the uncompressed length from the gzip trailer. If the chunk size is one byte larger than the uncompressed length, zlib returns the output
 * without concatenating chunks.
 */
function readMadeBytes(bytes: Uint8Array): number {
  const { buffer, byteOffset, length } = bytes;
  if (length < LENGTH_FIELD_BYTES) return 0;
  return new DataView(buffer, byteOffset, length).getUint32(length - LENGTH_FIELD_BYTES, true);
}
