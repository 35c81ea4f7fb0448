import { bytesEqual } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { EMPTY_CODE_HASH } from '../../../packages/ethereum/primitives/keccak.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { StateProofRequest } from '../../../packages/proofs/state-proof.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { StatePlace } from '../local-execution/proven/state-nodes.ts';
import type { StateRequests, StateValues } from '../local-execution/proven/state-requests.ts';
import { toHeadPlace } from './access-list-client.ts';
import type { PinnedBlock, RequestParts } from './call-requests.ts';
import { StateClient } from './state-client.ts';
import { nameBlock, WholeBlocks } from './whole-blocks.ts';

/**
 * Maximum number of storage slots per `eth_getProof` request. The proofs of 128 slots are half a megabyte of trie nodes and take 4 ms to verify. geth
 * refuses more than 1,024 slots.
 */
const MAX_SLOTS = 128;

/** Reads state whose values are verified against the state roots of blocks by proofs from nodes. */
export class StateProofs {
  readonly #parts: RequestParts;
  readonly #requests: StateRequests;
  readonly #blocks: WholeBlocks;
  readonly #client: StateClient;

  constructor(parts: RequestParts, requests: StateRequests) {
    this.#parts = parts;
    this.#requests = requests;
    this.#blocks = new WholeBlocks(parts);
    this.#client = new StateClient(parts);
  }

  /** Starts the warm-up for a new head, if its verified header is known. */
  noteHead({ number, hash }: PinnedBlock['position']): void {
    const { proofs } = this.#parts;
    const header = proofs?.canVerify('state', number) === true ? proofs.blocks?.findHeader(hash) : undefined;
    if (header === undefined) return;
    this.#requests.warmUp.noteHead(toHeadPlace(header));
  }

  /** Returns an account and values of its storage slots, if all are verified and in memory. @param request as in `prove` */
  find(request: StateProofRequest, { position }: PinnedBlock): StateValues | undefined {
    const { hash } = position;
    const header = this.#parts.proofs?.blocks?.findHeader(hash);
    return header && this.#requests.find(request, { hash, stateRoot: header.stateRoot });
  }

  /** Returns the code of an account as JSON, if account and code are verified and in memory. */
  findCode(address: string, block: PinnedBlock): JsonText | undefined {
    const state = this.find({ address, slots: [] }, block);
    if (state === undefined) return undefined;
    const { codeHash } = state.account ?? { codeHash: EMPTY_CODE_HASH };
    if (bytesEqual(codeHash, EMPTY_CODE_HASH)) return '"0x"';
    const code = this.#requests.proven.codes.find(bytesToHex(codeHash));
    return code && `"${bytesToHex(code)}"`;
  }

  /**
   * Requests and verifies an account and values of its storage slots.
   * @param request address and slots (32 bytes each) as lower-case `0x` text
   * @returns undefined if state is unverifiable on this network
   * @throws UpstreamFault, ChainError
   */
  prove(
    request: StateProofRequest,
    block: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<StateValues | undefined> {
    return continueWith<StatePlace | undefined, StateValues | undefined>(
      this.#findPlace(block, scope),
      (at) => at && this.#requests.prove(request, at, scope),
    );
  }

  /**
   * Requests and verifies the code of an account. A code is requested once, even if many accounts and blocks have the same code.
   * @returns undefined if state is unverifiable on this network
   */
  proveCode(
    address: string,
    block: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | undefined> {
    return continueWith<StatePlace | undefined, JsonResult | undefined>(
      this.#findPlace(block, scope),
      (at) =>
        at &&
        continueWith<StateValues | undefined, JsonResult | undefined>(
          this.#requests.prove({ address, slots: [] }, at, scope),
          (state) => {
            if (state === undefined) return undefined;
            const { codeHash } = state.account ?? { codeHash: EMPTY_CODE_HASH };
            if (bytesEqual(codeHash, EMPTY_CODE_HASH)) return '"0x"';
            const code = this.#requests.proveCode(address, bytesToHex(codeHash), at, scope);
            return continueWith(code, (bytes) => `"${bytesToHex(bytes)}"`);
          },
        ),
    );
  }

  /**
   * Counts storage slots against the owner's rate limit for proofs, except the first slot, which the weight of the call covers.
   * @throws (by rejection) ChainError `busy` if the slots are over the rate limit until after the request's deadline
   */
  pace(slots: number, scope: RequestScope): PromiseOrValue<void> {
    return slots > 1 ? this.#requests.pace.take(scope, slots - 1) : undefined;
  }

  /**
   * Returns a verified answer to `eth_getProof`. An answer with more than `MAX_SLOTS` slots is joined from several answers of nodes.
   * @returns undefined if state is unverifiable on this network
   */
  async requestProof(
    { address, slots }: StateProofRequest,
    block: PinnedBlock,
    scope: RequestScope,
  ): Promise<JsonText | undefined> {
    const at = await this.#findPlace(block, scope);
    if (at === undefined) return undefined;
    const parts = divideSlots(slots);
    const answers = await Promise.all(
      parts.map((part) => this.#requestPart({ address, slots: part }, at, scope)),
    );
    if (parts.length === 1) return answers[0];
    const proven = answers.filter((answer) => answer !== undefined).map(splitProof);
    if (proven.length < parts.length) return undefined;
    return `${proven[0]?.account},"storageProof":[${proven.map(({ entries }) => entries).join()}]}`;
  }

  async #requestPart(
    request: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<JsonText | undefined> {
    const { text, state } = await this.#client.requestProofText(request, at, scope);
    if (state === undefined) return undefined;
    // `slots` is empty because the request may contain slots in a shorter form. Later reads find the requested slots in the trie nodes of the proof.
    this.#requests.proven.states.proven.note(at.stateRoot, { address: request.address, slots: [] }, state);
    return text;
  }

  /** Returns a block's position with its verified state root; undefined if its header is unverifiable. */
  #findPlace(
    { position, isCanonical }: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<StatePlace | undefined> {
    const { hash } = position;
    const header = this.#parts.proofs?.blocks?.proveHeader(
      position,
      (inner) => this.#blocks.ask(nameBlock(position, isCanonical, false), hash, false, inner),
      scope,
    );
    return continueWith(header, (known) => known && { ...position, stateRoot: known.stateRoot, isCanonical });
  }
}

/** Splits slots into parts of at most `MAX_SLOTS`; without slots, returns one empty part. */
function divideSlots(slots: readonly string[]): readonly (readonly string[])[] {
  const count = Math.max(1, Math.ceil(slots.length / MAX_SLOTS));
  return Array.from({ length: count }, (_, i) => slots.slice(i * MAX_SLOTS, (i + 1) * MAX_SLOTS));
}

/** Splits a verified proof into two texts: the account object without its closing brace, and the slot proofs without brackets. */
function splitProof(proof: JsonText): { readonly account: JsonText; readonly entries: JsonText } {
  const { storageProof, ...account } = JSON.parse(proof) as { readonly storageProof: readonly unknown[] };
  return {
    account: JSON.stringify(account).slice(0, -1),
    entries: JSON.stringify(storageProof).slice(1, -1),
  };
}
