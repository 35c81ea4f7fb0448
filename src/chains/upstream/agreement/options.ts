import * as z from 'zod';
import { findOperator } from '../../../pool/endpoint.ts';
import type { UpstreamOptions } from '../../../pool/options.ts';
import { option } from '../../../util/option.ts';

/**
 * Option `agreement:` of a network: `voices` is the number of configured operators that must return the same answer. `bridge` is a preset
 * (`countVoices`) for programs that move money based on the answers.
 */
export type AgreementOptions = 'bridge' | { readonly voices: number };

export const agreementSchema: z.ZodType<AgreementOptions> = z.union(
  [
    z.literal('bridge'),
    z.strictObject({
      voices: option(
        'Number of configured operators that must return the same answer.',
        z.int().min(1).max(100),
      ),
    }),
  ],
  'expected bridge, or voices: the number of operators that must give the same answer',
);

/** Minimum number of operators for `bridge`, because the agreement of a single operator proves nothing. */
export const MIN_BRIDGE_OPERATORS = 2;
/**
 * From this number of operators on, `bridge` tolerates one missing operator. If `bridge` tolerated one missing of three, two compromised operators
 * would suffice for a false answer.
 */
const SPARES_ONE_FROM = 4;

/**
 * Returns the number of operators that must return the same answer. For `bridge`: all of up to three operators (at least two), otherwise all but one.
 */
export function countVoices(agreement: AgreementOptions, operators: number): number {
  if (agreement !== 'bridge') return agreement.voices;
  return operators < SPARES_ONE_FROM ? Math.max(operators, MIN_BRIDGE_OPERATORS) : operators - 1;
}

/** Counts the distinct operators of a network's nodes. */
export function countConfiguredOperators(upstreams: readonly UpstreamOptions[]): number {
  return new Set(upstreams.map(findOperator)).size;
}
