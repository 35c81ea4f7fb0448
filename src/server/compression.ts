import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { deflateRaw, gunzip, gzip, constants as zlibConstants } from 'node:zlib';
import type { PackedBytes, SharedBytes } from '../primitives/json-result.ts';
import { limitOf } from '../util/bounds.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { type OwnerShare, SharedBudget } from '../util/shared-budget.ts';
import { describePacked } from './gzip-member.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);
const deflateRawAsync = promisify(deflateRaw);

/**
 * Bodies and answers on the thread pool at a time: one of its four threads stays free for files and names, and one processor for the
 * thread that reads requests.
 */
const RUNNING = Math.max(1, Math.min(3, availableParallelism() - 1));
/** Least output of one job of zlib: a smaller one has a turn of the event loop and a buffer for each of them. */
const MIN_CHUNK_BYTES = 16 * 1024;
/** The last field of a gzip member: the bytes that it makes, modulo 2^32 (RFC 1952 2.3.1). */
const LENGTH_FIELD_BYTES = 4;
/** What may wait for that. */
const WAITING = limitOf('compression.jobs');
/** For at most so long, milliseconds. */
const WAIT_MS = 2_000;
/** Compressed streams at a time; each holds 256 KiB of state until its client has read it. */
const STREAMS = 256;
const GZIP_OPTIONS = { level: zlibConstants.Z_BEST_SPEED };
const PACK_OPTIONS = { ...GZIP_OPTIONS, finishFlush: zlibConstants.Z_SYNC_FLUSH };

/** A client; what it waits for is dropped once it has left. */
type Client = { readonly destroyed: boolean };

/** All gzip of the transports: a few jobs at a time, for which owners take turns. */
export class Compression {
  readonly #jobs = new FairQueue({ running: RUNNING, waiting: WAITING, waitMs: WAIT_MS });
  readonly #streams: SharedBudget;
  /** Values that are being packed: once for all answers that contain them. */
  readonly #packing = new Map<SharedBytes, Promise<PackedBytes | undefined>>();

  constructor(ownerShare: OwnerShare) {
    this.#streams = new SharedBudget(STREAMS, ownerShare);
  }

  /** Jobs that are in work or wait. */
  get jobs(): number {
    return this.#jobs.running + this.#jobs.waiting;
  }

  /** @returns undefined when there is no turn for it in time, or the client has left */
  compress(text: string, owner: string, client: Client): Promise<Uint8Array | undefined> {
    return this.#run(owner, client, () => gzipAsync(text, GZIP_OPTIONS));
  }

  /**
   * A value as a part of compressed answers; kept with it where there is room.
   * @returns undefined when there is no turn for it in time, or the client it began for has left
   */
  pack(value: SharedBytes, owner: string, client: Client): Promise<PackedBytes | undefined> {
    if (value.packed !== undefined) return Promise.resolve(value.packed);
    const running = this.#packing.get(value);
    if (running !== undefined) return running;
    const packing = this.#pack(value, owner, client).finally(() => this.#packing.delete(value));
    this.#packing.set(value, packing);
    return packing;
  }

  /**
   * @param limit of the result, bytes
   * @returns undefined when there is no turn for it in time, or the client has left
   * @throws node's error where the bytes are no gzip, or the result exceeds the limit
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
      // A length that says more than comes is not to hold the memory for it.
      return made.length < made.buffer.byteLength / 2 ? Buffer.from(made) : made;
    });
  }

  /** Whether another stream may be compressed; `endStream` ends that. */
  takeStream(owner: string): boolean {
    return this.#streams.tryTake(owner, 1);
  }

  endStream(owner: string): void {
    this.#streams.giveBack(owner, 1);
  }

  async #pack(value: SharedBytes, owner: string, client: Client): Promise<PackedBytes | undefined> {
    const blocks = await this.#run(owner, client, () => deflateRawAsync(value.bytes, PACK_OPTIONS));
    if (blocks === undefined) return undefined;
    const packed = describePacked(value.bytes, blocks);
    value.keepPacked(packed);
    return packed;
  }

  async #run(owner: string, client: Client, job: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
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

/** As the bytes say: with this much room and one byte, all that they make comes in one piece, which nothing has to put together. */
function readMadeBytes(bytes: Uint8Array): number {
  const { buffer, byteOffset, length } = bytes;
  if (length < LENGTH_FIELD_BYTES) return 0;
  return new DataView(buffer, byteOffset, length).getUint32(length - LENGTH_FIELD_BYTES, true);
}
