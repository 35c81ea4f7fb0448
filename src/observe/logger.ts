import { pino } from 'pino';
import { BoundedLogger } from './bounded-logger.ts';
import { FileSink } from './file-sink.ts';
import { LineBuffer } from './line-buffer.ts';
import { DEFAULT_PER_MINUTE, type LogLevel } from './options.ts';

/** What a log line may carry: short facts, never a key, never a body. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The part of pino that is used. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  isLevelEnabled(level: LogLevel): boolean;
  /** Writes every line, for those of which the operator decides the number; absent where all lines are written anyway. */
  readonly everyLine?: Logger;
}

/** Where lines go, one JSON object each. */
export interface LogSink {
  write(line: string): void;
}

/** Lines waiting for a reader of stderr that has stopped reading; what exceeds it is dropped. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

/** What is written at once to a pipe is not mixed with what other processes write (POSIX PIPE_BUF). */
const MAX_WRITE_BYTES = 4_096;
const STDERR = 2;

export type LoggerOptions = {
  /** Where lines go; stderr by default. */
  readonly sink?: LogSink;
  /** In every line: which of several processes writes. */
  readonly process?: number | undefined;
  /** Lines of one message in a minute. */
  readonly perMinute?: number;
};

/** A JSON logger; a message that is logged too often is left out and counted. */
export function createLogger(level: LogLevel, options: LoggerOptions = {}): Logger {
  const { sink, process: pid, perMinute = DEFAULT_PER_MINUTE } = options;
  const base = pid === undefined ? null : { process: pid };
  const log = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, sink ?? useStderr());
  return new BoundedLogger(log, perMinute);
}

/** All loggers of a process write to one. */
let stderr: LogSink | undefined;

function useStderr(): LogSink {
  stderr ??= openStderr();
  return stderr;
}

function openStderr(): LogSink {
  const file = new FileSink(STDERR, { maxBytes: MAX_BUFFERED_BYTES, maxWrite: MAX_WRITE_BYTES });
  const lines = new LineBuffer(file, MAX_WRITE_BYTES);
  process.on('exit', () => file.end(lines.take()));
  return lines;
}
