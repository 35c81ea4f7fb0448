/** Zstandard (RFC 8878), which Node has from version 22.15 on. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { JsonBytes, PackedBytes } from '../../../packages/ethereum/primitives/json-result.ts';
import { type Coding, MAX_STORED_BYTES } from './coding.ts';

/** Part of `node:zlib` that the types of Node 20 lack. */
type ZstdOptions = {
  readonly params?: Readonly<Record<number, number>>;
  readonly flush?: number;
  readonly finishFlush?: number;
};
type ZstdModule = {
  readonly zstdCompress: (
    bytes: Uint8Array | string,
    options: ZstdOptions,
    callback: (error: Error | null, result: Buffer) => void,
  ) => void;
  readonly createZstdCompress: (options: ZstdOptions) => ReturnType<typeof zlib.createGzip>;
  readonly constants: Readonly<Record<string, number>>;
};

/** Window of 512 KiB. Decoders of responses must accept windows of up to 8 MiB (RFC 9659). */
const WINDOW_LOG = 19;
/** Magic number, a frame header descriptor without any option, and the window descriptor. */
const FRAME_HEAD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (WINDOW_LOG - 10) << 3]);
/** Size of a block header: last block, block type (raw: 0) and size. */
const BLOCK_HEAD_BYTES = 3;
const IS_LAST = 1;
/** Offset of the frame header descriptor behind the magic number. */
const DESCRIPTOR = 4;

/** The coding; undefined if the runtime lacks it. */
export const ZSTD: Coding | undefined = createZstdCoding(zlib as unknown as Partial<ZstdModule>);

function createZstdCoding({
  zstdCompress,
  createZstdCompress,
  constants = {},
}: Partial<ZstdModule>): Coding | undefined {
  if (zstdCompress === undefined || createZstdCompress === undefined) return undefined;
  const compressAsync = promisify(zstdCompress);
  const options = {
    params: {
      [constants['ZSTD_c_compressionLevel'] as number]: 1,
      [constants['ZSTD_c_windowLog'] as number]: WINDOW_LOG,
    },
  };
  const flush = constants['ZSTD_e_flush'] as number;
  return {
    name: 'zstd',
    streamUnits: 3,
    compress: (text) => compressAsync(text, options),
    async pack(bytes) {
      const frame = await compressAsync(bytes, { ...options, finishFlush: flush });
      return { coding: 'zstd', blocks: frame.subarray(findBlocks(frame)), length: bytes.length };
    },
    join({ head, tail }: JsonBytes, { blocks }: PackedBytes) {
      if (Math.max(head.length, tail.length) > MAX_STORED_BYTES) return undefined;
      return [FRAME_HEAD, storeRaw(head, 0), blocks, storeRaw(tail, IS_LAST)];
    },
    createStream: () => createZstdCompress({ ...options, flush }),
  };
}

/** Returns a raw block. Raw blocks change neither the entropy tables nor the repeated offsets of the blocks around them. */
function storeRaw(bytes: Uint8Array, last: number): Uint8Array {
  const block = Buffer.allocUnsafe(BLOCK_HEAD_BYTES + bytes.length);
  block.writeUIntLE((bytes.length << 3) | last, 0, BLOCK_HEAD_BYTES);
  block.set(bytes, BLOCK_HEAD_BYTES);
  return block;
}

/** Returns the offset of the first block of a frame: the size of its header (RFC 8878 3.1.1.1). */
function findBlocks(frame: Uint8Array): number {
  const descriptor = frame[DESCRIPTOR] as number;
  const isSingleSegment = ((descriptor >> 5) & 1) === 1;
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  const dictionaryId = [0, 1, 2, 4][descriptor & 3] as number;
  return DESCRIPTOR + 1 + (isSingleSegment ? 0 : 1) + dictionaryId + contentSize;
}
