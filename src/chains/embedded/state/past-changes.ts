import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { BlockChangedKeys } from '../store/block-changes.ts';
import type { ChainReader } from '../store/chain-reader.ts';
import type { KeyAge, KeyRange } from '../store/versioned-table.ts';

/** A changed account and its changed slots. */
export type ChangedAccount = {
  readonly address: Uint8Array;
  /** Changed slots (32 bytes), by their hex text. */
  readonly slots: ReadonlyMap<string, Uint8Array>;
};

const ADDRESS_LENGTH = 20;
/** Maximum total number of changed accounts and slots, which take about 400 bytes each. */
const MAX_CHANGED_KEYS = 100_000;
/** Number of keys that are scanned between two pauses, in about 1 ms. */
const KEYS_PER_STEP = 1_000;

/**
 * Lists the accounts and slots that changed after block `from`, up to block `to`. If the store lacks the change list of a block, all keys are
 * scanned.
 * @throws ChainError when more than `MAX_CHANGED_KEYS` keys changed
 */
export function* listPastChanges(
  reader: ChainReader,
  from: number,
  to: number,
): Generator<undefined, Iterable<ChangedAccount>> {
  const changes = new ChangedKeys();
  for (let block = from + 1; block <= to; block++) {
    const listed = reader.getChanges(BigInt(block));
    if (listed === undefined) return yield* scanChanges(reader, from);
    changes.add(listed);
    yield;
  }
  return changes.accounts;
}

function* scanChanges(reader: ChainReader, from: number): Generator<undefined, Iterable<ChangedAccount>> {
  const changes = new ChangedKeys();
  const listChanged = (keys: readonly KeyAge[]): Uint8Array[] =>
    keys.filter(({ since }) => since > from).map(({ key }) => key);
  for (const keys of scanKeys((range) => reader.listAccounts(range))) {
    changes.add({ accounts: listChanged(keys), slots: [] });
    yield;
  }
  for (const keys of scanKeys((range) => reader.listSlots(range))) {
    changes.add({ accounts: [], slots: listChanged(keys) });
    yield;
  }
  return changes.accounts;
}

/** Yields all keys of a table, or all keys with a prefix, in groups. No LMDB cursor is open between two groups. */
export function* scanKeys(
  list: (range: KeyRange) => readonly KeyAge[],
  prefix?: Uint8Array,
): Generator<readonly KeyAge[], void> {
  let after: Uint8Array | undefined;
  do {
    const keys = list({
      limit: KEYS_PER_STEP,
      ...(prefix !== undefined && { prefix }),
      ...(after !== undefined && { after }),
    });
    yield keys;
    after = keys.length < KEYS_PER_STEP ? undefined : keys.at(-1)?.key;
  } while (after !== undefined);
}

/** Collects changed accounts and slots, each once, by account. */
class ChangedKeys {
  readonly #accounts = new Map<
    string,
    { readonly address: Uint8Array; readonly slots: Map<string, Uint8Array> }
  >();
  #count = 0;

  add({ accounts, slots }: BlockChangedKeys): void {
    for (const address of accounts) this.#mark(address);
    for (const key of slots) {
      const marked = this.#mark(key.subarray(0, ADDRESS_LENGTH)).slots;
      const slot = key.subarray(ADDRESS_LENGTH);
      const text = bytesToHex(slot);
      if (marked.has(text)) continue;
      marked.set(text, slot);
      this.#count++;
    }
    if (this.#count > MAX_CHANGED_KEYS) {
      throw new ChainError('failed', 'too much state has changed since this block to build a proof');
    }
  }

  get accounts(): Iterable<ChangedAccount> {
    return this.#accounts.values();
  }

  #mark(address: Uint8Array): { readonly slots: Map<string, Uint8Array> } {
    const text = bytesToHex(address);
    let marked = this.#accounts.get(text);
    if (marked === undefined) {
      marked = { address, slots: new Map() };
      this.#accounts.set(text, marked);
      this.#count++;
    }
    return marked;
  }
}
