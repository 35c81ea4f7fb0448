/** Addresses in the core's memory that the host writes and reads itself; the core's own list is core/layout and core/exchange. */

const EXCHANGE = 1 << 20;

/** Words of the exchange region, 32 bytes each, in their order. */
const WORDS = [
  'blockNumber',
  'blockTimestamp',
  'blockBeneficiary',
  'blockGasLimit',
  'blockRandom',
  'blockBaseFee',
  'blockBlobBaseFee',
  'chainId',
  'origin',
  'gasPrice',
  'caller',
  'target',
  'value',
  'requestAddress',
  'requestKey',
  'wordA',
  'wordB',
] as const;

/** Addresses of those words. */
export const EXCHANGE_WORDS: Readonly<Record<(typeof WORDS)[number], number>> = Object.fromEntries(
  WORDS.map((name, i) => [name, EXCHANGE + 32 * i]),
) as Record<(typeof WORDS)[number], number>;

/** Number of blob hashes (4 bytes), and the hashes, 32 big-endian bytes each. */
export const BLOB_COUNT: number = EXCHANGE + 544;
export const BLOB_HASHES: number = EXCHANGE + 16_384;
export const MAX_BLOB_HASHES = 1_024;

/** Per opcode: static gas (4), inputs (1), outputs (1), flags (1), unused (1). */
export const OPCODE_FACTS: number = EXCHANGE + (64 << 10) + (512 << 10);
export const OPCODE_FLAGS = { isDefined: 1, endsBlock: 2, endsPath: 4 } as const;

const MiB = 1 << 20;
/** Where messages' input and memory begin. The region reaches to the end of the module's memory. */
export const ARENA: number = (20 + 24 + 256 + 64 + 34 + 128 + 32 + 4 + 4 + 32 + 2) * MiB;
/** Fields of a changed slot. */
export const SLOT_KEY = 0;
export const SLOT_VALUE = 32;
