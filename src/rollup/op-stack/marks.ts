import type { Mark } from '../evidence.ts';
import { contractMark } from '../marks.ts';
import { GAS_PRICE_ORACLE } from './oracle.ts';
import { L1_BLOCK, NUMBER } from './read-info.ts';

/** Predeploys of every chain of the stack. The oracle has 6 decimals on every version of it. */
export const OP_STACK_MARKS: readonly Mark[] = [
  contractMark({
    address: GAS_PRICE_ORACLE,
    selector: '0x313ce567',
    call: 'decimals()',
    word: 6n,
    isNeeded: true,
  }),
  contractMark({ address: L1_BLOCK, selector: NUMBER, call: 'number()', isNeeded: true }),
];
