/** Where @ethereumjs/vm 10.1.3 and the engine differ, and are left so: one row each. */
import type { KnownDifference } from './block-oracle.ts';

export const ETHEREUMJS_DIFFERENCES: readonly KnownDifference[] = [];
