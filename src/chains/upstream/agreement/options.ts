import * as z from 'zod';
import { findOperator } from '../../../pool/endpoint.ts';
import type { UpstreamOptions } from '../../../pool/options.ts';

/**
 * `agreement:` of a network: the number of configured operators that must return the same answer. `bridge` is the preset for programs that move money
 * based on the data they read; see `countVoices`.
 */
export type AgreementOptions = 'bridge' | { readonly voices: number };

export const agreementSchema: z.ZodType<AgreementOptions> = z.union(
  [z.literal('bridge'), z.strictObject({ voices: z.int().min(1).max(100) })],
  'expected bridge, or voices: the number of operators that must give the same answer',
);

/** Minimum number of operators for `bridge`: a single operator agrees only with itself. */
export const MIN_BRIDGE_OPERATORS = 2;
/** From this number of operators on, `bridge` tolerates one missing operator. With three, two operators that are replaced together would suffice. */
const SPARES_ONE_FROM = 4;

/** Returns the number of operators that must return the same answer. */
export function countVoices(agreement: AgreementOptions, operators: number): number {
  if (agreement !== 'bridge') return agreement.voices;
  return operators < SPARES_ONE_FROM ? Math.max(operators, MIN_BRIDGE_OPERATORS) : operators - 1;
}

/** Counts the distinct operators of a network's nodes. */
export function countConfiguredOperators(upstreams: readonly UpstreamOptions[]): number {
  return new Set(upstreams.map(findOperator)).size;
}
