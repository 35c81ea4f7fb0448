import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { RlpWriter } from '../../../../packages/ethereum/primitives/rlp-writer.ts';
import { encodeHeaderOf } from '../../../../packages/proofs/hash-header.ts';
import { isMembers } from '../../../../packages/proofs/members.ts';
import type { StateProofRequest } from '../../../../packages/proofs/state-proof.ts';
import type { CallRequest } from '../../../chain/requests.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SharedRequests } from '../proven/shared-request.ts';
import { StateKeys } from '../proven/state-keys.ts';
import type { BlockState, StatePlace } from '../proven/state-nodes.ts';
import type { StateValues } from '../proven/state-requests.ts';
import { AncestorHashes, headerRequest } from './ancestor-hashes.ts';
import { type CallHint, noteHint, readHint } from './call-hint.ts';
import { ProofSlots } from './proof-slots.ts';
import type { RemoteBlock } from './remote-block.ts';
import type { NodeRequest, Place, RemoteStateSource } from './state-source.ts';

/** State and hint to request in one round trip. */
export type Wanted = {
  readonly missing: StateKeys;
  /** Call for which a node is requested to report the accessed state. */
  readonly hint?: CallRequest | undefined;
};

/**
 * Maximum weight of the proofs in one slot of `ProofSlots`, counted in storage slots. An account weighs as much as `ACCOUNT_WEIGHT` storage slots,
 * because its proof and code are larger.
 */
const TURN_WEIGHT = 128;
const ACCOUNT_WEIGHT = 4;

/**
 * Maximum fraction of a call's remaining time for a hint. If no hint arrives, the call uses the rest of its time for requesting state, or nodes
 * execute the call.
 */
const HINT_SHARE = 1 / 4;

const NO_HINT: CallHint = { keys: new StateKeys() };

/** Requests state, headers and hints for executions from nodes. */
export class Collector {
  readonly #source: RemoteStateSource;
  readonly #writer = new RlpWriter();
  readonly #ancestors: AncestorHashes;
  readonly #proofSlots = new ProofSlots();
  /** Code requests for accounts that no proof has contained before, by block and account. */
  readonly #newCodes: SharedRequests<Uint8Array>;

  constructor(source: RemoteStateSource) {
    this.#source = source;
    this.#ancestors = new AncestorHashes(source, this.ask.bind(this));
    this.#newCodes = new SharedRequests(source.requests.roundTrips);
  }

  /**
   * Requests the state keys in `missing` and, for `hint`, a node's report of the accesses. Few keys need only one round trip.
   * @returns the keys that the call accesses according to a node; undefined if nodes send proofs of an unknown form
   * @throws the errors of `RemoteStateSource.ask`
   */
  async collect(
    block: RemoteBlock,
    { missing, hint }: Wanted,
    scope: RequestScope,
  ): Promise<StateKeys | undefined> {
    const { at } = block;
    const hinted = hint === undefined ? NO_HINT : this.requestHint(hint, at, scope);
    const proofs = this.#proveAccounts(missing, at, scope);
    const codes = [...missing.codes].map((hash) => this.#proveCode(hash, at, scope));
    const hashes = this.#ancestors.fetch(block, missing.blockNumbers, scope);
    const [found, states] = await Promise.all([hinted, proofs, hashes, ...codes]);
    return states.includes(undefined) ? undefined : this.noteHint(found, at);
  }

  /**
   * Requests proofs in slots of `ProofSlots`. The weight of the proofs in one slot is limited, so that they occupy neither a node nor the event loop
   * for long.
   */
  async #proveAccounts(
    { accounts, size }: StateKeys,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<readonly (StateValues | undefined)[]> {
    const proofSlots = splitIntoSlots(accounts);
    if (proofSlots.length > 0) await this.#source.requests.pace.take(scope, size);
    const states = await Promise.all(
      proofSlots.map((queries) =>
        this.#proofSlots.run(scope, proofSlots.length > 1, () =>
          Promise.all(queries.map((request) => this.#proveAccount(request, at, scope))),
        ),
      ),
    );
    return states.flat();
  }

  /**
   * Requests a block's header, and verifies it against the block hash.
   * @returns the RLP of the header
   * @throws the errors of `RemoteStateSource.ask`
   */
  requestHeader({ number, hash }: Place, scope: RequestScope): Promise<Uint8Array> {
    const read = (answer: unknown): Uint8Array | undefined =>
      isMembers(answer) ? encodeHeaderOf(answer, hash, this.#writer) : undefined;
    // Other callers may wait for the header, so it is requested even if the first caller has disconnected.
    return this.ask(headerRequest(number), { number, hash }, read, scope, () => true);
  }

  /**
   * Requests a node's report of a call's accesses. For an unknown contract without state overrides, the report contains all proofs (`proof_call`);
   * otherwise it is an access list, which is much shorter. The reported accesses may be wrong. If no node answers, the hint is empty. A hint has a
   * separate HTTP request: geth searches without a time limit for a list that does not converge, which would delay the other calls of a batch.
   */
  async requestHint(
    { call, stateOverrides }: CallRequest,
    place: Place,
    scope: RequestScope,
  ): Promise<CallHint> {
    const { states } = this.#source.requests.proven;
    const isKnown = call.to !== undefined && states.proven.latestOf(call.to) !== undefined;
    const overrides = stateOverrides === undefined ? '' : `,${JSON.stringify(stateOverrides)}`;
    const encode = (block: JsonText): JsonText => `[${JSON.stringify(call)},${block}${overrides}]`;
    const list: NodeRequest = { method: 'eth_createAccessList', encode, isOptional: true };
    const requestsList = isKnown || stateOverrides !== undefined;
    const request = requestsList ? list : { ...list, method: 'proof_call', instead: list };
    const read = (answer: unknown): CallHint | undefined => readHint(requestsList ? [answer] : answer);
    const { requests } = this.#source;
    try {
      return await requests.roundTrips.ask(scope, (roundTrip) => {
        const now = performance.now();
        const own = roundTrip.derive({ deadline: now + (scope.deadline - now) * HINT_SHARE });
        own.batch = undefined;
        return this.#source.ask(request, place, read, own).finally(() => own.release());
      });
    } catch (error) {
      if (this.#source.isOutage(error)) return NO_HINT;
      throw error;
    }
  }

  /** Stores the parts of a hint that can be verified; see `noteHint` in `call-hint.ts`. */
  noteHint(hint: CallHint, at: BlockState): StateKeys {
    return noteHint(hint, at, this.#source.requests.proven);
  }

  /**
   * Sends a request like `RemoteStateSource.ask`, but waits for the next round trip of the owner and sends the request with it.
   * @param isWanted see `RoundTrips.ask`
   */
  ask<T>(
    request: NodeRequest,
    place: Place,
    read: (answer: unknown) => T | undefined,
    scope: RequestScope,
    isWanted?: () => boolean,
  ): Promise<T> {
    const { requests } = this.#source;
    return requests.roundTrips.ask(
      scope,
      (roundTrip) => this.#source.ask(request, place, read, roundTrip),
      isWanted,
    );
  }

  /**
   * Requests an account's proof. If no proof has contained the account before, also requests its code in the same round trip. The code is stored if
   * its hash matches the proof.
   */
  async #proveAccount(
    request: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<StateValues | undefined> {
    const { requests } = this.#source;
    const { states, codes } = requests.proven;
    const { address } = request;
    const isNew = states.proven.latestOf(address) === undefined;
    const [state, code] = await Promise.all([
      requests.prove(request, at, scope),
      isNew ? this.#requestNewCode(address, at, scope) : undefined,
    ]);
    if (code === undefined || code.length === 0 || state?.account == null) return state;
    const hash = bytesToHex(keccak256(code));
    if (bytesToHex(state.account.codeHash) === hash) codes.add(new Map([[hash, code]]));
    return state;
  }

  #requestNewCode(address: string, at: StatePlace, scope: RequestScope): Promise<Uint8Array> {
    const request: NodeRequest = { method: 'eth_getCode', encode: (block) => `["${address}",${block}]` };
    return this.#newCodes.ask(`${at.hash}/${address}`, scope, (roundTrip) =>
      this.#source.ask(request, at, readData, roundTrip),
    );
  }

  #proveCode(hash: string, at: StatePlace, scope: RequestScope): PromiseOrValue<unknown> {
    const { requests } = this.#source;
    const address = requests.proven.states.proven.holderOf(hash);
    return address === undefined ? undefined : requests.proveCode(address, hash, at, scope);
  }
}

function readData(answer: unknown): Uint8Array | undefined {
  if (typeof answer !== 'string') return undefined;
  try {
    return hexToBytes(answer);
  } catch {
    return undefined;
  }
}

/** Splits proof requests into groups that weigh at most `TURN_WEIGHT` each. */
function splitIntoSlots(
  accounts: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly StateProofRequest[])[] {
  const proofSlots: StateProofRequest[][] = [];
  let room = 0;
  for (const [address, allSlots] of accounts) {
    const slots = [...allSlots];
    for (let at = 0; at === 0 || at < slots.length; ) {
      if (room <= ACCOUNT_WEIGHT) {
        proofSlots.push([]);
        room = TURN_WEIGHT;
      }
      const part = slots.slice(at, at + room - ACCOUNT_WEIGHT);
      proofSlots.at(-1)?.push({ address, slots: part });
      room -= ACCOUNT_WEIGHT + part.length;
      at += Math.max(1, part.length);
    }
  }
  return proofSlots;
}
