import type { Session } from '../gateway/admission.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { formatDigits } from '../util/digits.ts';
import type { ResponseField } from './fast-path-response.ts';

/** Name of the header with the credits of the day that a key has left. */
export const CREDITS_HEADER = 'X-Credits-Remaining';

/**
 * Returns the header of an answer, as name and value.
 * @param session session of the answer; undefined if the request was not admitted
 * @returns undefined for a key without daily credits: its answers must not pay for the header
 */
export function describeCredits(
  gateway: Pick<Gateway, 'findRemainingCredits'>,
  session: Session | undefined,
): ResponseField | undefined {
  if (session?.principal.terms?.dailyCredits === undefined) return undefined;
  const credits = gateway.findRemainingCredits(session);
  return credits === undefined ? undefined : [CREDITS_HEADER, formatDigits(credits)];
}
