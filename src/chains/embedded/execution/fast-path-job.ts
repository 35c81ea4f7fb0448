import { ADDRESS_LENGTH } from '../../../../packages/ethereum/primitives/address.ts';
import { countZeros, decodeHexInto, encodeHex } from '../../../../packages/ethereum/primitives/byte-loops.ts';
import {
  type CallBytes,
  LATEST_BLOCK,
  NO_GAS_LIMIT,
} from '../../../../packages/ethereum/primitives/call-bytes.ts';
import { takeBytes } from '../../../../packages/ethereum/primitives/shared-bytes.ts';
import type { BlockReference, CallRequest } from '../../../chain/requests.ts';
import type { CallsAhead, FastPathContext } from '../simulation/calls-ahead.ts';
import type { CallJob } from './job.ts';

/** A fast path call, which has only sender, recipient, data and gas. If the first slice is not enough for the call, it becomes a `CallJob`. */
export type FastPathJob = {
  readonly kind: 'plain';
  readonly call: CallBytes;
  readonly place: StoredPlace;
  /** Gas limit of the call, at most `MAX_CALL_GAS`. */
  readonly gasLimit: number;
  /** Runs the next calls of the same batch in the same slice; undefined for a single call. */
  readonly ahead: CallsAhead | undefined;
};

/** State and gas limit of fast path calls, with the folder of the store from which another thread reads the state. */
export type StoredPlace = FastPathContext & { readonly store: string };

/** Maximum data length of a fast path call, bytes. For larger data, decoding takes little time compared with the execution. */
const MAX_DATA_LENGTH = 64 * 1024;
const SELECTOR_LENGTH = 4;
/** Length of `0x`. */
const PREFIX_LENGTH = 2;
/**
 * Encodes a call as a fast path call. Returns undefined if the call has overrides or members other than recipient, sender, data and gas. Also returns
 * undefined if the call has no recipient, if its data is longer than `MAX_DATA_LENGTH`, or if its block is neither `latest` nor a number.
 */
export function toCallBytes({
  call,
  block,
  stateOverrides,
  blockOverrides,
}: CallRequest): CallBytes | undefined {
  if (stateOverrides !== undefined || blockOverrides !== undefined) return undefined;
  for (const name in call)
    if (name !== 'to' && name !== 'data' && name !== 'from' && name !== 'gas') return undefined;
  const number = toBlockNumber(block);
  const { from, to, data = '0x', gas } = call;
  if (to === undefined || number === undefined) return undefined;
  const dataLength = (data.length - PREFIX_LENGTH) >> 1;
  if (dataLength > MAX_DATA_LENGTH) return undefined;
  const { bytes, start } = takeBytes(2 * ADDRESS_LENGTH + dataLength);
  const toStart = start + ADDRESS_LENGTH;
  const dataStart = toStart + ADDRESS_LENGTH;
  if (from !== undefined) decodeHexInto(bytes, start, from, PREFIX_LENGTH);
  decodeHexInto(bytes, toStart, to, PREFIX_LENGTH);
  decodeHexInto(bytes, dataStart, data, PREFIX_LENGTH);
  const zeros = countZeros(bytes, dataStart, dataStart + dataLength);
  return {
    bytes,
    from: start,
    to: toStart,
    data: dataStart,
    dataLength,
    zeros,
    gas: gas === undefined ? NO_GAS_LIMIT : Number(gas),
    block: number,
    following: undefined,
  };
}

function toBlockNumber(block: BlockReference): number | undefined {
  if (block.kind === 'tag') return block.tag === 'latest' ? LATEST_BLOCK : undefined;
  if (block.kind === 'hash' || block.number > Number.MAX_SAFE_INTEGER) return undefined;
  return Number(block.number);
}

/** Converts a fast path call to a job for another thread. */
export function toCallJob({ call: provided, place, gasLimit }: FastPathJob): CallJob {
  const { store, blockNumber, isPending } = place;
  const { bytes, from, to, data, dataLength } = provided;
  const call = {
    from: textOf(bytes, from, ADDRESS_LENGTH),
    to: textOf(bytes, to, ADDRESS_LENGTH),
    data: textOf(bytes, data, dataLength),
  };
  return { kind: 'call', store, request: { blockNumber, isPending, call }, gasLimit: BigInt(gasLimit) };
}

/** Returns the shape of a call: recipient and function selector, both as text. */
export function shapeOf({ bytes, to, data, dataLength }: CallBytes): { to: string; selector: string } {
  return {
    to: textOf(bytes, to, ADDRESS_LENGTH),
    selector: textOf(bytes, data, Math.min(dataLength, SELECTOR_LENGTH)),
  };
}

function textOf(bytes: Uint8Array, from: number, length: number): string {
  return `0x${encodeHex(bytes, from, from + length)}`;
}
