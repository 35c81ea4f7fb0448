import { cutText, ELLIPSIS, MAX_SCRUBBED_LENGTH } from './cut-text.ts';
import { replaceInEscaped } from './escaped-text.ts';

/** UTF-16 units of a message that reach a client or a log, its ellipsis included. */
const MAX_MESSAGE_LENGTH = 1_000;
/** Stands in place of what is hidden. */
export const MASK = '***';
/** From here on each replacement shortens the text, so that replacing again and again comes to an end. */
const MIN_SECRET_LENGTH = MASK.length + 1;

/** C0, C1, the line separators and the marks that change the direction of writing. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const MASKS = /\*{4,}/g;

/** What looks like an address or a credential, of this upstream or not. */
const SUSPECTS: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}]+/gi,
  /\b(?:bearer|basic) [a-z0-9+/=_.~-]{6,}/gi,
  /\b(?:api[-_ ]?key|token|secret|password|authorization)["']?\s{0,4}[=:]\s{0,4}["']?[^\s"',;&)}\]]{6,}/gi,
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/g,
  // With a letter: 32 digits are an amount of wei.
  /(?<![\w-])(?=\d{0,31}[a-f])[0-9a-f]{32}(?![\w-])/gi,
  /(?<![\w-])(?!0x)(?=[\w-]{0,200}[a-z])(?=[\w-]{0,200}[A-Z])(?=[\w-]{0,200}\d)[\w-]{24,200}(?![\w-])/g,
];

/**
 * A node's text, fit for a client and for a log: one line, bounded, with `***` for the given secrets of at least four
 * characters (in any case, however they are escaped), and for every address, IP number and credential that is recognizable by its form.
 */
export function scrubMessage(message: string, secrets: readonly string[]): string {
  const patterns = compileSecrets(secrets);
  // Before the second cut, and after control characters have gone.
  const start = cutText(message, MAX_SCRUBBED_LENGTH).replace(CONTROL, ' ');
  let text = cutText(replaceSecrets(start, patterns));
  for (const suspect of SUSPECTS) text = text.replace(suspect, MASK);
  for (let before = ''; before !== text; ) {
    before = text;
    text = replaceInEscaped(text, SUSPECTS, toMask);
  }
  text = replaceSecrets(text, patterns).trim();
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}${ELLIPSIS}`;
}

/** A text of any length with `***` for the given secrets; the same where none is in it. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const patterns = compileSecrets(secrets);
  const isClean = patterns.every((pattern) => text.search(pattern) < 0);
  return isClean && replaceInEscaped(text, patterns, toMask) === text ? text : replaceSecrets(text, patterns);
}

/** Bytes of a reason that are looked through: what messages show of it, and more. */
const MAX_REASON_BYTES = 64 * 1024;
const REASON_SELECTOR = '0x08c379a0';

/**
 * Revert data of `Error(string)` with `*` for each byte of a key in the reason, which messages are made of; the same where there is none.
 * @param data hex
 * @param credentials as `listCredentials` gives them: callers compose any reason, so a mask over what can be guessed would confirm the guess
 */
export function maskRevertData(data: string, credentials: readonly string[]): string {
  const selector = data.slice(0, REASON_SELECTOR.length).toLowerCase();
  if (credentials.length === 0 || selector !== REASON_SELECTOR) return data;
  const start = REASON_SELECTOR.length;
  const end = Math.min(data.length, start + 2 * MAX_REASON_BYTES);
  const text = Buffer.from(data.slice(start, end), 'hex').toString('latin1');
  const patterns = compileSecrets(credentials);
  let masked = text;
  for (const pattern of patterns)
    masked = masked.replace(pattern, (found, account?: string) => account ?? toStars(found));
  for (let before = ''; before !== masked; ) {
    before = masked;
    masked = replaceInEscaped(masked, patterns, toStars);
  }
  if (masked === text) return data;
  return `${data.slice(0, start)}${Buffer.from(masked, 'latin1').toString('hex')}${data.slice(end)}`;
}

/**
 * An account or a hash, which callers choose: one that holds a guess of a secret in hex must look like any other. A secret with this form
 * is found before.
 */
const ACCOUNT_OR_HASH = '(0x(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f]))';

/** The longest first: a part of another must not break it up. Compiled once for each list. */
function compileSecrets(secrets: readonly string[]): readonly RegExp[] {
  let patterns = compiled.get(secrets);
  if (patterns === undefined) {
    patterns = secrets
      .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
      .toSorted((a, b) => b.length - a.length)
      .map((secret) => new RegExp(`${escapePattern(secret)}|${ACCOUNT_OR_HASH}`, 'gi'));
    compiled.set(secrets, patterns);
  }
  return patterns;
}

const compiled = new WeakMap<readonly string[], readonly RegExp[]>();

/** Until none is left: what stands beside a mask may complete another secret. */
function replaceSecrets(text: string, patterns: readonly RegExp[]): string {
  let next = text;
  for (let previous: string | undefined; previous !== next; ) {
    previous = next;
    for (const pattern of patterns) next = next.replace(pattern, maskFound);
    next = replaceInEscaped(next, patterns, toMask).replace(MASKS, MASK);
  }
  return next;
}

function toMask(): string {
  return MASK;
}

/** Bytes of a reason keep their number. */
function toStars(written: string): string {
  return '*'.repeat(written.length);
}

function maskFound(_found: string, accountOrHash: string | undefined): string {
  return accountOrHash ?? MASK;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
