import { pino } from 'pino';
import type { LogLevel } from './options.ts';

/** What a log line may carry: short facts, never a key, never a body. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The part of pino that the house uses. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  isLevelEnabled(level: LogLevel): boolean;
}

/** Where lines go, one JSON object each. */
export interface LogSink {
  write(line: string): void;
}

/** Lines waiting for a reader of stderr that has stopped reading; what exceeds it is dropped. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

export type LoggerOptions = {
  /** Where lines go; stderr unless told otherwise. */
  readonly sink?: LogSink;
  /** In every line: which of several processes writes. */
  readonly process?: number | undefined;
};

/** A JSON logger. */
export function createLogger(level: LogLevel, { sink, process }: LoggerOptions = {}): Logger {
  const destination = sink ?? pino.destination({ dest: 2, sync: false, maxLength: MAX_BUFFERED_BYTES });
  const base = process === undefined ? null : { process };
  return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
