import type { Target } from '../abuse.ts';
import type { AttackReport } from './seen.ts';

/** Messages to the process of the attackers. */
export type ToAttack =
  | { readonly say: 'begin'; readonly abuse: string; readonly target: Target }
  /** Computes for this share of a processor, and sends nothing. */
  | { readonly say: 'compute'; readonly share: number }
  /** Closes all connections and reports what was seen. */
  | { readonly say: 'end' };

export type FromAttack = 'there' | 'begun' | { readonly failed: string } | AttackReport;
