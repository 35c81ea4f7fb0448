/** How much of a message is done in one slice, in gas at a nanosecond each. */

/** Gas that cannot run out within a slice: for executions that need not yield to others. */
export const WHOLE_SLICE: bigint = 2n ** 62n;
/**
 * What the host does for a message counts against its slice as well: a read of the state below, a byte of code that is read and
 * decoded, a precompile by its price (2 to 50 ns for each of its gas).
 */
export const READ_GAS = 4_000n;
export const CODE_BYTE_GAS = 5n;
export const PRECOMPILE_FACTOR = 40n;
/** A precompile that costs more than this (0.5 ms and more) is run in pieces, and the message pauses before it. */
export const LONG_STEP_GAS = 30_000;
