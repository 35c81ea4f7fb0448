import { randomBytes } from 'node:crypto';
import type { LogBound, LogFilter } from '../../chain/requests.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';

/** What a filter gives: hashes of blocks, logs, or transactions that wait (hashes of them, or the transactions themselves). */
export type FilterSubject =
  | { readonly kind: 'blocks' }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'pending'; readonly isFull: boolean };

/** The same as it is stored. `criteria`: the JSON text of a filter, as `eth_newFilter` takes it; nothing here parses it. */
export type StoredSubject =
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pending'; readonly isFull: boolean }
  | { readonly kind: 'logs'; readonly criteria: string }
  /** The criteria are in a record of their own, which was written at `renewedAt`, Unix milliseconds. */
  | { readonly kind: 'logs'; readonly criteria: undefined; readonly renewedAt: number };

/** The position up to which a filter was answered, and its criteria. */
export type FilterRecord = {
  /** Name of the network that it was made on. */
  readonly network: string;
  readonly subject: StoredSubject;
  /** What it was answered up to: a block's hash, or of transactions the time at which the last one was seen. */
  readonly last: string;
  /** The same before the answer that led to `last`, as long as it is not known that this was sent. */
  readonly before: string | undefined;
  /** When it was written, Unix milliseconds. */
  readonly at: number;
  /** Of this writing of it. */
  readonly nonce: string;
};

/** A record of criteria alone. */
export type CriteriaRecord = { readonly network: string; readonly criteria: string };

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

/** The JSON text of a filter for logs, as `eth_newFilter` takes it. */
export function encodeCriteria({ blocks, addresses, topics }: LogFilter): string {
  const range =
    blocks.kind === 'block'
      ? { blockHash: blocks.hash }
      : { fromBlock: encodeBound(blocks.from), toBlock: encodeBound(blocks.to) };
  return JSON.stringify({ ...range, address: addresses, topics });
}

/** The version before reads `before` past its first pattern, and leaves it out. */
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

/** A version that knows no records of criteria finds no filter in it. */
export function encodeCriteriaRecord({ network, criteria }: CriteriaRecord): string {
  return `{"network":"${network}"${FILTER}${criteria}}`;
}

const FILTER = ',"filter":';
const HEAD =
  /^\{(?:"before":"([^"\\]{0,100})",)?"nonce":"([^"\\]{0,64})","network":"([\w-]{1,64})","kind":"(blocks|pending|logs)","last":"([^"\\]{0,100})","at":(\d{1,16})/;
const CRITERIA_HEAD = /^\{"network":"([\w-]{1,64})","filter":/;

/** @returns undefined for what is no record of criteria alone */
export function parseCriteriaRecord(text: string): CriteriaRecord | undefined {
  const [head, network] = CRITERIA_HEAD.exec(text) ?? [];
  if (head === undefined || network === undefined) return undefined;
  return { network, criteria: text.slice(head.length, -1) };
}

/** Criteria are taken as text, however long they are. @returns undefined for what is no record of a filter */
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

/** Reads a record of the version that wrote the same members in another order. */
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
