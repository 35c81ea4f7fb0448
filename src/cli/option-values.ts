import { pointToNames } from '../util/near-name.ts';
import { UsageError } from './usage.ts';

/** The one of some names that an option gives. @throws UsageError naming the option and the names */
export function readChoice<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((name) => name === value);
  if (choice !== undefined) return choice;
  throw new UsageError(`--${option} cannot be ${JSON.stringify(value)}${pointToNames(value, choices)}`);
}

/** @throws UsageError naming a required option that is missing or empty */
export function requireOption(command: string, option: string, value: string | undefined): string {
  if (value) return value;
  throw new UsageError(`${command} needs --${option}; see portcullis ${command} --help`);
}
