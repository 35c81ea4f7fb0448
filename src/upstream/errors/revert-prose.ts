import { stripPreamble } from './strip-preamble.ts';
import { unwrapError } from './unwrap-error.ts';

/** Each form but one begins with fixed words; a group holds the reason, if the form has one. */
const FORMS: readonly RegExp[] = [
  /** geth: `execution reverted: reason`. Besu: `Execution reverted (reason)`. */
  /^(?:execution (?:was )?reverted|transaction reverted)(?![a-z0-9])(?:: (.*)| \((.*)\))?/is,
  /** hardhat: `… reverted with reason string 'reason'`, `… reverted without …`. ganache: `… revert reason`. */
  /^vm exception while processing transaction: revert(?:ed)?(?![a-z0-9])(?: with reason string '(.*)'$| without a reason| with an? (?:unrecognized )?custom error| with panic code| (.*))?/is,
  /** Parity and Nethermind, in the data of a VM error: `Reverted reason`, `revert: reason`, `revert`. */
  /^revert(?:ed)?(?![a-z0-9])(?::? (.*))?/is,
  /** geth's words behind whatever a relay puts before them: no other error has them but that of a system call, which ends a simulated block. */
  /(?<!system call failed to execute: )\bexecution reverted(?![a-z0-9])(?:: (.*)| \((.*)\))?/is,
];

/**
 * What the words of a message say of a revert. Only how the text begins counts, so that nothing which a contract puts
 * into its reason is ever read as something else.
 * @returns undefined when they do not say that there was one; the reason is empty when they give none.
 */
export function parseRevertProse(text: string): { readonly reason: string } | undefined {
  const words = unwrapError(stripPreamble(text));
  for (const form of FORMS) {
    const match = form.exec(words);
    if (match !== null) return { reason: match[1] ?? match[2] ?? '' };
  }
  return undefined;
}
