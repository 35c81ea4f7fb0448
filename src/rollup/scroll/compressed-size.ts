import type { Zstd } from '@hpcc-js/wasm-zstd';
import { measureWithPlainLiterals } from './frame-size.ts';

/** As Scroll's nodes: level 3, literals uncompressed, no magic number (reth, `compute_compression_ratio`; the same library in geth). */
const LEVEL = 3;

let loading: Promise<Zstd> | undefined;

/** Bytes that Scroll counts for a transaction since Galileo: compressed where that is less. */
export async function findCompressedSize(transaction: Uint8Array): Promise<number> {
  // 240 kB, of which only chains of this family have need.
  loading ??= import('@hpcc-js/wasm-zstd').then((library) => library.Zstd.load());
  const zstd = await loading;
  const frame = zstd.compress(transaction, LEVEL);
  return Math.min(transaction.length, measureWithPlainLiterals(frame, transaction.length));
}
