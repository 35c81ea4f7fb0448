/** Why a call was given up: another upstream answered first. The reason of a cancelled scope. */
export const OVERTAKEN: unique symbol = Symbol('overtaken');
