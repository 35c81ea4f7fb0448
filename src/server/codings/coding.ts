import type { Transform } from 'node:stream';
import type { JsonBytes, PackedBytes } from '../../../packages/ethereum/primitives/json-result.ts';

/** Content coding of responses (RFC 9110 8.4.1). Compressors run on the thread pool. */
export interface Coding {
  readonly name: 'gzip' | 'br' | 'zstd';
  /** Memory of a stream's compressor, in units of about 256 KiB. Measured: gzip 300 KiB, br 600 KiB, zstd 470 KiB. */
  readonly streamUnits: number;
  compress(text: string): Promise<Uint8Array>;
  /** Compresses a value so that `join` can put it into several responses. */
  pack(bytes: Uint8Array): Promise<PackedBytes>;
  /**
   * Encodes a body around its packed value, without compressing anything.
   * @returns undefined if the bytes before or after the value do not fit into one uncompressed block
   */
  join(body: JsonBytes, packed: PackedBytes): readonly Uint8Array[] | undefined;
  /** Creates a compressor that emits each piece at once, because the source may pause after any piece. */
  createStream(): Transform;
}

/** Maximum bytes before or after a packed value: the limit of gzip's stored blocks, and enough for any request id. */
export const MAX_STORED_BYTES = 65_535;
