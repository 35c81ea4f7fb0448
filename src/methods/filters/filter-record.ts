import { randomBytes } from 'node:crypto';
import type { LogBound, LogFilter } from '../../chain/chain.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { logFilter } from '../log-filter.ts';

/** What a filter gives: hashes of blocks, logs, or transactions that wait (hashes of them, or the transactions themselves). */
export type FilterSubject =
  | { readonly kind: 'blocks' }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'pending'; readonly isFull: boolean };

/** Everything that there is of a filter. */
export type FilterRecord = {
  /** Name of the network that it was made on. */
  readonly network: string;
  readonly subject: FilterSubject;
  /** What it was answered up to: a block's hash, or of transactions the time at which the last one was seen. */
  readonly last: string;
  /** When it was written, Unix milliseconds. */
  readonly at: number;
  /** Of this writing of it. */
  readonly nonce: string;
};

type Stored = Readonly<Record<string, unknown>>;

const ID = /^0x[1-9a-f][0-9a-f]{31}$/;

/** `0x` and 32 hex digits without a leading zero: clients may take it for a quantity. */
export function createFilterId(): string {
  const id = `0x${randomBytes(16).toString('hex')}`;
  return ID.test(id) ? id : createFilterId();
}

export function isFilterId(id: string): boolean {
  return ID.test(id);
}

export function createNonce(): string {
  return randomBytes(6).toString('base64');
}

export function encodeFilterRecord({ network, subject, last, at, nonce }: FilterRecord): string {
  const { kind } = subject;
  return JSON.stringify({
    nonce,
    network,
    kind,
    last,
    at,
    ...(kind === 'logs' && { filter: encodeFilter(subject.filter) }),
    ...(kind === 'pending' && { isFull: subject.isFull }),
  });
}

/** How a record begins: the name of its network as JSON text, in front of all that is long. */
const HEAD = /^\{"nonce":"[^"\\]{0,64}","network":("(?:[^"\\]|\\.){0,200}"),/;

/** Whether a record is of a filter of this network, without reading the rest of it. */
export function isOfNetwork(text: string, network: string): boolean {
  const found = HEAD.exec(text)?.[1];
  return found === undefined ? parseFilterRecord(text)?.network === network : JSON.parse(found) === network;
}

/** @returns undefined for what is no record of a filter */
export function parseFilterRecord(text: string): FilterRecord | undefined {
  try {
    const { network, kind, last, at, nonce, filter, isFull } = JSON.parse(text) as Stored;
    if (typeof network !== 'string' || typeof last !== 'string') return undefined;
    if (typeof at !== 'number' || typeof nonce !== 'string') return undefined;
    const place = { network, last, at, nonce };
    switch (kind) {
      case 'blocks':
        return { ...place, subject: { kind } };
      case 'pending':
        return { ...place, subject: { kind, isFull: isFull === true } };
      case 'logs':
        return { ...place, subject: { kind, filter: logFilter.parse(filter) } };
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/** As `eth_newFilter` takes it. */
function encodeFilter({ blocks, addresses, topics }: LogFilter): object {
  const range =
    blocks.kind === 'block'
      ? { blockHash: blocks.hash }
      : { fromBlock: encodeBound(blocks.from), toBlock: encodeBound(blocks.to) };
  return { ...range, address: addresses, topics };
}

function encodeBound(bound: LogBound): string {
  return bound.kind === 'tag' ? bound.tag : encodeQuantity(bound.number);
}
