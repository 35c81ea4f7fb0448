import type { RequestScope } from '../util/request-scope.ts';
import type { ProvenState } from '../verification/state-proof.ts';
import type { SharedQuestion } from './shared-question.ts';

/** Cap on slots per request to a node: half a megabyte of trie nodes, which take 4 ms to verify. geth refuses more than 1,024. */
const MAX_SLOTS = 128;

/** Request to a node about one account, shared by all readers that need part of it. */
export type OpenQuestion = {
  readonly slots: Set<string>;
  readonly question: SharedQuestion<ProvenState | undefined>;
};

/** Open requests about one account. */
type AccountRequests = {
  readonly all: Set<OpenQuestion>;
  readonly bySlot: Map<string, OpenQuestion>;
  /** Newest request: only this one may have room. */
  newest: OpenQuestion | undefined;
};

/** Unanswered requests, by state root and account. A slot's request is found in constant time. */
export class ProofRequests {
  readonly #accounts = new Map<string, AccountRequests>();

  /**
   * Adds a slot to the request that already includes it, to the newest one where that has room, or to a new one.
   * @param name state root and account
   */
  joinSlot(name: string, slot: string, open: () => OpenQuestion): OpenQuestion {
    const account = this.#accounts.get(name);
    const known = account?.bySlot.get(slot);
    if (known !== undefined) return known;
    const newest = account?.newest;
    const hasRoom = newest?.question.isWaiting === true && newest.slots.size < MAX_SLOTS;
    const request = hasRoom ? newest : this.#add(name, open());
    request.slots.add(slot);
    this.#accounts.get(name)?.bySlot.set(slot, request);
    return request;
  }

  /** Returns any open request about the account, or a new one. */
  joinAccount(name: string, open: () => OpenQuestion): OpenQuestion {
    const [first] = this.#accounts.get(name)?.all ?? [];
    return first ?? this.#add(name, open());
  }

  #add(name: string, request: OpenQuestion): OpenQuestion {
    const account = this.#accounts.get(name) ?? { all: new Set(), bySlot: new Map(), newest: undefined };
    this.#accounts.set(name, account);
    account.all.add(request);
    account.newest = request;
    const forget = (): void => {
      account.all.delete(request);
      for (const slot of request.slots) account.bySlot.delete(slot);
      if (account.newest === request) account.newest = undefined;
      if (account.all.size === 0 && this.#accounts.get(name) === account) this.#accounts.delete(name);
    };
    request.question.outcome.then(forget, forget);
    return request;
  }
}

/** Open requests that one reader waits for, and values of slots that it already knows. */
export class Joined {
  readonly known: Map<string, bigint> = new Map();
  readonly #requests = new Set<OpenQuestion>();
  readonly #scope: RequestScope;

  constructor(scope: RequestScope) {
    this.#scope = scope;
  }

  /** Requests in the order in which they were joined. */
  get requests(): readonly OpenQuestion[] {
    return [...this.#requests];
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  join(request: OpenQuestion): void {
    if (this.#requests.has(request)) return;
    this.#requests.add(request);
    request.question.join(this.#scope);
  }
}
