import { randomBytes } from 'node:crypto';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { LogBound, LogFilter } from '../../chain/requests.ts';

/** Type of a filter: it reports block hashes, logs, or pending transactions. Pending transactions are reported as hashes, or as full objects. */
export type FilterSubject =
  | { readonly kind: 'blocks' }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'pending'; readonly isFull: boolean };

/** Type of a filter, as in its stored record. `criteria` is unparsed JSON text in the form of `eth_newFilter`. */
export type StoredSubject =
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pending'; readonly isFull: boolean }
  | { readonly kind: 'logs'; readonly criteria: string }
  /** The criteria are stored in a separate record, last written at `renewedAt`, Unix ms. */
  | { readonly kind: 'logs'; readonly criteria: undefined; readonly renewedAt: number };

/** Stored state of a filter: its position in the chain, and its criteria. */
export type FilterRecord = {
  /** Name of the network that the filter belongs to. */
  readonly network: string;
  readonly subject: StoredSubject;
  /**
   * Position after the last poll: a block hash. For a filter of pending transactions, the position is the time up to which transactions were
   * reported, Unix ms.
   */
  readonly last: string;
  /** Position before the last poll; undefined once the answer of that poll is known to be sent. */
  readonly before: string | undefined;
  /** Time of this write of the record, Unix ms. */
  readonly at: number;
  /** Random value that identifies this write of the record. */
  readonly nonce: string;
};

/** Separate record for long criteria. */
export type CriteriaRecord = { readonly network: string; readonly criteria: string };

type Stored = Readonly<Record<string, unknown>>;

const ID = /^0x[1-9a-f][0-9a-f]{31}$/;

/** Creates an id of `0x` and 32 hex digits. The first hex digit of an id is not zero, because clients may parse the id as a quantity. */
export function createFilterId(): string {
  const id = `0x${randomBytes(16).toString('hex')}`;
  return ID.test(id) ? id : createFilterId();
}

export function isFilterId(id: string): boolean {
  return ID.test(id);
}

/** Returns a random 48-bit nonce in base64. */
export function createNonce(): string {
  return randomBytes(6).toString('base64');
}

/** Encodes a log filter as JSON text in the form of `eth_newFilter`. */
export function encodeCriteria({ blocks, addresses, topics }: LogFilter): string {
  const range =
    blocks.kind === 'block'
      ? { blockHash: blocks.hash }
      : { fromBlock: encodeBound(blocks.from), toBlock: encodeBound(blocks.to) };
  return JSON.stringify({ ...range, address: addresses, topics });
}

/** Encodes a record. The previous version of the service reads a record with `before` through its fallback parser, and ignores `before`. */
export function encodeFilterRecord({ network, subject, last, before, at, nonce }: FilterRecord): string {
  const head = JSON.stringify({ before, nonce, network, kind: subject.kind, last, at });
  return `${head.slice(0, -1)}${encodeRest(subject)}`;
}

function encodeRest(subject: StoredSubject): string {
  switch (subject.kind) {
    case 'blocks':
      return '}';
    case 'pending':
      return `,"isFull":${subject.isFull}}`;
    default:
      return subject.criteria === undefined
        ? `,"renewedAt":${subject.renewedAt}}`
        : `${FILTER}${subject.criteria}}`;
  }
}

/**
 * Encodes the separate record of long criteria. Earlier versions of the service, which have no criteria records, do not mistake such a record for a
 * filter record.
 */
export function encodeCriteriaRecord({ network, criteria }: CriteriaRecord): string {
  return `{"network":"${network}"${FILTER}${criteria}}`;
}

const FILTER = ',"filter":';
const HEAD =
  /^\{(?:"before":"([^"\\]{0,100})",)?"nonce":"([^"\\]{0,64})","network":"([\w-]{1,64})","kind":"(blocks|pending|logs)","last":"([^"\\]{0,100})","at":(\d{1,16})/;
const CRITERIA_HEAD = /^\{"network":"([\w-]{1,64})","filter":/;

/**
 * Parses the separate record of long criteria. The criteria in the record remain unparsed text.
 * @returns undefined for text that is not a criteria record
 */
export function parseCriteriaRecord(text: string): CriteriaRecord | undefined {
  const [head, network] = CRITERIA_HEAD.exec(text) ?? [];
  if (head === undefined || network === undefined) return undefined;
  return { network, criteria: text.slice(head.length, -1) };
}

/**
 * Parses a filter record. The parse time does not depend on the length of the criteria, which remain unparsed.
 * @returns undefined for text that is not a filter record
 */
export function parseFilterRecord(text: string): FilterRecord | undefined {
  const found = HEAD.exec(text);
  if (found === null) return parseMembers(text);
  const [head, before, nonce = '', network = '', kind, last = '', at] = found;
  const subject = parseRest(kind as StoredSubject['kind'], text.slice(head.length));
  return subject && { nonce, network, subject, last, before, at: Number(at) };
}

function parseRest(kind: StoredSubject['kind'], rest: string): StoredSubject | undefined {
  if (kind === 'blocks') return { kind };
  if (kind === 'pending') return { kind, isFull: rest === ',"isFull":true}' };
  if (rest.startsWith(FILTER)) return { kind, criteria: rest.slice(FILTER.length, -1) };
  const renewedAt = /^,"renewedAt":(\d{1,16})\}$/.exec(rest)?.[1];
  return renewedAt === undefined ? undefined : { kind, criteria: undefined, renewedAt: Number(renewedAt) };
}

/** Parses a record of an older version of the service, which wrote the members in another order. */
function parseMembers(text: string): FilterRecord | undefined {
  try {
    const { network, kind, last, before, at, nonce, filter, isFull } = JSON.parse(text) as Stored;
    if (typeof network !== 'string' || typeof last !== 'string') return undefined;
    if (typeof at !== 'number' || typeof nonce !== 'string') return undefined;
    const place = { network, last, before: typeof before === 'string' ? before : undefined, at, nonce };
    if (kind === 'blocks') return { ...place, subject: { kind } };
    if (kind === 'pending') return { ...place, subject: { kind, isFull: isFull === true } };
    if (kind !== 'logs' || filter === undefined) return undefined;
    return { ...place, subject: { kind, criteria: JSON.stringify(filter) } };
  } catch {
    return undefined;
  }
}

function encodeBound(bound: LogBound): string {
  return bound.kind === 'tag' ? bound.tag : encodeQuantity(bound.number);
}
