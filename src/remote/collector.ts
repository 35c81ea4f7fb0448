import type { CallRequest } from '../chain/chain.ts';
import { bigIntToBytes } from '../primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../primitives/hex.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { RequestScope } from '../util/request-scope.ts';
import { Findings } from '../verification/findings.ts';
import { encodeHeaderOf } from '../verification/hash-header.ts';
import { asText, isMembers } from '../verification/members.ts';
import { RlpWriter } from '../verification/rlp-writer.ts';
import { verifyAccountProof } from '../verification/state-proof.ts';
import type { Proven, RemoteBlock } from './remote-block.ts';
import { StateKeys } from './state-keys.ts';
import type { Place, StateSource } from './state-source.ts';

/** What one trip brings. */
export type Wanted = {
  readonly missing: StateKeys;
  /** A call of which a node is asked what it would access. */
  readonly hint?: CallRequest | undefined;
};

/** A trip outlives callers that have gone: others may wait for the same. It ends after so long. */
const TRIP_LIMIT_MS = 10_000;
/** Slots of one question. */
const MAX_SLOTS = 128;
/** Of BLOCKHASH. */
const MAX_ANCESTORS = 256n;
/** Accounts and slots of a node's hint that are taken. */
const MAX_HINTED = 4_096;
const ADDRESS = /^0x[0-9a-f]{40}$/;
const WORD = /^0x[0-9a-f]{64}$/;

/** Asks nodes for parts of states, and keeps what is proven. */
export class Collector {
  readonly #source: StateSource;
  readonly #proven: Proven;
  readonly #writer = new RlpWriter();
  /** What is being asked for, by what it is. */
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(source: StateSource, proven: Proven) {
    this.#source = source;
    this.#proven = proven;
  }

  /**
   * Asks for all that is wanted, in one turn.
   * @returns what a node says that the call would access
   * @throws what `StateSource.ask` throws
   */
  async collect(block: RemoteBlock, { missing, hint }: Wanted, scope: RequestScope): Promise<StateKeys> {
    const { stored } = block;
    const place = { number: stored.header.number, hash: stored.hashText };
    const trip = this.beginTrip(scope);
    const hinted = hint === undefined ? undefined : this.askHint(hint, place, trip);
    const proofs = [...missing.accounts].flatMap(([address, slots]) =>
      this.#proveAccount(block, place, address, slots, trip),
    );
    const codes = [...missing.codes].map((hash) => this.#fetchCode(hash, place, trip));
    const hashes = missing.oldestHash === undefined ? [] : this.#fetchHashes(block, missing.oldestHash, trip);
    const [found] = await Promise.all([hinted, ...proofs, ...codes, ...hashes]);
    return found ?? new StateKeys();
  }

  /** @returns the scope of the questions of a trip, which share requests */
  beginTrip(scope: RequestScope): RequestScope {
    scope.hasAskedNode = true;
    const trip = new RequestScope(performance.now() + TRIP_LIMIT_MS);
    trip.owner = scope.owner;
    trip.trace = scope.trace;
    trip.batch = {};
    return trip;
  }

  /** RLP of the header of a block. */
  askHeader({ number, hash }: Place, trip: RequestScope): Promise<Uint8Array> {
    const question = {
      method: 'eth_getBlockByNumber',
      encode: (): JsonText => `["${encodeQuantity(number)}",false]`,
    };
    const read = (answer: unknown): Uint8Array | undefined =>
      isMembers(answer) ? encodeHeaderOf(answer, hash, this.#writer) : undefined;
    return this.#source.ask(question, { number, hash }, read, trip);
  }

  /** What a node says that a call would access. It may be wrong, and a node that does not say it is no failure. */
  async askHint({ call, stateOverrides }: CallRequest, place: Place, trip: RequestScope): Promise<StateKeys> {
    const overrides = stateOverrides === undefined ? '' : `,${JSON.stringify(stateOverrides)}`;
    const question = {
      method: 'eth_createAccessList',
      encode: (block: JsonText): JsonText => `[${JSON.stringify(call)},${block}${overrides}]`,
    };
    try {
      return await this.#source.ask(question, place, readAccessList, trip);
    } catch (error) {
      if (this.#source.isOutage(error)) return new StateKeys();
      throw error;
    }
  }

  /** Asks for an account and its slots, but for what is being asked for already; and for the code of one that was never seen. */
  #proveAccount(
    block: RemoteBlock,
    place: Place,
    address: string,
    slots: ReadonlySet<string>,
    trip: RequestScope,
  ): Promise<unknown>[] {
    const name = `${block.stateRoot}/${address}`;
    const waits: Promise<unknown>[] = [];
    const asked: string[] = [];
    for (const slot of slots) {
      const pending = this.#pending.get(`${name}/${slot}`);
      if (pending === undefined) asked.push(slot);
      else waits.push(pending);
    }
    const pending = this.#pending.get(name);
    if (asked.length === 0 && pending !== undefined) return [...waits, pending];
    const isNew = this.#proven.states.latestOf(address) === undefined;
    for (let from = 0; from === 0 || from < asked.length; from += MAX_SLOTS) {
      const part = asked.slice(from, from + MAX_SLOTS);
      const proof = this.#prove(block, place, address, part, trip);
      waits.push(this.#track([name, ...part.map((slot) => `${name}/${slot}`)], proof));
    }
    if (isNew) waits.push(this.#track([`${name}/code`], this.#fetchNewCode(block, place, address, trip)));
    return waits;
  }

  /** Notes under each name that a promise is pending. */
  #track<T>(names: readonly string[], promise: Promise<T>): Promise<T> {
    for (const name of names) this.#pending.set(name, promise);
    const forget = (): void => {
      for (const name of names) if (this.#pending.get(name) === promise) this.#pending.delete(name);
    };
    promise.then(forget, forget);
    return promise;
  }

  async #prove(
    { stateRoot }: RemoteBlock,
    place: Place,
    address: string,
    slots: readonly string[],
    trip: RequestScope,
  ): Promise<void> {
    const question = {
      method: 'eth_getProof',
      encode: (block: JsonText): JsonText => `["${address}",${JSON.stringify(slots)},${block}]`,
    };
    const { account, words } = await this.#source.ask(
      question,
      place,
      (answer) => verifyAccountProof(answer, { address, slots }, stateRoot, new Findings()),
      trip,
    );
    const { states } = this.#proven;
    const proven = states.noteAccount(stateRoot, address, account);
    if (proven === null) return;
    for (const [index, slot] of slots.entries())
      states.noteSlot(proven.storageRoot, slot, bigIntToBytes(words[index] as bigint));
  }

  /** The code of an account that may have none. It is kept when the account's proof names it. */
  async #fetchNewCode(
    { stateRoot }: RemoteBlock,
    place: Place,
    address: string,
    trip: RequestScope,
  ): Promise<void> {
    const code = await this.#source.ask(codeQuestion(address), place, readData, trip);
    // The proof is asked for in the same trip.
    await this.#pending.get(`${stateRoot}/${address}`);
    const hash = bytesToHex(keccak256(code));
    const proven = this.#proven.states.findAccount(stateRoot, address);
    const isProven = proven != null && bytesToHex(proven.account.codeHash) === hash;
    if (isProven && code.length > 0) this.#proven.codes.add(new Map([[hash, code]]));
  }

  #fetchCode(hash: string, place: Place, trip: RequestScope): Promise<unknown> {
    const pending = this.#pending.get(hash);
    if (pending !== undefined) return pending;
    const address = this.#proven.states.holderOf(hash);
    if (address === undefined) return Promise.resolve();
    const read = (answer: unknown): Uint8Array | undefined => {
      const code = readData(answer);
      return code !== undefined && bytesToHex(keccak256(code)) === hash ? code : undefined;
    };
    const fetched = this.#source
      .ask(codeQuestion(address), place, read, trip)
      .then((code) => this.#proven.codes.add(new Map([[hash, code]])));
    return this.#track([hash], fetched);
  }

  /** Fetches ancestor headers down to the child of the oldest block that BLOCKHASH needs; each header contains its parent's hash. */
  #fetchHashes({ stored, blockHashes }: RemoteBlock, oldest: bigint, trip: RequestScope): Promise<void>[] {
    const { number } = stored.header;
    const end = number - BigInt(blockHashes.size);
    if (oldest < 0n || oldest < number - MAX_ANCESTORS || oldest >= end) return [];
    return [this.#linkHashes(end, oldest, blockHashes, trip)];
  }

  async #linkHashes(
    end: bigint,
    oldest: bigint,
    blockHashes: Map<bigint, Uint8Array>,
    trip: RequestScope,
  ): Promise<void> {
    const newest = blockHashes.get(end) as Uint8Array;
    const place = { number: end, hash: bytesToHex(newest) };
    const count = Number(end - oldest);
    const headers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.#source.ask(headerQuestion(end - BigInt(index)), place, (answer) => answer, trip),
      ),
    );
    let hash = place.hash;
    for (const [index, header] of headers.entries()) {
      if (!isMembers(header) || encodeHeaderOf(header, hash, this.#writer) === undefined) return;
      hash = asText(header['parentHash']).toLowerCase();
      blockHashes.set(end - BigInt(index) - 1n, hexToBytes(hash));
    }
  }
}

function headerQuestion(number: bigint): { readonly method: string; readonly encode: () => JsonText } {
  return { method: 'eth_getBlockByNumber', encode: () => `["${encodeQuantity(number)}",false]` };
}

function codeQuestion(address: string): {
  readonly method: string;
  readonly encode: (block: JsonText) => JsonText;
} {
  return { method: 'eth_getCode', encode: (block) => `["${address}",${block}]` };
}

function readData(answer: unknown): Uint8Array | undefined {
  if (typeof answer !== 'string') return undefined;
  try {
    return hexToBytes(answer);
  } catch {
    return undefined;
  }
}

function readAccessList(answer: unknown): StateKeys | undefined {
  if (!isMembers(answer) || !Array.isArray(answer['accessList'])) return undefined;
  const keys = new StateKeys();
  let count = 0;
  for (const entry of answer['accessList'] as readonly unknown[]) {
    if (!isMembers(entry) || !Array.isArray(entry['storageKeys'])) return undefined;
    const address = asText(entry['address']).toLowerCase();
    if (!ADDRESS.test(address)) return undefined;
    const slots = keys.addAccount(address);
    for (const key of entry['storageKeys'] as readonly unknown[]) {
      const slot = asText(key).toLowerCase();
      if (WORD.test(slot)) slots.add(slot);
      if (++count > MAX_HINTED) return keys;
    }
    if (++count > MAX_HINTED) return keys;
  }
  return keys;
}
