/** How frames end, and why a run returns to the host. The host's counterparts are in `evm/status.ts`. */

export const SUCCESS: i32 = 0;
export const REVERT: i32 = 1;
/** Halts: exceptional ends that consume all gas of their frame. */
export const OUT_OF_GAS: i32 = 2;
export const STACK_UNDERFLOW: i32 = 3;
export const STACK_OVERFLOW: i32 = 4;
export const INVALID_OPCODE: i32 = 5;
export const INVALID_JUMP: i32 = 6;
export const WRITE_PROTECTION: i32 = 7;
export const RETURN_DATA_OUT_OF_BOUNDS: i32 = 8;
export const CODE_STORE_OUT_OF_GAS: i32 = 9;
export const MAX_CODE_SIZE: i32 = 10;
export const MAX_INIT_CODE_SIZE: i32 = 11;
export const INVALID_CODE: i32 = 12;
export const ADDRESS_COLLISION: i32 = 13;
/** Refusals before the first instruction, which give all gas back to a caller that is a contract. */
export const INSUFFICIENT_BALANCE: i32 = 14;
export const CALL_DEPTH: i32 = 15;
export const NONCE_OVERFLOW: i32 = 16;
export const PRECOMPILE_FAILED: i32 = 17;
/** A limit of ours, not of the EVM: some region is full. */
export const MEMORY_LIMIT: i32 = 18;
export const GAS_OVERFLOW: i32 = 19;
/** Out of gas as well, with what geth adds: the price of memory, or the gas for a callee before EIP-150, exceeds 64 bits. */
export const PRICE_OVERFLOW: i32 = 20;
/** What a call or SELFDESTRUCT costs beside its static gas was not there. */
export const OUT_OF_CALL_GAS: i32 = 21;
export const REENTRANCY_SENTRY: i32 = 22;

/** Reasons for which a run returns. */
export const DONE: i32 = 0;
/** The gas slice is used; nothing is needed. */
export const SLICE_USED: i32 = 1;
export const NEEDS_ACCOUNT: i32 = 2;
export const NEEDS_SLOT: i32 = 3;
export const NEEDS_CODE: i32 = 4;
export const NEEDS_BLOCK_HASH: i32 = 5;
export const NEEDS_PRECOMPILE: i32 = 6;
/** Within the core only: a piece of work between two instructions is left (see `pending-work`). The host hears SLICE_USED. */
export const WORK_LEFT: i32 = 7;

/** What an instruction's body gives back instead of gas. */
export const BODY_HALTS: i64 = -1;
/** The frame changed: pointer, stack and gas are to be read anew. */
export const BODY_SWITCHES: i64 = -2;
/** Something is missing: the instruction begins anew after the host supplied it. */
export const BODY_NEEDS: i64 = -3;
