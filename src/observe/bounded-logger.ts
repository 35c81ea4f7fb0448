import { groupAddress } from '../util/group-address.ts';
import { OccasionalLog } from '../util/occasional-log.ts';
import type { LogFields, Logger } from './logger.ts';
import type { LogLevel } from './options.ts';

/**
 * Logs at most `perMinute` lines of each message per minute, and at most a tenth of `perMinute` for each owner. The field `leftOut` is the number of
 * lines of the same message and owner that were suppressed since the last logged line. Debug lines are not limited.
 */
export class BoundedLogger implements Logger {
  readonly everyLine: Logger;
  readonly #occasional: OccasionalLog;

  /**
   * @param perMinute lines of one message per minute
   * @param now a monotonic clock in milliseconds
   */
  constructor(log: Logger, perMinute: number, now?: () => number) {
    this.everyLine = log;
    this.#occasional = new OccasionalLog(perMinute, now);
  }

  isLevelEnabled(level: LogLevel): boolean {
    return this.everyLine.isLevelEnabled(level);
  }

  debug(fields: LogFields, message: string): void {
    this.everyLine.debug(fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#write('error', fields, message);
  }

  #write(level: 'info' | 'warn' | 'error', fields: LogFields, message: string): void {
    if (!this.everyLine.isLevelEnabled(level)) return;
    const leftOut = this.#occasional.admit(message, nameOwner(fields));
    if (leftOut === undefined) return;
    this.everyLine[level](leftOut === 0 ? fields : { ...fields, leftOut }, message);
  }
}

/**
 * Returns the owner to which a log line is counted. The owner is the first present one of: key, node and fault, address, network with fault or
 * method.
 */
function nameOwner({ key, upstream, address, network, fault, method }: LogFields): string {
  if (typeof key === 'object' && key !== null && 'id' in key) return `key:${key.id}`;
  if (upstream !== undefined) return `node:${network}:${upstream}:${fault}`;
  if (typeof address === 'string') return `address:${groupAddress(address)}`;
  return `network:${network ?? ''}:${fault ?? method ?? ''}`;
}
