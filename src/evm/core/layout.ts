/**
 * Where everything lies in linear memory. Regions never move; pages that nobody touched cost nothing. Words are 32
 * bytes, four little-endian 64-bit limbs, lowest first; addresses are words too (their upper 12 bytes are zero).
 */

const MiB: u32 = 1 << 20;

/** What host and core tell each other; its fields are named in `exchange`. */
export const EXCHANGE: usize = MiB;
const EXCHANGE_SIZE: u32 = 64 << 10;

/** Frames of the call stack: EIP-150's 1,024 and the top one. */
export const FRAMES: usize = EXCHANGE + EXCHANGE_SIZE;
export const MAX_DEPTH: u32 = 1024;
export const FRAME_SIZE: u32 = 256;
const FRAMES_SIZE: u32 = 512 << 10;

/** Per opcode and revision: see `opcodes`. Written by the host from its opcode table. */
export const OPCODES: usize = FRAMES + FRAMES_SIZE;
const OPCODES_SIZE: u32 = 64 << 10;

/** Places for hashes of 64 bytes, 96 bytes each: see `pair-hashes`. Their number is a power of two. */
export const PAIR_HASHES: usize = OPCODES + OPCODES_SIZE;
export const PAIR_HASHES_BITS: u32 = 11;

/** Open-addressing tables of 32-bit pointers to entries. Their sizes are powers of two. */
export const ACCOUNT_INDEX: usize = 2 * MiB;
export const ACCOUNT_INDEX_SIZE: u32 = 1 << 18;
export const SLOT_INDEX: usize = ACCOUNT_INDEX + (ACCOUNT_INDEX_SIZE << 2);
export const SLOT_INDEX_SIZE: u32 = 1 << 22;
export const CODE_INDEX: usize = SLOT_INDEX + (SLOT_INDEX_SIZE << 2);
export const CODE_INDEX_SIZE: u32 = 1 << 16;

/**
 * The entries themselves; at most half of an index's places are taken. A transaction of 200 million gas finds room for all
 * slots (TSTORE: 100 gas each) and undo steps that it can pay for.
 */
export const ACCOUNTS: usize = 20 * MiB;
export const ACCOUNTS_END: usize = ACCOUNTS + 24 * MiB;
export const SLOTS: usize = ACCOUNTS_END;
export const SLOTS_END: usize = SLOTS + 256 * MiB;
export const CODES: usize = SLOTS_END;
export const CODES_END: usize = CODES + 64 * MiB;

/** One stack under the other: a frame's begins where its caller's ends. */
export const STACKS: usize = CODES_END;
export const STACK_LIMIT: u32 = 1024;
export const STACKS_END: usize = STACKS + 34 * MiB;

/** Undo steps of the running transaction. */
export const JOURNAL: usize = STACKS_END;
export const JOURNAL_END: usize = JOURNAL + 128 * MiB;

/** Logs of the running transaction. */
export const LOGS: usize = JOURNAL_END;
export const LOGS_END: usize = LOGS + 32 * MiB;

/** Pointers to accounts and slots that differ from the state below, and to accounts that a transaction touched. */
export const DIRTY: usize = LOGS_END;
export const DIRTY_END: usize = DIRTY + 4 * MiB;
export const TOUCHED: usize = DIRTY_END;
export const TOUCHED_END: usize = TOUCHED + 4 * MiB;

/** Return data of the last call. */
export const RETURN_DATA: usize = TOUCHED_END;
export const RETURN_DATA_END: usize = RETURN_DATA + 32 * MiB;

/** One block decoded instruction by instruction, to find out which one fails. */
export const EXACT: usize = RETURN_DATA_END;
export const EXACT_END: usize = EXACT + 2 * MiB;

/** Input of the message, then the frames' memories, one behind the other. It reaches to the end of linear memory. */
export const ARENA: usize = EXACT_END;

/** Bytes behind a region that stay free, so that reading a whole word at its end stays inside. */
export const SLACK: u32 = 64;
