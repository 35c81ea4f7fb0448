import {
  isComplete,
  type JsonResult,
  type JsonText,
} from '../../../packages/ethereum/primitives/json-result.ts';
import {
  continueWith,
  type PromiseOrValue,
  recoverWith,
} from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { StateProofRequest } from '../../../packages/proofs/state-proof.ts';
import type { CacheKey } from '../../cache/cache.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, StorageRequests } from '../../chain/requests.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { NodeCall } from '../../pool/node-call.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { StateValues } from '../local-execution/proven/state-requests.ts';
import { sendUncovered } from './agreement/send-to-voices.ts';
import { findHash, isPinned, MAX_KEY_LENGTH, type PinnedBlock, type RequestParts } from './call-requests.ts';
import { checkProof, checkStorageValues, checkWord } from './checks/check-state.ts';
import { checkData, checkQuantity } from './checks/check-values.ts';
import type { StateProofs } from './state-proofs.ts';
import { lacksProof } from './verifying/lacks-proof.ts';
import { STATE_SUBJECTS } from './verifying/subjects.ts';

/** A request about one or several accounts. The block, which is always the last parameter, is not a member of an `AccountRequest`. */
type AccountRequest = {
  readonly method: string;
  /** JSON text of the parameters before the block. */
  readonly subject: string;
  readonly check: (result: JsonResult) => JsonResult;
  /** True if `check` accepts a long answer as bytes (`JsonBytes`), from which it makes text. */
  readonly takesLongBytes?: boolean;
  /** Returns requests that a node without the method receives as a batch instead. @param block JSON text of the block parameter */
  readonly batch?: (block: JsonText) => readonly NodeCall[];
  /** Returns the answer if all state for it is verified and in memory. */
  readonly find?: (block: PinnedBlock) => JsonText | undefined;
  /** Returns an answer that is verified against the block's state root; undefined if it cannot be verified. */
  readonly prove: (block: PinnedBlock, scope: RequestScope) => PromiseOrValue<JsonResult | undefined>;
  /** True if the verified answer is not cached by request. Codes, for example, are in a separate cache. */
  readonly isCachedApart?: boolean;
  /** Number of requested storage slots; absent if there is at most one. */
  readonly slots?: number;
};

const NO_SLOTS: readonly string[] = [];

/**
 * Requests about accounts. A node receives the block by hash if it accepts hashes, otherwise by number, so its answer is about this block. With
 * verification of state, answers are built from verified accounts.
 */
export class AccountRequests {
  readonly #parts: RequestParts;
  readonly #states: StateProofs;

  constructor(parts: RequestParts, states: StateProofs) {
    this.#parts = parts;
    this.#states = states;
  }

  getBalance(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText> {
    const request: AccountRequest = {
      method: 'eth_getBalance',
      subject: `"${address}"`,
      check: checkQuantity,
      ...this.#read({ address, slots: NO_SLOTS }, writeBalance),
    };
    return this.#requestText(request, block, scope);
  }

  getCode(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText> {
    const request: AccountRequest = {
      method: 'eth_getCode',
      subject: `"${address}"`,
      check: checkData,
      find: (at) => this.#states.findCode(address, at),
      prove: (at, inner) => this.#states.proveCode(address, at, inner),
      isCachedApart: true,
    };
    return this.#requestText(request, block, scope);
  }

  getTransactionCount(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText> {
    const request: AccountRequest = {
      method: 'eth_getTransactionCount',
      subject: `"${address}"`,
      check: checkQuantity,
      ...this.#read({ address, slots: NO_SLOTS }, writeNonce),
    };
    return this.#requestText(request, block, scope);
  }

  getStorageAt(
    address: string,
    slot: string,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText> {
    const request: AccountRequest = {
      method: 'eth_getStorageAt',
      subject: `"${address}","${slot}"`,
      check: checkWord,
      ...this.#read({ address, slots: [slot] }, writeWords),
    };
    return this.#requestText(request, block, scope);
  }

  /** Few nodes have `eth_getStorageValues`; other nodes receive a batch with one `eth_getStorageAt` per slot. */
  getStorageValues(
    requests: StorageRequests,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText> {
    const request: AccountRequest = {
      method: 'eth_getStorageValues',
      subject: JSON.stringify(Object.fromEntries(requests)),
      check: checkStorageValues(requests),
      takesLongBytes: true,
      slots: [...requests.values()].reduce((sum, { length }) => sum + length, 0),
      batch: (at) => listSlotReads(requests, at),
      prove: (at, inner) => this.#proveValues(requests, at, inner),
    };
    return this.#requestText(request, block, scope);
  }

  getProof(
    address: string,
    slots: readonly string[],
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText> {
    const request: AccountRequest = {
      method: 'eth_getProof',
      subject: `"${address}",${JSON.stringify(slots)}`,
      check: checkProof(address, slots.length),
      slots: slots.length,
      prove: (at, inner) => this.#states.requestProof({ address, slots }, at, inner),
    };
    return this.#requestText(request, block, scope);
  }

  /** Builds `find` and `prove` from the state keys of a request and a function that encodes the answer. */
  #read(
    read: StateProofRequest,
    write: (state: StateValues) => JsonText,
  ): Required<Pick<AccountRequest, 'find'>> & {
    readonly prove: (block: PinnedBlock, scope: RequestScope) => PromiseOrValue<JsonText | undefined>;
  } {
    return {
      find: (block) => {
        const state = this.#states.find(read, block);
        return state && write(state);
      },
      prove: (block, scope) =>
        continueWith(this.#states.prove(read, block, scope), (state) => state && write(state)),
    };
  }

  async #proveValues(
    requests: StorageRequests,
    block: PinnedBlock,
    scope: RequestScope,
  ): Promise<JsonText | undefined> {
    const members = await Promise.all(
      [...requests].map(([address, slots]) =>
        this.#read({ address, slots }, (state) => `"${address}":[${writeWords(state)}]`).prove(block, scope),
      ),
    );
    return members.includes(undefined) ? undefined : `{${members.join()}}`;
  }

  #requestText(
    request: AccountRequest,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText> {
    const resolved = this.#parts.resolver.resolveNow(block);
    const answer = isPinned(resolved)
      ? this.#requestAt(request, resolved, block, scope)
      : this.#resolveAndAsk(request, block, scope);
    return answer as PromiseOrValue<JsonText>;
  }

  async #resolveAndAsk(
    request: AccountRequest,
    block: BlockReference,
    scope: RequestScope,
  ): Promise<JsonResult> {
    const { resolver, directory } = this.#parts;
    const resolved = await resolver.resolve(block, scope);
    if (resolved.kind === 'none') throw new ChainError('failed', resolved.message);
    if (resolved.kind === 'block') {
      const position = await findHash(resolved.position, directory, scope);
      const { isCanonical } = resolved;
      return this.#requestAt(request, { position, isCanonical }, block, scope);
    }
    await this.#states.pace(request.slots ?? 1, scope);
    const call: UpstreamRequest = { isSticky: true, nulls: 'fault', ...describe(request, '"pending"') };
    return sendUncovered(this.#parts, { call, scope });
  }

  #requestAt(
    request: AccountRequest,
    pinned: PinnedBlock,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult> {
    const { proofs, recall } = this.#parts;
    const { verifier } = proofs ?? {};
    const { slots = 1 } = request;
    if (verifier === undefined)
      return continueWith<void, JsonResult>(this.#states.pace(slots, scope), () =>
        this.#sendToNode(request, pinned, block, scope),
      );
    if (proofs?.canVerify('state', pinned.position.number) !== true)
      return continueWith<void, JsonResult>(this.#states.pace(slots, scope), () =>
        this.#requestUnverifiable(request, pinned, block, scope),
      );
    const known = request.find?.(pinned);
    if (known !== undefined) return continueWith(this.#noteVerified(pinned, block, scope), () => known);
    const key = this.#nameAnswer(request, pinned, ':verified');
    const cached = key === undefined ? undefined : recall?.(key);
    return continueWith<JsonResult | undefined, JsonResult>(cached, (found) => {
      if (found === undefined) return this.#proveAt(request, pinned, block, scope, key);
      return continueWith(this.#noteVerified(pinned, block, scope), () => readText(found));
    });
  }

  /** Returns an answer from verified state, or the unverified answer of one node if no node has a proof. */
  #proveAt(
    request: AccountRequest,
    pinned: PinnedBlock,
    block: BlockReference,
    scope: RequestScope,
    key: CacheKey | undefined,
  ): PromiseOrValue<JsonResult> {
    return continueWith<void, JsonResult>(this.#states.pace(request.slots ?? 1, scope), () =>
      this.#proveInTime(request, pinned, block, scope, key),
    );
  }

  #proveInTime(
    request: AccountRequest,
    pinned: PinnedBlock,
    block: BlockReference,
    scope: RequestScope,
    key: CacheKey | undefined,
  ): PromiseOrValue<JsonResult> {
    const { proofs, keep } = this.#parts;
    const isRequired = proofs?.verifier?.mode === 'require';
    // Half of the remaining time is reserved for an unverified answer, because nodes may be slow to send a proof.
    const inner = isRequired ? scope : scope.derive({ deadline: (scope.deadline + performance.now()) / 2 });
    const proven = recoverWith<JsonResult | Unproven>(
      () => continueWith(request.prove(pinned, inner), (answer) => answer ?? new Unproven()),
      (error) => {
        if (!lacksProof(error) || scope.aborted) throw error;
        proofs?.verifier?.noteLacking(request.method, error.message);
        return new Unproven(`no node proves the state: ${error.message}`);
      },
    );
    return continueWith<JsonResult | Unproven, JsonResult>(proven, (answer) => {
      scope.hasCalledNode ||= inner.hasCalledNode;
      if (answer instanceof Unproven)
        return this.#requestUnverifiable(request, pinned, block, scope, answer.why);
      const text = readText(answer);
      if (key !== undefined && request.isCachedApart !== true) keep(key, text);
      return continueWith(this.#noteVerified(pinned, block, scope), () => text);
    });
  }

  #noteVerified({ position }: PinnedBlock, block: BlockReference, scope: RequestScope): PromiseOrValue<void> {
    return this.#parts.proofs?.trust.complete(scope, position, block.kind === 'hash', STATE_SUBJECTS);
  }

  /**
   * Requests an unverified answer from one node.
   * @param why reason why there is no proof, as a clause for an error text; by default, the network's verifier reports it
   */
  #requestUnverifiable(
    request: AccountRequest,
    pinned: PinnedBlock,
    block: BlockReference,
    scope: RequestScope,
    why?: string,
  ): PromiseOrValue<JsonResult> {
    const { verifier, trust } = this.#parts.proofs ?? {};
    const reason = why ?? verifier?.whyUnverifiable(pinned.position, STATE_SUBJECTS);
    trust?.noteSingle(scope, reason ?? 'the state of the block cannot be verified');
    return this.#sendToNode(request, pinned, block, scope);
  }

  #sendToNode(
    request: AccountRequest,
    pinned: PinnedBlock,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult> {
    return this.#parts.ask({ call: this.#routeTo(request, pinned, block), scope });
  }

  #routeTo(request: AccountRequest, pinned: PinnedBlock, block: BlockReference): UpstreamRequest {
    const { number, hash } = pinned.position;
    const isStrict = block.kind === 'hash' && block.requireCanonical;
    const byHash = `{"blockHash":"${hash}","requireCanonical":${isStrict}}`;
    return {
      paramsByHash: `[${request.subject},${byHash}]`,
      block: pinned.position,
      key: this.#nameAnswer(request, pinned, ''),
      nulls: 'fault',
      ...describe(request, pinned.isCanonical ? `"${encodeQuantity(number)}"` : byHash),
    };
  }

  /** Returns the cache key of an answer; undefined if the parameters are too long for a key. */
  #nameAnswer(
    { method, subject }: AccountRequest,
    { position }: PinnedBlock,
    mark: string,
  ): CacheKey | undefined {
    if (subject.length > MAX_KEY_LENGTH) return undefined;
    const request = `${this.#parts.cacheScope()}:${method}:${subject}${mark}`;
    return { blockHash: position.hash, request };
  }
}

/** Result of an attempt to verify an answer for which no node has sent a proof. */
class Unproven {
  /** Reason why no node has sent a proof, as a clause for an error text. If undefined, the network's verifier provides the reason. */
  readonly why: string | undefined;

  constructor(why?: string) {
    this.why = why;
  }
}

function readText(result: JsonResult): JsonText {
  if (!isComplete(result)) throw new UpstreamFault('tooLarge', 'the answer is too large to be buffered');
  return typeof result === 'string' ? result : result.text;
}

function writeBalance({ account }: StateValues): JsonText {
  return `"${encodeQuantity(account?.balance ?? 0n)}"`;
}

function writeNonce({ account }: StateValues): JsonText {
  return `"${encodeQuantity(account?.nonce ?? 0n)}"`;
}

function writeWords({ words }: StateValues): JsonText {
  return words.map((word) => `"0x${word.toString(16).padStart(64, '0')}"`).join();
}

function describe(
  { method, subject, check, batch, takesLongBytes = false }: AccountRequest,
  block: JsonText,
): Pick<UpstreamRequest, 'method' | 'params' | 'check' | 'batch' | 'isText' | 'takesLongBytes'> {
  return {
    method,
    params: `[${subject},${block}]`,
    check,
    batch: batch === undefined ? undefined : () => batch(block),
    isText: true,
    takesLongBytes,
  };
}

function listSlotReads(requests: StorageRequests, block: JsonText): NodeCall[] {
  const method = 'eth_getStorageAt';
  return [...requests].flatMap(([address, slots]) =>
    slots.map((slot) => ({ method, params: `["${address}","${slot}",${block}]` })),
  );
}
