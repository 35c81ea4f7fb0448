import type { LogFields, Logger } from '../../src/observe/logger.ts';

/** A logger that stores its lines. */
export type RecordingLog = Logger & { readonly lines: readonly string[] };

export function createRecordingLog(): RecordingLog {
  const lines: string[] = [];
  const record =
    (level: string) =>
    (fields: LogFields, message: string): void => {
      lines.push(JSON.stringify({ level, ...fields, message }));
    };
  return {
    lines,
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
    isLevelEnabled: () => true,
  };
}
