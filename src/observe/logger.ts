import { isatty } from 'node:tty';
import { pino } from 'pino';
import { BoundedLogger } from './bounded-logger.ts';
import { FileSink } from './file-sink.ts';
import { LineBuffer } from './line-buffer.ts';
import { DEFAULT_PER_MINUTE, type LogFormat, type LogLevel } from './options.ts';
import { formatPrettyLine } from './pretty-line.ts';

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

/** Destination of log lines, one JSON object or one pretty line each. */
export interface LogSink {
  /** @param isUrgent whether the line must not wait for further lines: the process may end */
  write(line: string, isUrgent?: boolean): void;
}

/** Maximum bytes waiting for a stalled reader of stderr; the excess is dropped. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

/** Maximum size of a write to a pipe that is not interleaved with writes of other processes (POSIX PIPE_BUF). */
const MAX_WRITE_BYTES = 4_096;
const STDERR = 2;
/** Beginning of a JSON line of level `error` or `fatal`. */
const ERROR = /^\{"level":[56]0,/;

export type LoggerOptions = {
  /** Destination of lines; stderr by default. */
  readonly sink?: LogSink;
  /** Format of lines, JSON by default. With `auto`, lines are pretty if stderr is a terminal. */
  readonly format?: LogFormat;
  /** Process id that is added to every line. */
  readonly process?: number | undefined;
  /** Maximum lines per message and minute. */
  readonly perMinute?: number;
};

/** Creates a logger; messages logged too often are suppressed and counted. */
export function createLogger(level: LogLevel, options: LoggerOptions = {}): Logger {
  const { sink = useStderr(), format = 'json', process: pid, perMinute = DEFAULT_PER_MINUTE } = options;
  const base = pid === undefined ? null : { process: pid };
  const lines = { write: createWriter(sink, format) };
  const log = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  return new BoundedLogger(log, perMinute);
}

function createWriter(sink: LogSink, format: LogFormat): (line: string) => void {
  const isTerminal = isatty(STDERR);
  if (format === 'json' || (format === 'auto' && !isTerminal))
    return (line) => sink.write(line, ERROR.test(line));
  const isColoured = isTerminal && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return (line) => sink.write(formatPrettyLine(line, isColoured), ERROR.test(line));
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
