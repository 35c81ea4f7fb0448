import type { AccountState } from '../evm/host.ts';
import { bytesToBigInt } from '../primitives/bytes.ts';
import { hexToBytes } from '../primitives/hex.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { settleWithin } from '../util/settle-within.ts';
import type { ProofQuestion, ProvenState } from '../verification/state-proof.ts';
import { BlockStates } from './block-states.ts';
import { Codes, type CodeTable } from './codes.ts';
import { KeyPace } from './key-pace.ts';
import { RollForward } from './roll-forward.ts';
import { SharedQuestion, SharedQuestions, settleShared } from './shared-question.ts';
import type { BlockState, ListNodes, StateNodes, StatePlace } from './state-nodes.ts';
import { Trips } from './trips.ts';
import { WarmUp } from './warm-up.ts';

/** Slots of one question to a node: half a megabyte of nodes, which takes 4 ms to compare. geth refuses more than 1,024. */
const MAX_SLOTS = 128;
/** Milliseconds. */
const MAX_WARMING_MS = 500;

/** What is proven of the states of all blocks of a network. */
export type Proven = { readonly states: BlockStates; readonly codes: Codes };

export type ProvenOptions = {
  /** That all of it may take in memory. */
  readonly bytes?: number;
  /** Where codes are kept on disk. */
  readonly codes?: CodeTable | undefined;
  /** Called with faults of this program. */
  readonly onFault: (error: unknown) => void;
};

/** Where no bound is configured. */
const DEFAULT_BYTES: number = 64 << 20;
/** The memory for codes, as a part of that for all. */
const CODES_SHARE = 0.5;

export function createProven({ bytes = DEFAULT_BYTES, codes, onFault }: ProvenOptions): Proven {
  return {
    states: new BlockStates(bytes * (1 - CODES_SHARE)),
    codes: new Codes(bytes * CODES_SHARE, codes, onFault),
  };
}

/** What is proven of an account at a block. */
export type StateValues = {
  /** Null where there is no such account. */
  readonly account: Pick<AccountState, 'nonce' | 'balance' | 'codeHash'> | null;
  /** Words of the slots that were asked for, in their order. */
  readonly words: readonly bigint[];
};

/** A question to a node, for all that need something of it. */
type Request = {
  readonly slots: Set<string>;
  readonly question: SharedQuestion<ProvenState | undefined>;
};

export type StateRequestsOptions = {
  /** For how long at most a reader waits for what is proven at a new head, milliseconds. */
  readonly maxWarmingMs?: number;
  /** Milliseconds on a monotonic clock: when heads come. */
  readonly now?: () => number;
  /** Where lists of what blocks have changed come from. */
  readonly lists?: ListNodes;
};

/** Reads what is proven of states, and asks nodes for what is not: for the same thing once, and for what is missing of one account in one question. */
export class StateRequests {
  readonly proven: Proven;
  readonly trips: Trips = new Trips();
  /** Of owners, at having nodes prove accounts and slots of this network. */
  readonly pace: KeyPace = new KeyPace();
  readonly warmUp: WarmUp;
  readonly #rollForward: RollForward | undefined;
  readonly #nodes: StateNodes;
  readonly #maxWarmingMs: number;
  /** Those that have no answer yet, by state root and account. */
  readonly #requests = new Map<string, readonly Request[]>();
  /** By hash. */
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
      const requests = this.#listRequests(question, at, scope);
      const outcomes = await Promise.all(requests.map((request) => request.question.outcome));
      return !outcomes.includes(undefined);
    };
    this.#rollForward = lists && new RollForward(lists, states, codes, this.trips);
    this.warmUp = new WarmUp(states, askProof, now, this.#rollForward);
  }

  /** Heads to which state was rolled forward. */
  get rolled(): number {
    return this.#rollForward?.count ?? 0;
  }

  /** Memory that all that is proven takes, bytes. */
  get bytes(): number {
    return this.proven.states.bytes + this.proven.codes.bytes;
  }

  /** The same as `prove`, where all of it is known. */
  find(question: ProofQuestion, at: BlockState): StateValues | undefined {
    const { warmUp } = this;
    const { address, slots } = question;
    if (slots.length === 0) warmUp.noteRead(at.stateRoot, address);
    for (const slot of slots) warmUp.noteRead(at.stateRoot, address, slot);
    return this.#find(question, at);
  }

  /**
   * An account and slots of it.
   * @param question lower-case texts, slots of 32 bytes
   * @returns undefined where nodes prove it in a form that is not known here
   * @throws what `StateNodes` throws; ChainError `timeout`
   */
  prove(
    question: ProofQuestion,
    at: StatePlace,
    scope: RequestScope,
  ): PromiseOrValue<StateValues | undefined> {
    return this.find(question, at) ?? this.#proveMissing(question, at, scope);
  }

  /** Code by its hash, which is proven to be that of the account's code. */
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

  #find({ address, slots }: ProofQuestion, at: BlockState): StateValues | undefined {
    const account = this.proven.states.findAccount(at, address);
    if (account === undefined) return undefined;
    const words: bigint[] = [];
    for (const slot of slots) {
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
      const found = this.#find(question, at);
      if (found !== undefined) return found;
    }
    const requests = this.#listRequests(question, at, scope);
    const known = this.#listKnown(question, at);
    const outcomes = await settleShared(
      requests.map((request) => request.question),
      scope,
    );
    if (outcomes === undefined) return this.#proveMissing(question, at, scope);
    return this.#find(question, at) ?? combine(question, requests, outcomes, known);
  }

  /** Questions under way, and new ones, that bring all that is missing. At least one. */
  #listRequests(question: ProofQuestion, at: StatePlace, scope: RequestScope): readonly Request[] {
    const { address } = question;
    const name = `${at.stateRoot}/${address}`;
    const known = this.#listKnown(question, at);
    const missing = question.slots.filter((slot) => !known.has(slot));
    const find = (isFit: (request: Request) => boolean): Request | undefined =>
      this.#requests.get(name)?.find(isFit);
    const needed = new Set<Request>();
    for (const slot of missing) {
      const request =
        find(({ slots }) => slots.has(slot)) ??
        find((request) => request.question.isWaiting && request.slots.size < MAX_SLOTS) ??
        this.#open(name, address, at, scope);
      request.slots.add(slot);
      needed.add(request);
    }
    if (needed.size === 0) needed.add(find(() => true) ?? this.#open(name, address, at, scope));
    for (const request of needed) request.question.join(scope);
    return [...needed];
  }

  #open(name: string, address: string, at: StatePlace, scope: RequestScope): Request {
    const slots = new Set<string>();
    const question = new SharedQuestion(this.trips, scope, async (trip) => {
      const asked = { address, slots: [...slots] };
      const state = await this.#nodes.askProof(asked, at, trip);
      if (state !== undefined) this.proven.states.proven.note(at.stateRoot, asked, state);
      return state;
    });
    const request: Request = { slots, question };
    const forget = (): void => {
      const others = this.#requests.get(name)?.filter((other) => other !== request) ?? [];
      if (others.length > 0) this.#requests.set(name, others);
      else this.#requests.delete(name);
    };
    question.outcome.then(forget, forget);
    this.#requests.set(name, [...(this.#requests.get(name) ?? []), request]);
    return request;
  }

  /** Words of slots that need no proof. */
  #listKnown({ address, slots }: ProofQuestion, at: StatePlace): ReadonlyMap<string, bigint> {
    const known = new Map<string, bigint>();
    if (this.proven.states.findAccount(at, address) == null) return known;
    for (const slot of slots) {
      const word = this.#findWord(at, address, slot);
      if (word !== undefined) known.set(slot, word);
    }
    return known;
  }
}

/** What was proven, of which some is forgotten already where there is little memory. */
function combine(
  { slots }: ProofQuestion,
  requests: readonly Request[],
  outcomes: readonly (ProvenState | undefined)[],
  known: ReadonlyMap<string, bigint>,
): StateValues | undefined {
  const words = new Map(known);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === undefined) return undefined;
    const asked = [...(requests[index] as Request).slots];
    for (const [at, slot] of asked.entries()) words.set(slot, outcome.words[at] as bigint);
  }
  return { account: outcomes[0]?.account ?? null, words: slots.map((slot) => words.get(slot) as bigint) };
}
