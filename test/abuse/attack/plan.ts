import type { Target } from '../abuse.ts';
import type { AttackReport } from './seen.ts';

/** What the process of the attackers is told. */
export type ToAttack =
  | { readonly say: 'begin'; readonly abuse: string; readonly target: Target }
  /** Closes everything, and tells what was seen. */
  | { readonly say: 'end' };

export type FromAttack = 'there' | 'begun' | { readonly failed: string } | AttackReport;
