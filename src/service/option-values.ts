import { pointToNames } from '../util/near-name.ts';
import { UsageError } from './usage.ts';

/** Returns the value of an option if it is one of the choices. @throws UsageError with the option and the choices */
export function readChoice<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((name) => name === value);
  if (choice !== undefined) return choice;
  throw new UsageError(`--${option} cannot be ${JSON.stringify(value)}${pointToNames(value, choices)}`);
}

/** Parses an integer option within bounds. @throws UsageError with the option and the bounds */
export function readIntegerOption(option: string, value: string, min: number, max: number): number {
  const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(
    `--${option} cannot be ${JSON.stringify(value)}: expected a number from ${min} to ${max}`,
  );
}
