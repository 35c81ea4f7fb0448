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

/** Storage slots per request to a node: half a megabyte of trie nodes, which takes 4 ms to verify. geth refuses more than 1,024 slots. */
const MAX_SLOTS = 128;

/** Answers state reads with values that are verified against the state roots of blocks, if nodes have proofs. */
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

  /** Prepares for reads at a new head if its verified header is known. */
  noteHead({ number, hash }: PinnedBlock['position']): void {
    const { proofs } = this.#parts;
    const header = proofs?.canVerify('state', number) === true ? proofs.blocks?.findHeader(hash) : undefined;
    if (header === undefined) return;
    this.#requests.warmUp.noteHead(toHeadPlace(header));
  }

  /** Returns an account and words of its storage if all of them are already verified. @param request as in `prove` */
  find(request: StateProofRequest, { position }: PinnedBlock): StateValues | undefined {
    const { hash } = position;
    const header = this.#parts.proofs?.blocks?.findHeader(hash);
    return header && this.#requests.find(request, { hash, stateRoot: header.stateRoot });
  }

  /** Returns the code of an account as JSON if the account and the code are already verified. */
  findCode(address: string, block: PinnedBlock): JsonText | undefined {
    const state = this.find({ address, slots: [] }, block);
    if (state === undefined) return undefined;
    const { codeHash } = state.account ?? { codeHash: EMPTY_CODE_HASH };
    if (bytesEqual(codeHash, EMPTY_CODE_HASH)) return '"0x"';
    const code = this.#requests.proven.codes.find(bytesToHex(codeHash));
    return code && `"${bytesToHex(code)}"`;
  }

  /**
   * Requests and verifies an account and words of its storage.
   * @param request slots of 32 bytes each, lower-case hex text
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
   * Requests and verifies the code of an account. Each code is requested once, even if many accounts and blocks have it.
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
   * Draws storage slots from the owner's rate limit for proofs. The first slot is covered by the weight of the call.
   * @throws (rejects with) ChainError `busy` if the slots would not be available before the deadline
   */
  pace(slots: number, scope: RequestScope): PromiseOrValue<void> {
    return slots > 1 ? this.#requests.pace.take(scope, slots - 1) : undefined;
  }

  /**
   * Returns an answer to `eth_getProof`: the node's text, or a joined text if there are too many slots to verify at once.
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
    // `slots` is empty because the request may name slots in a shorter form; slots are later read from the trie nodes of the proof.
    this.#requests.proven.states.proven.note(at.stateRoot, { address: request.address, slots: [] }, state);
    return text;
  }

  /** Returns the block with its state root; undefined if its header is unverifiable. */
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

/** Splits the slots into at least one part, with at most `MAX_SLOTS` each. */
function divideSlots(slots: readonly string[]): readonly (readonly string[])[] {
  const count = Math.max(1, Math.ceil(slots.length / MAX_SLOTS));
  return Array.from({ length: count }, (_, i) => slots.slice(i * MAX_SLOTS, (i + 1) * MAX_SLOTS));
}

/** Splits a verified proof into two texts: the account without the closing brace, and the slots. */
function splitProof(proof: JsonText): { readonly account: JsonText; readonly entries: JsonText } {
  const { storageProof, ...account } = JSON.parse(proof) as { readonly storageProof: readonly unknown[] };
  return {
    account: JSON.stringify(account).slice(0, -1),
    entries: JSON.stringify(storageProof).slice(1, -1),
  };
}
