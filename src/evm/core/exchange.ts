/** Fields of the exchange region: what the host writes before a run, and reads after it. Words unless a size is given. */
import { EXCHANGE } from './layout.ts';

/** The block that code sees. */
export const BLOCK_NUMBER: usize = EXCHANGE;
export const BLOCK_TIMESTAMP: usize = EXCHANGE + 32;
export const BLOCK_BENEFICIARY: usize = EXCHANGE + 64;
export const BLOCK_GAS_LIMIT: usize = EXCHANGE + 96;
/** Difficulty, and since the merge prevRandao (EIP-4399). */
export const BLOCK_RANDOM: usize = EXCHANGE + 128;
export const BLOCK_BASE_FEE: usize = EXCHANGE + 160;
export const BLOCK_BLOB_BASE_FEE: usize = EXCHANGE + 192;
export const CHAIN_ID: usize = EXCHANGE + 224;

/** The transaction. */
export const ORIGIN: usize = EXCHANGE + 256;
export const GAS_PRICE: usize = EXCHANGE + 288;

/** The message to run. */
export const CALLER: usize = EXCHANGE + 320;
export const TARGET: usize = EXCHANGE + 352;
export const VALUE: usize = EXCHANGE + 384;

/** What a run needs next, or arguments and results of single questions. */
export const REQUEST_ADDRESS: usize = EXCHANGE + 416;
export const REQUEST_KEY: usize = EXCHANGE + 448;
/** Two words that the host hands in or reads: balance, storage value, code hash. */
export const WORD_A: usize = EXCHANGE + 480;
export const WORD_B: usize = EXCHANGE + 512;

/** Number of the transaction's blobs (4 bytes). */
export const BLOB_COUNT: usize = EXCHANGE + 544;

/** The last 256 block hashes that were asked for: number + 1 (8), hash (32), each 40 bytes. */
export const BLOCK_HASHES: usize = EXCHANGE + 1024;


/** Hashes of the transaction's blobs (EIP-4844), big-endian, 32 bytes each. */
export const BLOB_HASHES: usize = EXCHANGE + 16384;
export const MAX_BLOB_HASHES: u32 = 1024;
