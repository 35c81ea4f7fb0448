import { bytesEqual } from '../primitives/bytes.ts';
import { bytesToHex } from '../primitives/hex.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { EMPTY_CODE_HASH } from '../primitives/keccak.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { StatePlace } from '../proven/state-nodes.ts';
import type { StateRequests, StateValues } from '../proven/state-requests.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { ProofQuestion } from '../verification/state-proof.ts';
import { toHeadPlace } from './access-list-asker.ts';
import type { PinnedBlock, QuestionParts } from './call-questions.ts';
import { StateAsker } from './state-asker.ts';
import { nameBlock, WholeBlocks } from './whole-blocks.ts';

/** Slots of one question to a node: half a megabyte of nodes, which takes 4 ms to compare. geth refuses more than 1,024. */
const MAX_SLOTS = 128;

/** Answers about state out of what is proven against the state roots of blocks, as far as nodes have proofs. */
export class StateProofs {
  readonly #parts: QuestionParts;
  readonly #requests: StateRequests;
  readonly #blocks: WholeBlocks;
  readonly #asker: StateAsker;

  constructor(parts: QuestionParts, requests: StateRequests) {
    this.#parts = parts;
    this.#requests = requests;
    this.#blocks = new WholeBlocks(parts);
    this.#asker = new StateAsker(parts);
  }

  /** Gets ready for reads at a block that has just become the head, where a node has reported its header. */
  noteHead({ number, hash }: PinnedBlock['position']): void {
    const { proofs } = this.#parts;
    const header = proofs?.canVerify('state', number) === true ? proofs.blocks?.findHeader(hash) : undefined;
    if (header === undefined) return;
    this.#requests.warmUp.noteHead(toHeadPlace(header));
  }

  /** An account and words of its storage, where all of it is proven already. @param question as that of `prove` */
  find(question: ProofQuestion, { position }: PinnedBlock): StateValues | undefined {
    const { hash } = position;
    const header = this.#parts.proofs?.blocks?.findHeader(hash);
    return header && this.#requests.find(question, { hash, stateRoot: header.stateRoot });
  }

  /** Code of an account as JSON, where all that it takes is proven already. */
  findCode(address: string, block: PinnedBlock): JsonText | undefined {
    const state = this.find({ address, slots: [] }, block);
    if (state === undefined) return undefined;
    const { codeHash } = state.account ?? { codeHash: EMPTY_CODE_HASH };
    if (bytesEqual(codeHash, EMPTY_CODE_HASH)) return '"0x"';
    const code = this.#requests.proven.codes.find(bytesToHex(codeHash));
    return code && `"${bytesToHex(code)}"`;
  }

  /**
   * Proves an account, and words of its storage.
   * @param question slots of 32 bytes each, lower-case hex text
   * @returns undefined where that cannot be verified on this network
   * @throws UpstreamFault, ChainError
   */
  prove(
    question: ProofQuestion,
    block: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<StateValues | undefined> {
    return continueWith<StatePlace | undefined, StateValues | undefined>(
      this.#findPlace(block, scope),
      (at) => at && this.#requests.prove(question, at, scope),
    );
  }

  /**
   * Code of an account. The same code is asked for once, whichever accounts and blocks have it.
   * @returns undefined where that cannot be verified on this network
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
   * Takes slots of the owner's pace at having nodes prove state, beyond the first: the weight of a call covers that.
   * @throws (rejects with) ChainError `busy` where they would not be due before the deadline
   */
  pace(slots: number, scope: RequestScope): PromiseOrValue<void> {
    return slots > 1 ? this.#requests.pace.take(scope, slots - 1) : undefined;
  }

  /**
   * An answer to `eth_getProof`: as the node gave it, or put together where there are too many slots to compare them at once.
   * @returns undefined where that cannot be verified on this network
   */
  async askProof(
    { address, slots }: ProofQuestion,
    block: PinnedBlock,
    scope: RequestScope,
  ): Promise<JsonText | undefined> {
    const at = await this.#findPlace(block, scope);
    if (at === undefined) return undefined;
    const parts = divideSlots(slots);
    const answers = await Promise.all(
      parts.map((part) => this.#askPart({ address, slots: part }, at, scope)),
    );
    if (parts.length === 1) return answers[0];
    const proven = answers.filter((answer) => answer !== undefined).map(splitProof);
    if (proven.length < parts.length) return undefined;
    return `${proven[0]?.account},"storageProof":[${proven.map(({ entries }) => entries).join()}]}`;
  }

  async #askPart(
    question: ProofQuestion,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<JsonText | undefined> {
    const { text, state } = await this.#asker.askProofText(question, at, scope);
    if (state === undefined) return undefined;
    // Slots may be named in a shorter form there: they are read from the nodes.
    this.#requests.proven.states.proven.note(at.stateRoot, { address: question.address, slots: [] }, state);
    return text;
  }

  /** Undefined where the header of the block cannot be verified. */
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

/** At least one part, each with as many slots as one question may have. */
function divideSlots(slots: readonly string[]): readonly (readonly string[])[] {
  const count = Math.max(1, Math.ceil(slots.length / MAX_SLOTS));
  return Array.from({ length: count }, (_, i) => slots.slice(i * MAX_SLOTS, (i + 1) * MAX_SLOTS));
}

/** Texts of a proof, which has been verified: the account without the last brace, and the slots. */
function splitProof(proof: JsonText): { readonly account: JsonText; readonly entries: JsonText } {
  const { storageProof, ...account } = JSON.parse(proof) as { readonly storageProof: readonly unknown[] };
  return {
    account: JSON.stringify(account).slice(0, -1),
    entries: JSON.stringify(storageProof).slice(1, -1),
  };
}
