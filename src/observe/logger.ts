import { pino } from 'pino';
import { BoundedLogger } from './bounded-logger.ts';
import { FileSink } from './file-sink.ts';
import { LineBuffer } from './line-buffer.ts';
import { DEFAULT_PER_MINUTE, type LogLevel } from './options.ts';

/** Fields of a log line. Values are short, and contain neither keys nor request bodies. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Subset of pino's interface that the service uses. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  isLevelEnabled(level: LogLevel): boolean;
  /**
   * Logger without rate limit. `everyLine` is for messages whose number the operator chooses, such as sampled requests and reloads. Absent if the
   * outer logger has no rate limit.
   */
  readonly everyLine?: Logger;
}

/** Destination of log lines, one JSON object each. */
export interface LogSink {
  write(line: string): void;
}

/** Maximum bytes waiting for a stalled reader of stderr; the excess is dropped. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

/** Maximum size of a write to a pipe that is not interleaved with writes of other processes (POSIX PIPE_BUF). */
const MAX_WRITE_BYTES = 4_096;
const STDERR = 2;

export type LoggerOptions = {
  /** Destination of lines; stderr by default. */
  readonly sink?: LogSink;
  /** Process id that is added to every line. */
  readonly process?: number | undefined;
  /** Maximum lines per message and minute. */
  readonly perMinute?: number;
};

/** Creates a JSON logger; messages logged too often are suppressed and counted. */
export function createLogger(level: LogLevel, options: LoggerOptions = {}): Logger {
  const { sink, process: pid, perMinute = DEFAULT_PER_MINUTE } = options;
  const base = pid === undefined ? null : { process: pid };
  const log = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, sink ?? useStderr());
  return new BoundedLogger(log, perMinute);
}

/** Sink for stderr that all loggers of a process share. */
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
