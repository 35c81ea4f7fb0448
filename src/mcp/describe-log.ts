import type { JsonObject } from '../rpc/codec/codec.ts';
import { decodeLog, type RawLog } from './abi/decode-log.ts';
import type { AbiEntry } from './abi/signatures.ts';
import { toNumber } from './format-values.ts';

/** Describes a log: decoded where an event fits, otherwise with its topics and data. */
export function describeLog(log: RawLog, events: readonly AbiEntry[]): JsonObject {
  const decoded = decodeLog(log, events);
  return {
    ...(typeof log.logIndex === 'string' && { index: toNumber(log.logIndex) }),
    address: log.address,
    ...(decoded ?? { topics: log.topics, data: log.data }),
  };
}
