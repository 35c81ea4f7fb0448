/** Maximum work per slice, in gas. One gas takes about one nanosecond. */

/** Slice whose gas cannot run out, for executions that need not yield. */
export const WHOLE_SLICE: bigint = 2n ** 62n;
/**
 * Gas prices of the host's work, which are subtracted from the slice: gas per read of the underlying state, and gas per byte of code that is read and
 * decoded. The price of a precompile is multiplied by the factor, since a precompile takes 2 to 50 ns per gas.
 */
export const READ_GAS = 4_000n;
export const CODE_BYTE_GAS = 5n;
export const PRECOMPILE_FACTOR = 40n;
/**
 * Price above which a precompile runs in steps, gas. A precompile above this price takes 0.5 ms or more, so the message pauses before the precompile
 * runs.
 */
export const LONG_STEP_GAS = 30_000;
