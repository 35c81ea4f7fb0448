import type { AccountState } from '../evm/host.ts';
import { bytesToBigInt } from '../primitives/bytes.ts';
import { hexToBytes } from '../primitives/hex.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { settleWithin } from '../util/settle-within.ts';
import { TURNS } from '../util/turn-queue.ts';
import type { ProofQuestion, ProvenState } from '../verification/state-proof.ts';
import { BlockStates } from './block-states.ts';
import { Codes, type CodeTable } from './codes.ts';
import { KeyPace } from './key-pace.ts';
import { Joined, type OpenQuestion, ProofRequests } from './proof-requests.ts';
import { RollForward } from './roll-forward.ts';
import { SharedQuestion, SharedQuestions, settleShared } from './shared-question.ts';
import type { BlockState, ListNodes, StateNodes, StatePlace } from './state-nodes.ts';
import { Trips } from './trips.ts';
import { WarmUp } from './warm-up.ts';

/** Slots looked up between two pauses: some 30 µs each, down the tries. */
const SLOTS_A_STEP = 32;
/** Cap on repeated look-ups of slots while proofs arrive: a slot missed the last time is requested once more. */
const MAX_LOOKS = 4;
/** Default of `maxWarmingMs`, milliseconds. */
const MAX_WARMING_MS = 500;

/** Verified state of all blocks of a network. */
export type Proven = { readonly states: BlockStates; readonly codes: Codes };

export type ProvenOptions = {
  /** Bound on the memory of all parts together. */
  readonly bytes?: number;
  /** Store of codes on disk. */
  readonly codes?: CodeTable | undefined;
  /** Called with faults of this program. */
  readonly onFault: (error: unknown) => void;
};

/** Default memory bound. */
const DEFAULT_BYTES: number = 64 << 20;
/** Share of the memory for codes. */
const CODES_SHARE = 0.5;

/** Creates an empty store of verified state. */
export function createProven({ bytes = DEFAULT_BYTES, codes, onFault }: ProvenOptions): Proven {
  return {
    states: new BlockStates(bytes * (1 - CODES_SHARE)),
    codes: new Codes(bytes * CODES_SHARE, codes, onFault),
  };
}

/** Verified values of an account at a block. */
export type StateValues = {
  /** Null where there is no such account. */
  readonly account: Pick<AccountState, 'nonce' | 'balance' | 'codeHash'> | null;
  /** Words of the requested slots, in their order. */
  readonly words: readonly bigint[];
};

export type StateRequestsOptions = {
  /** Longest wait of a reader for the warm-up at a new head, milliseconds. */
  readonly maxWarmingMs?: number;
  /** Monotonic clock in milliseconds, used for the arrival of heads. */
  readonly now?: () => number;
  /** Source of block access lists. */
  readonly lists?: ListNodes;
};

/** Reads verified state, and requests missing state from nodes: the same part once, and the missing parts of one account in one request. */
export class StateRequests {
  readonly proven: Proven;
  readonly trips: Trips = new Trips();
  /** Rate per owner at which nodes prove accounts and slots of this network. */
  readonly pace: KeyPace = new KeyPace();
  readonly warmUp: WarmUp;
  readonly #rollForward: RollForward | undefined;
  readonly #nodes: StateNodes;
  readonly #maxWarmingMs: number;
  /** Unanswered requests, by state root and account. */
  readonly #requests = new ProofRequests();
  /** Number of answers to proof requests. */
  #answers = 0;
  /** Code requests by hash. */
  readonly #codes = new SharedQuestions<Uint8Array>(this.trips);

  constructor(nodes: StateNodes, proven: Proven, options: StateRequestsOptions = {}) {
    const { maxWarmingMs = MAX_WARMING_MS, now = () => performance.now(), lists } = options;
    const { states, codes } = proven;
    this.#nodes = nodes;
    this.#maxWarmingMs = maxWarmingMs;
    this.proven = proven;
    const askProof = async (
      question: ProofQuestion,
      at: StatePlace,
      scope: RequestScope,
    ): Promise<boolean> => {
      const { requests } = await inSteps(question, scope, this.#join(question, at, scope));
      const outcomes = await Promise.all(requests.map((request) => request.question.outcome));
      return !outcomes.includes(undefined);
    };
    this.#rollForward = lists && new RollForward(lists, states, codes, this.trips);
    this.warmUp = new WarmUp(states, askProof, now, this.#rollForward);
  }

  /** Number of heads to which state was rolled forward. */
  get rolled(): number {
    return this.#rollForward?.count ?? 0;
  }

  /** Approximate heap size of all verified state, bytes. */
  get bytes(): number {
    return this.proven.states.bytes + this.proven.codes.bytes;
  }

  /** Returns the values if all of them are known; unlike `prove`, sends no request. */
  find(question: ProofQuestion, at: BlockState): StateValues | undefined {
    return runAtOnce(this.#findInSteps(question, at, true));
  }

  /**
   * Returns an account and some of its slots, from memory or from nodes.
   * @param question lower-case texts, slots of 32 bytes
   * @returns undefined where nodes send proofs of an unknown form
   * @throws the errors of `StateNodes`; ChainError `timeout`
   */
  prove(
    question: ProofQuestion,
    at: StatePlace,
    scope: RequestScope,
  ): PromiseOrValue<StateValues | undefined> {
    if (question.slots.length <= SLOTS_A_STEP)
      return this.find(question, at) ?? this.#proveMissing(question, at, scope);
    const finding = TURNS.run(scope.owner ?? '', this.#findInSteps(question, at, true));
    return finding instanceof Promise
      ? finding.then((found) => found ?? this.#proveMissing(question, at, scope))
      : (finding ?? this.#proveMissing(question, at, scope));
  }

  /**
   * Returns code by its hash, which a proof shows to be that of the account's code.
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
    return this.#codes.ask(codeHash, scope, async (trip) => {
      const code = await this.#nodes.askCode(address, hexToBytes(codeHash), at, trip);
      this.proven.codes.add(new Map([[codeHash, code]]));
      return code;
    });
  }

  /** @param isRead whether the keys are noted as read at the block */
  *#findInSteps(
    { address, slots }: ProofQuestion,
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
    question: ProofQuestion,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<StateValues | undefined> {
    scope.hasAskedNode = true;
    const warmUntil = Math.min(scope.deadline, performance.now() + this.#maxWarmingMs);
    for (let now = performance.now(); now < warmUntil; now = performance.now()) {
      const round = this.warmUp.findRound(at.stateRoot, question);
      if (round === undefined) break;
      await settleWithin(round, warmUntil - now);
      await TURNS.rejoin(scope.owner ?? '');
      const found = await inSteps(question, scope, this.#findInSteps(question, at, false));
      if (found !== undefined) return found;
    }
    const { known, requests } = await inSteps(question, scope, this.#join(question, at, scope));
    const outcomes = await settleShared(
      requests.map((request) => request.question),
      scope,
    );
    if (outcomes === undefined) return this.#proveMissing(question, at, scope);
    return (
      combine(question, requests, outcomes, known) ??
      inSteps(question, scope, this.#findInSteps(question, at, false))
    );
  }

  /**
   * Joins in-flight requests, and new ones, for everything missing: at least one. It joins synchronously after the look-ups, so that as few requests as
   * possible are sent; where answers arrived during the look-ups, missing slots are looked up again.
   */
  *#join(question: ProofQuestion, at: StatePlace, scope: RequestScope): Generator<undefined, Joined> {
    const { address } = question;
    const joined = new Joined(scope);
    let missing = question.slots;
    for (let look = 0, answers = -1; look < MAX_LOOKS && answers !== this.#answers; look++) {
      answers = this.#answers;
      missing = yield* this.#findWords(address, missing, at, joined.known);
    }
    const name = `${at.stateRoot}/${address}`;
    const open = (): OpenQuestion => this.#open(address, at, scope);
    for (const slot of missing) joined.join(this.#requests.joinSlot(name, slot, open));
    if (joined.isEmpty) joined.join(this.#requests.joinAccount(name, open));
    return joined;
  }

  /** @param known receives the words of slots that need no proof @returns the slots that need one */
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

  #open(address: string, at: StatePlace, scope: RequestScope): OpenQuestion {
    const slots = new Set<string>();
    const question = new SharedQuestion(this.trips, scope, async (trip) => {
      const asked = { address, slots: [...slots] };
      const state = await this.#nodes.askProof(asked, at, trip);
      this.#answers++;
      if (state !== undefined) this.proven.states.proven.note(at.stateRoot, asked, state);
      return state;
    });
    return { slots, question };
  }
}

/** Runs small work at once, and large work in scheduler slots of the owner. */
function inSteps<T>(
  { slots }: ProofQuestion,
  { owner = '' }: RequestScope,
  work: Generator<undefined, T>,
): PromiseOrValue<T> {
  return slots.length <= SLOTS_A_STEP ? runAtOnce(work) : TURNS.run(owner, work);
}

function runAtOnce<T>(work: Generator<undefined, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Combines the verified values from the answers: where there is little memory, some are already evicted. */
function combine(
  { slots }: ProofQuestion,
  requests: readonly OpenQuestion[],
  outcomes: readonly (ProvenState | undefined)[],
  known: ReadonlyMap<string, bigint>,
): StateValues | undefined {
  const words = new Map(known);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === undefined) return undefined;
    const asked = [...(requests[index] as OpenQuestion).slots];
    for (const [at, slot] of asked.entries()) words.set(slot, outcome.words[at] as bigint);
  }
  return { account: outcomes[0]?.account ?? null, words: slots.map((slot) => words.get(slot) as bigint) };
}
