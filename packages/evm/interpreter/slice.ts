/** Maximum work per slice, in gas. One gas takes about one nanosecond. */

/** Slice whose gas cannot run out, for executions that need not yield. */
export const WHOLE_SLICE: bigint = 2n ** 62n;
/**
 * Prices of the host's work, which also counts against the slice: gas per read of the underlying state, gas per byte of code that is read and
 * decoded, and a factor on the price of a precompile (2 to 50 ns per gas).
 */
export const READ_GAS = 4_000n;
export const CODE_BYTE_GAS = 5n;
export const PRECOMPILE_FACTOR = 40n;
/** Price above which a precompile runs in steps, gas. A more expensive precompile takes 0.5 ms or more, and the message pauses before it. */
export const LONG_STEP_GAS = 30_000;
