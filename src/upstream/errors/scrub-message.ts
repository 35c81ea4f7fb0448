/** UTF-16 units of a message that reach a client or a log. */
const MAX_MESSAGE_LENGTH = 300;
/** UTF-16 units of a node's text that are looked at. */
const MAX_INPUT_LENGTH = 4_000;
const MASK = '***';
/** From here on each replacement shortens the text, so that replacing again and again comes to an end. */
const MIN_SECRET_LENGTH = MASK.length + 1;

/** C0, C1, the line separators and the marks that change the direction of writing. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const MASKS = /\*{4,}/g;

/** What looks like an address or a credential, whoever's it is. */
const SUSPECTS: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}]+/gi,
  /\b(?:bearer|basic) [a-z0-9+/=_.~-]{6,}/gi,
  /\b(?:api[-_ ]?key|token|secret|password|authorization)["']?\s{0,4}[=:]\s{0,4}["']?[^\s"',;&)}\]]{6,}/gi,
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/g,
  /(?<![\w-])[0-9a-f]{32}(?![\w-])/gi,
  /(?<![\w-])(?!0x)(?=[\w-]{0,200}[a-z])(?=[\w-]{0,200}[A-Z])(?=[\w-]{0,200}\d)[\w-]{24,200}(?![\w-])/g,
];

/**
 * A node's text, fit for a client and for a log: one line, bounded, with `***` for the given secrets of at least four
 * characters (in any case), and for every address, IP number and credential that can be told by its looks.
 */
export function scrubMessage(message: string, secrets: readonly string[]): string {
  const kept = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  const patterns = kept
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => new RegExp(escapePattern(secret), 'gi'));
  const isCut = message.length > MAX_INPUT_LENGTH;
  let text = message.slice(0, MAX_INPUT_LENGTH).replace(CONTROL, ' ');
  text = replaceSecrets(text, patterns);
  // The cut may have left the beginning of a secret, which no pattern finds.
  if (isCut) text = text.slice(0, Math.max(0, text.length - longest(kept)));
  for (const suspect of SUSPECTS) text = text.replace(suspect, MASK);
  return replaceSecrets(text, patterns).slice(0, MAX_MESSAGE_LENGTH).trim();
}

/** Until none is left: what stands beside a mask may complete another secret. */
function replaceSecrets(text: string, patterns: readonly RegExp[]): string {
  let next = text;
  for (let previous: string | undefined; previous !== next; ) {
    previous = next;
    for (const pattern of patterns) next = next.replace(pattern, MASK);
    next = next.replace(MASKS, MASK);
  }
  return next;
}

function longest(secrets: readonly string[]): number {
  return secrets.reduce((length, secret) => Math.max(length, secret.length), 0);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
