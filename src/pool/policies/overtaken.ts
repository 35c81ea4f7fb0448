/** Abort reason of a call when another upstream has answered first. */
export const OVERTAKEN: unique symbol = Symbol('overtaken');
