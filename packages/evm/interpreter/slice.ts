/** Work per slice, in gas, at about one nanosecond each. */

/** Gas that cannot run out within a slice: for executions that need not yield. */
export const WHOLE_SLICE: bigint = 2n ** 62n;
/**
 * Work of the host, which counts against the slice too: per read of the underlying state, per byte of code that is read and decoded, and
 * as a factor on the price of a precompile (2 to 50 ns per gas).
 */
export const READ_GAS = 4_000n;
export const CODE_BYTE_GAS = 5n;
export const PRECOMPILE_FACTOR = 40n;
/** A precompile above this price (0.5 ms and more) runs in steps, and the message pauses before it. */
export const LONG_STEP_GAS = 30_000;
