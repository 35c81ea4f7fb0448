/**
 * Formats log lines for a terminal. `pino-pretty` is not used, because it depends on twelve packages and writes control characters to the terminal.
 */

/** Names and colours (ANSI) of pino's levels. */
const LEVELS: ReadonlyMap<unknown, readonly [name: string, colour: number]> = new Map([
  [20, ['DEBUG', 90]],
  [30, ['INFO ', 32]],
  [40, ['WARN ', 33]],
  [50, ['ERROR', 31]],
]);
const DIM = 2;

/** Texts that are shown without quotes, because they cannot be mistaken for another field. */
const PLAIN = /^[^\s"'=\\]+$/;
/** Control characters, and characters that change the direction or the lines of a text. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Formats a JSON log line of pino as time (local), level, message and fields: `12:00:00.123 WARN  slow request  network=mainnet ms=1200`. Members of
 * objects are shown as fields with a dot: `key.id=1a2b`.
 * @param isColoured whether the line gets ANSI colours
 */
export function formatPrettyLine(json: string, isColoured: boolean): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const [name, colour] = LEVELS.get(level) ?? [String(level), DIM];
  const paint = (text: string, code: number): string => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text);
  const shown = listFields('', fields).map(([path, value]) => `${paint(`${path}=`, DIM)}${value}`);
  const message = escapeControls(String(msg));
  const start = `${paint(formatTime(new Date(String(time))), DIM)} ${paint(name, colour)} ${message}`;
  return `${start}${shown.length === 0 ? '' : `  ${shown.join(' ')}`}\n`;
}

function formatTime(time: Date): string {
  const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');
  const [hours, minutes, seconds] = [time.getHours(), time.getMinutes(), time.getSeconds()];
  return `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}.${pad(time.getMilliseconds(), 3)}`;
}

function listFields(prefix: string, fields: object): (readonly [path: string, value: string])[] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${escapeControls(name)}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return listFields(`${path}.`, value);
    return [[path, formatValue(value)] as const];
  });
}

function formatValue(value: unknown): string {
  return escapeControls(typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value));
}

function escapeControls(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
