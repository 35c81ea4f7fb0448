/** Abort reason of a call that lost the race: another upstream answered first. */
export const OVERTAKEN: unique symbol = Symbol('overtaken');
