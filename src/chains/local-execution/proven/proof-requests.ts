import type { VerifiedState } from '../../../../packages/proofs/state-proof.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { SharedRequest } from './shared-request.ts';

/** Cap on slots per request to a node: half a megabyte of trie nodes, which take 4 ms to verify. geth refuses more than 1,024. */
const MAX_SLOTS = 128;

/** Request to a node about one account, shared by all readers that need part of it. */
export type OpenProof = {
  readonly slots: Set<string>;
  readonly query: SharedRequest<VerifiedState | undefined>;
};

/** Open requests about one account. */
type AccountRequests = {
  readonly all: Set<OpenProof>;
  readonly bySlot: Map<string, OpenProof>;
  /** Newest request: only this one may have room. */
  newest: OpenProof | undefined;
};

/** Unanswered requests, by state root and account. A slot's request is found in constant time. */
export class ProofRequests {
  readonly #accounts = new Map<string, AccountRequests>();

  /**
   * Adds a slot to the request that already includes it, to the newest one where that has room, or to a new one.
   * @param name state root and account
   */
  joinSlot(name: string, slot: string, open: () => OpenProof): OpenProof {
    const account = this.#accounts.get(name);
    const known = account?.bySlot.get(slot);
    if (known !== undefined) return known;
    const newest = account?.newest;
    const hasRoom = newest?.query.isWaiting === true && newest.slots.size < MAX_SLOTS;
    const request = hasRoom ? newest : this.#add(name, open());
    request.slots.add(slot);
    this.#accounts.get(name)?.bySlot.set(slot, request);
    return request;
  }

  /** Returns any open request about the account, or a new one. */
  joinAccount(name: string, open: () => OpenProof): OpenProof {
    const [first] = this.#accounts.get(name)?.all ?? [];
    return first ?? this.#add(name, open());
  }

  #add(name: string, request: OpenProof): OpenProof {
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
    request.query.outcome.then(forget, forget);
    return request;
  }
}

/** Open requests that one reader waits for, and values of slots that it already knows. */
export class Joined {
  readonly known: Map<string, bigint> = new Map();
  readonly #requests = new Set<OpenProof>();
  readonly #scope: RequestScope;

  constructor(scope: RequestScope) {
    this.#scope = scope;
  }

  /** Requests in the order in which they were joined. */
  get requests(): readonly OpenProof[] {
    return [...this.#requests];
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  join(request: OpenProof): void {
    if (this.#requests.has(request)) return;
    this.#requests.add(request);
    request.query.join(this.#scope);
  }
}
