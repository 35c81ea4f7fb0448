import { bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import type { StateProofRequest, VerifiedState } from '../../../../packages/proofs/state-proof.ts';
import { completeWithin } from '../../../util/complete-within.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import { BlockStates } from './block-states.ts';
import { Codes, type CodeTable } from './codes.ts';
import { ProofRate } from './proof-rate.ts';
import { Joined, type OpenProof, ProofRequests } from './proof-requests.ts';
import { RollForward } from './roll-forward.ts';
import { RoundTrips } from './round-trips.ts';
import { awaitShared, SharedRequest, SharedRequests } from './shared-request.ts';
import type { BlockState, ListNodes, StateNodes, StatePlace } from './state-nodes.ts';
import { WarmUp } from './warm-up.ts';

/** Number of slots that are looked up between two pauses; a look-up takes about 30 µs. */
const SLOTS_A_STEP = 32;
/**
 * Maximum number of times that the slots of one request are looked up while proofs arrive. A slot that the last look-up does not find is requested
 * again.
 */
const MAX_LOOKS = 4;
/** Default of `maxWarmingMs`, milliseconds. */
const MAX_WARMING_MS = 500;

/** Cache of a network's verified state and codes. */
export type StateCache = { readonly states: BlockStates; readonly codes: Codes };

export type StateCacheOptions = {
  /** Limit on the heap size of state and codes, bytes. */
  readonly bytes?: number;
  /** Persistent store of codes; absent if codes are cached only in memory. */
  readonly codes?: CodeTable | undefined;
  /** Called with errors of the persistent store of codes. */
  readonly onFault: (error: unknown) => void;
};

/** Default heap limit, bytes. */
const DEFAULT_BYTES: number = 64 << 20;
/** Share of the memory that is reserved for codes. */
const CODES_SHARE = 0.5;

/** Creates an empty cache of verified state. */
export function createStateCache({ bytes = DEFAULT_BYTES, codes, onFault }: StateCacheOptions): StateCache {
  return {
    states: new BlockStates(bytes * (1 - CODES_SHARE)),
    codes: new Codes(bytes * CODES_SHARE, codes, onFault),
  };
}

/** Verified account and slot values at a block. */
export type StateValues = {
  /** The account; null if it does not exist. */
  readonly account: Pick<AccountState, 'nonce' | 'balance' | 'codeHash'> | null;
  /** Values of the requested slots, in the order of the request. */
  readonly words: readonly bigint[];
};

export type StateRequestsOptions = {
  /** Maximum time that a reader waits for the warm-up at a new head, milliseconds. */
  readonly maxWarmingMs?: number;
  /** Monotonic clock for the arrival times of heads, milliseconds. */
  readonly now?: () => number;
  /** Source of block access lists; absent if state is never rolled forward. */
  readonly lists?: ListNodes;
};

/**
 * Reads verified state, and requests missing state from nodes. Concurrent readers share requests, and the missing slots of one account share one
 * request.
 */
export class StateRequests {
  readonly proven: StateCache;
  readonly roundTrips: RoundTrips = new RoundTrips();
  /** Rate limit per owner for accounts and slots whose proofs are requested from the nodes of this network. */
  readonly pace: ProofRate = new ProofRate();
  readonly warmUp: WarmUp;
  readonly #rollForward: RollForward | undefined;
  readonly #nodes: StateNodes;
  readonly #maxWarmingMs: number;
  /** Unanswered requests, by state root and account. */
  readonly #requests = new ProofRequests();
  /** Number of answers to proof requests. */
  #answers = 0;
  /** Code requests by code hash. */
  readonly #codes = new SharedRequests<Uint8Array>(this.roundTrips);

  constructor(nodes: StateNodes, proven: StateCache, options: StateRequestsOptions = {}) {
    const { maxWarmingMs = MAX_WARMING_MS, now = () => performance.now(), lists } = options;
    const { states, codes } = proven;
    this.#nodes = nodes;
    this.#maxWarmingMs = maxWarmingMs;
    this.proven = proven;
    const requestProof = async (
      query: StateProofRequest,
      at: StatePlace,
      scope: RequestScope,
    ): Promise<boolean> => {
      const { requests } = await inSteps(query, scope, this.#join(query, at, scope));
      const outcomes = await Promise.all(requests.map((request) => request.query.outcome));
      return !outcomes.includes(undefined);
    };
    this.#rollForward = lists && new RollForward(lists, states, codes, this.roundTrips);
    this.warmUp = new WarmUp(states, requestProof, now, this.#rollForward);
  }

  /** Number of heads to which state was rolled forward. */
  get rolled(): number {
    return this.#rollForward?.count ?? 0;
  }

  /** Approximate heap size of all verified state, bytes. */
  get bytes(): number {
    return this.proven.states.bytes + this.proven.codes.bytes;
  }

  /** Returns the requested values if all are known, otherwise undefined. In contrast to `prove`, `find` sends no request. */
  find(query: StateProofRequest, at: BlockState): StateValues | undefined {
    return runAtOnce(this.#findInSteps(query, at, true));
  }

  /**
   * Returns an account and some of its slots, from memory or from nodes.
   * @param query address and slots (32 bytes each) as lower-case `0x` text
   * @returns undefined if nodes send proofs of an unknown form
   * @throws the errors of `StateNodes`; ChainError `timeout`
   */
  prove(
    query: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
  ): PromiseOrValue<StateValues | undefined> {
    if (query.slots.length <= SLOTS_A_STEP)
      return this.find(query, at) ?? this.#proveMissing(query, at, scope);
    const finding = SCHEDULER.run(scope.owner ?? '', this.#findInSteps(query, at, true));
    return finding instanceof Promise
      ? finding.then((found) => found ?? this.#proveMissing(query, at, scope))
      : (finding ?? this.#proveMissing(query, at, scope));
  }

  /**
   * Returns a code by its hash. The caller must have verified by a proof that the account has this code hash.
   * @throws the errors of `StateNodes`; ChainError `timeout`
   */
  proveCode(
    address: string,
    codeHash: string,
    at: StatePlace,
    scope: RequestScope,
  ): PromiseOrValue<Uint8Array> {
    const known = this.proven.codes.find(codeHash);
    if (known !== undefined) return known;
    return this.#codes.ask(codeHash, scope, async (roundTrip) => {
      const code = await this.#nodes.requestCode(address, hexToBytes(codeHash), at, roundTrip);
      this.proven.codes.add(new Map([[codeHash, code]]));
      return code;
    });
  }

  /** @param isRead whether to record the keys as read, which the warm-up at the next head uses */
  *#findInSteps(
    { address, slots }: StateProofRequest,
    at: BlockState,
    isRead: boolean,
  ): Generator<undefined, StateValues | undefined> {
    const { warmUp } = this;
    if (isRead && slots.length === 0) warmUp.noteRead(at.stateRoot, address);
    if (isRead) for (const slot of slots) warmUp.noteRead(at.stateRoot, address, slot);
    const account = this.proven.states.findAccount(at, address);
    if (account === undefined) return undefined;
    const words: bigint[] = [];
    for (const slot of slots) {
      if (words.length % SLOTS_A_STEP === SLOTS_A_STEP - 1) yield;
      const word = this.#findWord(at, address, slot);
      if (word === undefined) return undefined;
      words.push(word);
    }
    return { account, words };
  }

  #findWord(at: BlockState, address: string, slot: string): bigint | undefined {
    const value = this.proven.states.findSlot(at, address, slot);
    return value && bytesToBigInt(value);
  }

  async #proveMissing(
    query: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<StateValues | undefined> {
    scope.hasCalledNode = true;
    const warmUntil = Math.min(scope.deadline, performance.now() + this.#maxWarmingMs);
    for (let now = performance.now(); now < warmUntil; now = performance.now()) {
      const round = this.warmUp.findRound(at.stateRoot, query);
      if (round === undefined) break;
      await completeWithin(round, warmUntil - now);
      await SCHEDULER.rejoin(scope.owner ?? '');
      const found = await inSteps(query, scope, this.#findInSteps(query, at, false));
      if (found !== undefined) return found;
    }
    const { known, requests } = await inSteps(query, scope, this.#join(query, at, scope));
    const outcomes = await awaitShared(
      requests.map((request) => request.query),
      scope,
    );
    if (outcomes === undefined) return this.#proveMissing(query, at, scope);
    return (
      combine(query, requests, outcomes, known) ?? inSteps(query, scope, this.#findInSteps(query, at, false))
    );
  }

  /**
   * Joins in-flight or new requests for all missing keys, at least one request. After the look-ups, all requests are made without a pause in between,
   * so that they are few. If answers arrive during the look-ups, missing slots are looked up again.
   */
  *#join(query: StateProofRequest, at: StatePlace, scope: RequestScope): Generator<undefined, Joined> {
    const { address } = query;
    const joined = new Joined(scope);
    let missing = query.slots;
    for (let look = 0, answers = -1; look < MAX_LOOKS && answers !== this.#answers; look++) {
      answers = this.#answers;
      missing = yield* this.#findWords(address, missing, at, joined.known);
    }
    const name = `${at.stateRoot}/${address}`;
    const open = (): OpenProof => this.#open(address, at, scope);
    for (const slot of missing) joined.join(this.#requests.joinSlot(name, slot, open));
    if (joined.isEmpty) joined.join(this.#requests.joinAccount(name, open));
    return joined;
  }

  /** @param known map that receives the values of slots that need no proof */
  *#findWords(
    address: string,
    slots: readonly string[],
    at: StatePlace,
    known: Map<string, bigint>,
  ): Generator<undefined, readonly string[]> {
    if (this.proven.states.findAccount(at, address) == null) return slots;
    const missing: string[] = [];
    for (const [index, slot] of slots.entries()) {
      if (index % SLOTS_A_STEP === SLOTS_A_STEP - 1) yield;
      const word = this.#findWord(at, address, slot);
      if (word === undefined) missing.push(slot);
      else known.set(slot, word);
    }
    return missing;
  }

  #open(address: string, at: StatePlace, scope: RequestScope): OpenProof {
    const slots = new Set<string>();
    const query = new SharedRequest(this.roundTrips, scope, async (roundTrip) => {
      const requested = { address, slots: [...slots] };
      const state = await this.#nodes.requestProof(requested, at, roundTrip);
      this.#answers++;
      if (state !== undefined) this.proven.states.proven.note(at.stateRoot, requested, state);
      return state;
    });
    return { slots, query };
  }
}

/** Runs work for up to `SLOTS_A_STEP` slots at once, and larger work in scheduler slots of the owner. */
function inSteps<T>(
  { slots }: StateProofRequest,
  { owner = '' }: RequestScope,
  work: Generator<undefined, T>,
): PromiseOrValue<T> {
  return slots.length <= SLOTS_A_STEP ? runAtOnce(work) : SCHEDULER.run(owner, work);
}

function runAtOnce<T>(work: Generator<undefined, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/**
 * Collects the requested values from the verified proofs. The cache is not read here, because a small cache may already have evicted some of the
 * values.
 */
function combine(
  { slots }: StateProofRequest,
  requests: readonly OpenProof[],
  outcomes: readonly (VerifiedState | undefined)[],
  known: ReadonlyMap<string, bigint>,
): StateValues | undefined {
  const words = new Map(known);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === undefined) return undefined;
    const requested = [...(requests[index] as OpenProof).slots];
    for (const [at, slot] of requested.entries()) words.set(slot, outcome.words[at] as bigint);
  }
  return { account: outcomes[0]?.account ?? null, words: slots.map((slot) => words.get(slot) as bigint) };
}
