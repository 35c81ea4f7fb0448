/**
 * Cost and savings of verification for the program as a user starts it, two instances interleaved. PARTS (`reads;calls`) chooses: `reads` of blocks
 * with `verify: auto` and `off` (ROUNDS (5), ROUND_MS (1200), ONLY); `calls` executed here and by the node (`support/verified/calls.ts`).
 */
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf } from './support/cpu.ts';
import { concludeWith, type Figure } from './support/figures.ts';
import { measureCalls } from './support/verified/calls.ts';
import { measureReads } from './support/verified/reads.ts';

const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  reads: measureReads,
  calls: measureCalls,
};

if (!CAN_PIN) console.error(NO_PIN_NOTE);
pinSelf(LOAD_CORE);
const figures: Figure[] = [];
for (const name of (process.env['PARTS'] ?? 'reads;calls').split(';')) {
  const measure = PARTS[name];
  if (measure === undefined) throw new Error(`PARTS: ${name} is none of ${Object.keys(PARTS).join(', ')}`);
  figures.push(...(await measure()));
}
concludeWith(figures);
