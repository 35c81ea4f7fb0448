import { encodePanic, parseRevertData } from './revert-data.ts';
import { stripPreamble } from './strip-preamble.ts';
import { unwrapError } from './unwrap-error.ts';

/**
 * Patterns of revert messages. Each pattern but the last matches only at the beginning of a message. A group captures the reason if the message has
 * one.
 */
const FORMS: readonly RegExp[] = [
  /** geth: `execution reverted: reason`. Besu: `Execution reverted (reason)`. */
  /^(?:execution (?:was )?reverted|transaction reverted)(?![a-z0-9])(?:: (.*)| \((.*)\))?/is,
  /** hardhat: `… reverted with reason string 'reason'`, `… reverted without …`. ganache: `… revert reason`. */
  /^vm exception while processing transaction: revert(?:ed)?(?![a-z0-9])(?: with reason string '(.*)'$| without a reason| (.*))?/is,
  /** Parity and Nethermind, in the data of a VM error: `Reverted reason`, `revert: reason`, `revert`. */
  /^revert(?:ed)?(?![a-z0-9])(?::? (.*))?/is,
  /** geth's message after any prefix of a relay. The failure of a system call is excluded: it is not a revert, and it ends a simulated block. */
  /(?<!system call failed to execute: )\bexecution reverted(?![a-z0-9])(?:: (.*)| \((.*)\))?/is,
];

/** Pattern of the beginning of hardhat's messages that contain no text of the contract. */
const REVERTED = '^(?:(?:vm exception while processing |execution |)(?:transaction:? )?)?reverted';
/** Messages of java-tron, and of clients that report only the program counter. */
const NO_REASON = /^(?:revert opcode executed|reverted at pc \d{1,20})\.?$/i;
/** hardhat: `… reverted with custom error 'Name()'`, `… with an unrecognized custom error (return data: 0x…)`. */
const CUSTOM_ERROR = new RegExp(
  `${REVERTED} with (?:an? )?(?:unrecognized )?custom error(?![a-z0-9])(?: \\(return data: (0x[0-9a-f]*)\\))?`,
  'i',
);
/** hardhat: `… reverted with panic code 0x11 (Arithmetic operation overflowed …)`. */
const PANIC = new RegExp(`${REVERTED} with panic code (?:0x([0-9a-f]{1,64}))?(?![0-9a-z])`, 'i');

/** Revert found in a message: the reason of the contract (empty if there is none), and the revert data if the message contains it. */
export type RevertWords = { readonly reason: string; readonly data?: string };

/**
 * Reads a revert from a message. Only the beginning of the message decides whether it reports a revert, so the text of a contract's reason cannot
 * change the decision.
 * @returns undefined if the message reports no revert
 */
export function parseRevertProse(text: string): RevertWords | undefined {
  const words = unwrapError(stripPreamble(text));
  const own = parseClientWords(words);
  if (own !== undefined) return own;
  for (const form of FORMS) {
    const match = form.exec(words);
    if (match !== null) return { reason: match[1] ?? match[2] ?? '' };
  }
  return undefined;
}

/** Reads messages whose whole text is written by the client. All other revert messages end with the reason of the contract. */
function parseClientWords(words: string): RevertWords | undefined {
  if (NO_REASON.test(words)) return { reason: '' };
  const custom = CUSTOM_ERROR.exec(words);
  if (custom !== null) return readBytes(custom[1]);
  const panic = PANIC.exec(words);
  return panic === null ? undefined : readBytes(panic[1] && encodePanic(panic[1]));
}

function readBytes(data: string | undefined): RevertWords {
  const bytes = data === undefined ? undefined : parseRevertData(data);
  return bytes === undefined ? { reason: '' } : { reason: '', data: bytes };
}
