import type { VerifiedState } from '../../../../packages/proofs/state-proof.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { SharedRequest } from './shared-request.ts';

/**
 * Maximum number of slots per `eth_getProof` request. The proofs of 128 slots are about half a megabyte of trie nodes and take 4 ms to verify. geth
 * refuses more than 1,024 slots.
 */
const MAX_SLOTS = 128;

/** Request for the proof of one account and some of its slots. All readers that need the account or one of the slots wait for the same request. */
export type OpenProof = {
  readonly slots: Set<string>;
  readonly query: SharedRequest<VerifiedState | undefined>;
};

/** Unanswered proof requests for one account. */
type AccountRequests = {
  readonly all: Set<OpenProof>;
  readonly bySlot: Map<string, OpenProof>;
  /** Newest request for the account. Further slots may be added only to this request. */
  newest: OpenProof | undefined;
};

/** Unanswered proof requests, by state root and account. The request for a slot is found in constant time. */
export class ProofRequests {
  readonly #accounts = new Map<string, AccountRequests>();

  /**
   * Returns the request that includes the slot. If no request includes the slot, adds it to the newest request, or to a new request if the newest one
   * is full or already sent.
   * @param name key of the account: `<state root>/<address>`
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

  /** Returns any unanswered request for the account, or a new request if there is none. */
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

/** Requests for which one reader waits, and values of the slots that need no request. */
export class Joined {
  readonly known: Map<string, bigint> = new Map();
  readonly #requests = new Set<OpenProof>();
  readonly #scope: RequestScope;

  constructor(scope: RequestScope) {
    this.#scope = scope;
  }

  /** Requests in the order in which the reader joined them. */
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
