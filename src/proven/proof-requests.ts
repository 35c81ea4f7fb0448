import type { RequestScope } from '../util/request-scope.ts';
import type { ProvenState } from '../verification/state-proof.ts';
import type { SharedQuestion } from './shared-question.ts';

/** Slots of one question to a node: half a megabyte of nodes, which takes 4 ms to compare. geth refuses more than 1,024. */
const MAX_SLOTS = 128;

/** A question to a node about one account, for all that need something of it. */
export type OpenQuestion = {
  readonly slots: Set<string>;
  readonly question: SharedQuestion<ProvenState | undefined>;
};

/** Those about one account. */
type AccountRequests = {
  readonly all: Set<OpenQuestion>;
  readonly bySlot: Map<string, OpenQuestion>;
  /** The newest one: only this one may have room. */
  newest: OpenQuestion | undefined;
};

/** Questions that have no answer yet, by state root and account. A slot finds its own at once, however many there are. */
export class ProofRequests {
  readonly #accounts = new Map<string, AccountRequests>();

  /**
   * Has a slot asked for, with the question that has it already, the newest one where that has room, or another one.
   * @param name of the state root and account
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

  /** Any question about the account. */
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

/** One reader waits for these open questions, and has the values of these slots already. */
export class Joined {
  readonly known: Map<string, bigint> = new Map();
  readonly #requests = new Set<OpenQuestion>();
  readonly #scope: RequestScope;

  constructor(scope: RequestScope) {
    this.#scope = scope;
  }

  /** In the order in which they were joined. */
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
