import { cutText, ELLIPSIS, MAX_SCRUBBED_LENGTH } from './cut-text.ts';
import { replaceInEscaped } from './escaped-text.ts';

/** Maximum length of a message for a client or a log, UTF-16 units, including the ellipsis. */
const MAX_MESSAGE_LENGTH = 1_000;
/** Text that replaces a secret. */
export const MASK = '***';
/**
 * Minimum length of a secret that is masked. Only secrets that are longer than the mask are replaced: each replacement then shortens the text, so
 * that repeated replacement ends.
 */
const MIN_SECRET_LENGTH = MASK.length + 1;

/** Matches the control characters C0 and C1, the line separators, and the marks that change the writing direction. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const MASKS = /\*{4,}/g;

/** Patterns of URLs, IP addresses and credentials of any host. */
const SUSPECTS: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}]+/gi,
  /\b(?:bearer|basic) [a-z0-9+/=_.~-]{6,}/gi,
  /\b(?:api[-_ ]?key|token|secret|password|authorization)["']?\s{0,4}[=:]\s{0,4}["']?[^\s"',;&)}\]]{6,}/gi,
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/g,
  // The pattern requires a letter, because 32 decimal digits may be an amount of wei.
  /(?<![\w-])(?=\d{0,31}[a-f])[0-9a-f]{32}(?![\w-])/gi,
  /(?<![\w-])(?!0x)(?=[\w-]{0,200}[a-z])(?=[\w-]{0,200}[A-Z])(?=[\w-]{0,200}\d)[\w-]{24,200}(?![\w-])/g,
];

/**
 * Turns a node's text into one line of bounded length, for a client and for a log. `***` replaces the configured secrets of at least four characters,
 * in any letter case and with any escapes. `***` also replaces every URL, IP address and credential that is recognizable by its form.
 */
export function scrubMessage(message: string, secrets: readonly string[]): string {
  const patterns = compileSecrets(secrets);
  // The order matters: control characters may interrupt a secret, and a cut may remove part of a secret.
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

/** Masks the secrets in a text of any length with `***`. A text without secrets is returned unchanged. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const patterns = compileSecrets(secrets);
  const isClean = patterns.every((pattern) => text.search(pattern) < 0);
  return isClean && replaceInEscaped(text, patterns, toMask) === text ? text : replaceSecrets(text, patterns);
}

/** Maximum number of bytes of a revert reason that are searched for credentials. The messages of errors quote fewer bytes of a reason. */
const MAX_REASON_BYTES = 64 * 1024;
const REASON_SELECTOR = '0x08c379a0';

/**
 * In the reason of `Error(string)` revert data, replaces each byte of a credential with `*`, because a message that quotes the reason would reveal
 * the credential. Data without a credential is returned unchanged.
 * @param data revert data, hex with `0x`
 * @param credentials result of `listCredentials`; callers can compose any reason, so masking a text that can be guessed would confirm the guess
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
 * Matches an account or a hash, which stays unmasked: callers choose these values, and masking one that contains a guessed secret in hex would
 * confirm the guess. A secret that itself has the form of an account or a hash is masked.
 */
const ACCOUNT_OR_HASH = '(0x(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f]))';

/**
 * Each list of secrets is compiled only once. Longer secrets are matched first, so that a secret is masked before a shorter secret that is part of
 * it.
 */
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

/** Repeats the replacement until the text contains no secret, because a mask and the text next to it may form another secret. */
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

/** Returns a mask as long as the masked text, because the revert data contains the length of the reason. */
function toStars(written: string): string {
  return '*'.repeat(written.length);
}

function maskFound(_found: string, accountOrHash: string | undefined): string {
  return accountOrHash ?? MASK;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
