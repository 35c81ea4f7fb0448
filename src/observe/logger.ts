import { writeSync } from 'node:fs';
import { pino } from 'pino';
import { readErrorCode } from '../util/system-error.ts';
import { BoundedLogger } from './bounded-logger.ts';
import { LineBuffer } from './line-buffer.ts';
import { DEFAULT_PER_MINUTE, type LogLevel } from './options.ts';

/** What a log line may carry: short facts, never a key, never a body. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The part of pino that the house uses. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  isLevelEnabled(level: LogLevel): boolean;
  /** Writes every line, for those of which the operator chose the number; absent where all lines are written anyway. */
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
  /** Where lines go; stderr unless told otherwise. */
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
  const destination = pino.destination({
    dest: STDERR,
    sync: false,
    maxLength: MAX_BUFFERED_BYTES,
    maxWrite: MAX_WRITE_BYTES,
  });
  let [handed, written] = [0, 0];
  const counted: LogSink = {
    write(text) {
      handed += Buffer.byteLength(text);
      destination.write(text);
    },
  };
  const lines = new LineBuffer(counted, MAX_WRITE_BYTES);
  // A disk that is full must not end the service: what cannot be written is tried again with what comes next.
  let isFailing = false;
  destination.on('error', () => {
    isFailing = true;
  });
  destination.on('write', (bytes: number) => {
    isFailing = false;
    written += bytes;
  });
  const handOver = (): void => {
    const text = lines.take();
    try {
      // At its end pino tries again for ever, whatever the error is.
      if (isFailing) destination.destroy();
      else if (text !== '') destination.write(handed === written ? writeNow(text) : text);
    } catch {
      // The disk is full, or pino has ended it and something was logged after that.
      destination.destroy();
    }
  };
  // Before pino's own listeners, which write what the destination has.
  process.prependListener('beforeExit', handOver);
  process.prependListener('exit', handOver);
  return lines;
}

/** @returns what a reader that is slow has not taken. @throws Error when it cannot be written at all */
function writeNow(text: string): string {
  const bytes = Buffer.from(text);
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(STDERR, bytes, at);
  } catch (error) {
    if (readErrorCode(error) !== 'EAGAIN') throw error;
  }
  return bytes.toString('utf8', at);
}
