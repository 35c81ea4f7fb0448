/** Why a call was given up: another upstream answered first. The reason of an AbortSignal. */
export const OVERTAKEN: unique symbol = Symbol('overtaken');
