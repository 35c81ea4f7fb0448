import type { Target } from '../abuse.ts';
import type { AttackReport } from './seen.ts';

/** The plan for the process of the attackers. */
export type ToAttack =
  | { readonly say: 'begin'; readonly abuse: string; readonly target: Target }
  /** Computes for this share of a processor, and sends nothing. */
  | { readonly say: 'compute'; readonly share: number }
  /** Closes everything, and reports what was seen. */
  | { readonly say: 'end' };

export type FromAttack = 'there' | 'begun' | { readonly failed: string } | AttackReport;
