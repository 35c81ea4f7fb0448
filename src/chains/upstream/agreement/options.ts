import * as z from 'zod';
import { findOperator } from '../../../pool/endpoint.ts';
import type { UpstreamOptions } from '../../../pool/options.ts';

/**
 * `agreement:` of a network: the number of configured operators that must return the same answer. `bridge` is the preset for programs that move money by what
 * they read, see `countVoices`.
 */
export type AgreementOptions = 'bridge' | { readonly voices: number };

export const agreementSchema: z.ZodType<AgreementOptions> = z.union(
  [z.literal('bridge'), z.strictObject({ voices: z.int().min(1).max(100) })],
  'expected bridge, or voices: the number of operators that must give the same answer',
);

/** Minimum number of operators for `bridge`: a single one agrees with itself only. */
export const MIN_BRIDGE_OPERATORS = 2;
/** From this number of operators on, `bridge` tolerates one missing. With three, two operators replaced together would be all but one. */
const SPARES_ONE_FROM = 4;

/** Number of operators that must return the same, for a number of configured operators. */
export function countVoices(agreement: AgreementOptions, operators: number): number {
  if (agreement !== 'bridge') return agreement.voices;
  return operators < SPARES_ONE_FROM ? Math.max(operators, MIN_BRIDGE_OPERATORS) : operators - 1;
}

/** Number of distinct operators of the nodes of a network. */
export function countConfiguredOperators(upstreams: readonly UpstreamOptions[]): number {
  return new Set(upstreams.map(findOperator)).size;
}
