import * as z from 'zod';
import { findOperator } from '../endpoint.ts';
import type { UpstreamOptions } from '../options.ts';

/**
 * `agreement:` of a network. How many of the configured operators must say the same before it is believed; `bridge` is the preset for programs that move
 * money by what they read, see `countVoices`.
 */
export type AgreementOptions = 'bridge' | { readonly voices: number };

export const agreementSchema: z.ZodType<AgreementOptions> = z.union(
  [z.literal('bridge'), z.strictObject({ voices: z.int().min(1).max(100) })],
  'expected bridge, or voices: the number of operators that must say the same',
);

/** Operators that `bridge` needs at least: one alone agrees with itself only. */
export const MIN_BRIDGE_OPERATORS = 2;
/** From so many operators on `bridge` does without one of them. With three, two that were replaced together would be all but one. */
const SPARES_ONE_FROM = 4;

/** How many operators must say the same, of so many that are configured. */
export function countVoices(agreement: AgreementOptions, operators: number): number {
  if (agreement !== 'bridge') return agreement.voices;
  return operators < SPARES_ONE_FROM ? Math.max(operators, MIN_BRIDGE_OPERATORS) : operators - 1;
}

/** Operators of the nodes of a network, whatever the number of their nodes. */
export function countConfiguredOperators(upstreams: readonly UpstreamOptions[]): number {
  return new Set(upstreams.map(findOperator)).size;
}
