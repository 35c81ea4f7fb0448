import type * as z from 'zod';
import type { AccessListEntry, AccountOverride, StateOverrides } from '../chain/chain.ts';
import { type Acceptor, findAcceptor } from '../rpc/acceptors.ts';
import { address, data, hash32, quantity64, quantity256 } from '../rpc/schemas.ts';

type Members = Readonly<Record<string, unknown>>;

/** What was found to be as its schema would leave it, by `checkLargeParams`: it need not be looked through again. */
const CHECKED = new WeakSet<object>();
/** Values that are checked between two pauses: a fraction of a millisecond. */
const VALUES_PER_SLICE = 512;

const isTidy = (schema: z.ZodType<string>): ((value: unknown) => boolean) => {
  const accept: Acceptor<string> | undefined = findAcceptor(schema);
  return (value) => value !== undefined && accept?.(value) === value;
};
const isAddress = isTidy(address);
const isHash = isTidy(hash32);

/** In the order in which the schema leaves them. */
const ACCOUNT_FIELDS: { readonly [K in keyof AccountOverride]-?: (value: unknown) => boolean } = {
  nonce: isTidy(quantity64),
  code: isTidy(data),
  balance: isTidy(quantity256),
  state: isStorage,
  stateDiff: isStorage,
  movePrecompileToAddress: isAddress,
};
const ACCOUNT_PLACES = new Map(
  Object.entries(ACCOUNT_FIELDS).map(([name, accept], place) => [name, { place, accept }]),
);

/** Acceptor of state overrides that are as the schema would leave them. */
export function acceptStateOverrides(raw: unknown): StateOverrides | undefined {
  if (!isObject(raw)) return undefined;
  if (!CHECKED.has(raw)) {
    for (const key in raw) if (!isAddress(key) || !isAccount(raw[key])) return undefined;
  }
  return raw as StateOverrides;
}

/** Acceptor of access lists that are as the schema would leave them. */
export function acceptAccessList(raw: unknown): readonly AccessListEntry[] | undefined {
  return Array.isArray(raw) && (CHECKED.has(raw) || raw.every(isAccessListEntry)) ? raw : undefined;
}

/**
 * Validates large parameters of a call in pieces and caches which of them need no change by their schema. The schema then rejects or
 * normalises the others.
 */
export function* checkLargeParams([call, , overrides]: readonly unknown[]): Generator<undefined, void> {
  if (isObject(call) && Array.isArray(call['accessList'])) yield* checkAccessList(call['accessList']);
  if (isObject(overrides)) yield* checkStateOverrides(overrides);
}

function* checkAccessList(list: readonly unknown[]): Generator<undefined, void> {
  for (let i = 0; i < list.length; i++) {
    if (i % VALUES_PER_SLICE === VALUES_PER_SLICE - 1) yield;
    const entry = list[i];
    if (isObject(entry) && Array.isArray(entry['storageKeys'])) yield* checkHashes(entry['storageKeys']);
    if (!isAccessListEntry(entry)) return;
  }
  CHECKED.add(list);
}

function* checkHashes(list: readonly unknown[]): Generator<undefined, void> {
  for (let i = 0; i < list.length; i++) {
    if (!isHash(list[i])) return;
    if (i % VALUES_PER_SLICE === VALUES_PER_SLICE - 1) yield;
  }
  CHECKED.add(list);
}

function* checkStateOverrides(overrides: Members): Generator<undefined, void> {
  let count = 0;
  for (const key in overrides) {
    if (++count % VALUES_PER_SLICE === 0) yield;
    const account = overrides[key];
    if (!isObject(account)) return;
    yield* checkStorage(account['state']);
    yield* checkStorage(account['stateDiff']);
    if (!isAddress(key) || !isAccount(account)) return;
  }
  CHECKED.add(overrides);
}

function* checkStorage(storage: unknown): Generator<undefined, void> {
  if (!isObject(storage)) return;
  let count = 0;
  for (const slot in storage) {
    if (!isHash(slot) || !isHash(storage[slot])) return;
    if (++count % VALUES_PER_SLICE === 0) yield;
  }
  CHECKED.add(storage);
}

function isAccount(raw: unknown): raw is AccountOverride {
  if (!isObject(raw)) return false;
  let lastPlace = -1;
  for (const name in raw) {
    const field = ACCOUNT_PLACES.get(name);
    if (field === undefined || field.place < lastPlace || !field.accept(raw[name])) return false;
    lastPlace = field.place;
  }
  return true;
}

function isStorage(raw: unknown): boolean {
  if (!isObject(raw)) return false;
  if (CHECKED.has(raw)) return true;
  for (const slot in raw) if (!isHash(slot) || !isHash(raw[slot])) return false;
  return true;
}

function isAccessListEntry(raw: unknown): raw is AccessListEntry {
  if (!isObject(raw)) return false;
  const [first, second, third] = Object.keys(raw);
  if (first !== 'address' || second !== 'storageKeys' || third !== undefined) return false;
  const { address: account, storageKeys: keys } = raw;
  return isAddress(account) && Array.isArray(keys) && (CHECKED.has(keys) || keys.every(isHash));
}

function isObject(raw: unknown): raw is Members {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}
