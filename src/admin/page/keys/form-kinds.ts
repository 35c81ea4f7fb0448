import type { TextKind } from '../console/text-field.ts';

const PLAIN: Omit<TextKind, 'parse' | 'help'> = {
  format: (value) => (value === undefined ? '' : String(value)),
  placeholder: '',
  isLong: false,
  isNumber: false,
  isEmptyValid: false,
  choices: [],
};

/** Text of any form; the Admin API checks it. */
export function plainKind(help: string, placeholder = ''): TextKind {
  return { ...PLAIN, parse: (text) => text.trim(), help, placeholder };
}

/** Entries that are separated by commas or line breaks, and by spaces unless entries may contain spaces. */
export function listKind(help: string, placeholder = '', separator: RegExp = /[\s,]+/): TextKind {
  return {
    ...PLAIN,
    parse: (text) =>
      text
        .split(separator)
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    format: (value) => (Array.isArray(value) ? value.join(', ') : ''),
    help,
    placeholder,
  };
}

/** A positive number. @param isWhole whether the number must be an integer */
export function numberKind(help: string, isWhole: boolean): TextKind {
  return {
    ...PLAIN,
    parse(text) {
      const value = Number(text.replace(/[_,\s]/g, ''));
      if (!(value > 0) || (isWhole && !Number.isSafeInteger(value)))
        throw new Error(`expected a ${isWhole ? 'whole ' : ''}number above 0`);
      return value;
    },
    help,
  };
}

/** A time in UTC, entered as a date or as ISO 8601. */
export function timeKind(help: string): TextKind {
  return {
    ...PLAIN,
    parse(text) {
      const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
      if (Number.isNaN(time)) throw new Error('expected a date such as 2027-01-31, or 2027-01-31T12:00:00Z');
      return new Date(time).toISOString();
    },
    help,
    placeholder: '2027-01-31',
  };
}
