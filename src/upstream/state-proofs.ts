import { bytesEqual } from '../primitives/bytes.ts';
import { bytesToHex } from '../primitives/hex.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { EMPTY_CODE_HASH } from '../primitives/keccak.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { keepUnique } from '../verification/repeated-names.ts';
import type { ProofQuestion, ProvenState } from '../verification/state-proof.ts';
import type { VerifiedHeader } from '../verification/verify-block.ts';
import type { PinnedBlock, QuestionParts } from './call-questions.ts';
import { checkData } from './checks/check-values.ts';
import type { RoutedCall } from './routed-call.ts';
import { nameBlock, WholeBlocks } from './whole-blocks.ts';

/** Words and accounts that are held together: about 300 bytes each. */
const MAX_HELD = 65_536;
/** Slots of one question to a node: half a megabyte of nodes, which takes 4 ms to compare. geth refuses more than 1,024. */
const MAX_SLOTS = 128;

/** What is proven of an account at a block; words by the 32 bytes of their slots. */
type HeldState = Pick<ProvenState, 'account'> & { readonly words: Map<string, bigint> };

/** Proves accounts and words of their storage against the state roots of blocks, as far as nodes have proofs. */
export class StateProofs {
  readonly #parts: QuestionParts;
  readonly #blocks: WholeBlocks;
  readonly #held = new Lru<string, HeldState>(
    MAX_HELD,
    Number.POSITIVE_INFINITY,
    undefined,
    ({ words }) => 1 + words.size,
  );
  /** Questions that are put together in this turn of the event loop, by block and account. */
  readonly #gathering = new Map<string, GatheredProof>();
  #gathered = 0;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
    this.#blocks = new WholeBlocks(parts);
  }

  /**
   * Proves an account, and words of its storage. What is asked of one account in the same turn of the event loop is one question to a node.
   * @param slots 32 bytes each, lower-case hex text
   * @returns undefined where that cannot be verified on this network
   * @throws UpstreamFault, ChainError
   */
  prove(
    question: ProofQuestion,
    block: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<ProvenState | undefined> {
    const { address, slots } = question;
    const held = this.#held.get(nameAccount(block, address));
    if (held !== undefined && slots.every((slot) => held.words.has(slot))) return pick(held, slots);
    if (slots.length <= MAX_SLOTS) return this.#proveNow(question, block, scope);
    return this.#proveInParts(question, block, scope);
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
    return continueWith(this.prove({ address, slots: [] }, block, scope), (state) => {
      if (state === undefined) return undefined;
      const { codeHash } = state.account ?? { codeHash: EMPTY_CODE_HASH };
      if (bytesEqual(codeHash, EMPTY_CODE_HASH)) return '"0x"';
      return continueWith<VerifiedHeader | undefined, JsonResult | undefined>(
        this.#proveHeader(block, scope),
        (header) => header && this.#askCode(address, codeHash, header, block, scope),
      );
    });
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
    const header = await this.#proveHeader(block, scope);
    if (header === undefined) return undefined;
    const parts = divideSlots(slots);
    if (parts.length === 1) return this.#askPart({ address, slots }, header, block, scope);
    const answers = await Promise.all(
      parts.map(async (part) => {
        const answer = await this.#askPart({ address, slots: part }, header, block, scope);
        return answer === undefined ? undefined : splitProof(answer);
      }),
    );
    const proven = answers.filter((answer) => answer !== undefined);
    if (proven.length < parts.length) return undefined;
    return `${proven[0]?.account},"storageProof":[${proven.map(({ entries }) => entries).join()}]}`;
  }

  async #askPart(
    question: ProofQuestion,
    header: VerifiedHeader,
    block: PinnedBlock,
    scope: RequestScope,
  ): Promise<JsonText | undefined> {
    let isProven = false;
    const call: RoutedCall = {
      ...this.#describe(question, block),
      check: (result, upstream) => {
        const text = result as JsonText;
        isProven = this.#parts.proofs?.checkState(header, question, text, upstream) !== undefined;
        return keepUnique(text);
      },
    };
    const text = (await this.#parts.ask({ call, scope })) as JsonText;
    return isProven ? text : undefined;
  }

  async #proveInParts(
    { address, slots }: ProofQuestion,
    block: PinnedBlock,
    scope: RequestScope,
  ): Promise<ProvenState | undefined> {
    const states = await Promise.all(
      divideSlots(slots).map((part) => this.#proveNow({ address, slots: part }, block, scope)),
    );
    const words = states.flatMap((state) => state?.words ?? []);
    const account = states[0]?.account;
    return account === undefined || words.length < slots.length ? undefined : { account, words };
  }

  async #proveNow(
    { address, slots }: ProofQuestion,
    block: PinnedBlock,
    scope: RequestScope,
  ): Promise<ProvenState | undefined> {
    const header = await this.#proveHeader(block, scope);
    if (header === undefined) return undefined;
    const gathered = this.#gather({ address, slots }, header, block);
    await gathered.turnEnd;
    await this.#parts.ask({ call: gathered.call, scope });
    return gathered.proven && pick(gathered.proven, slots);
  }

  #proveHeader(
    { position, isCanonical }: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<VerifiedHeader | undefined> {
    const { hash } = position;
    return this.#parts.proofs?.blocks?.proveHeader(
      hash,
      (inner) => this.#blocks.ask(nameBlock(position, isCanonical, false), hash, false, inner),
      scope,
    );
  }

  #gather({ address, slots }: ProofQuestion, header: VerifiedHeader, block: PinnedBlock): GatheredProof {
    const name = nameAccount(block, address);
    const open = this.#gathering.get(name);
    if (open?.add(slots) === true) return open;
    const created = new GatheredProof(slots, (all) =>
      this.#askFor(created, { address, slots: all }, header, block),
    );
    this.#gathering.set(name, created);
    void created.turnEnd.then(() => {
      if (this.#gathering.get(name) === created) this.#gathering.delete(name);
    });
    return created;
  }

  /** One question, shared by all that it is gathered for. */
  #askFor(
    gathered: GatheredProof,
    question: ProofQuestion,
    header: VerifiedHeader,
    block: PinnedBlock,
  ): RoutedCall {
    const { address, slots } = question;
    const name = nameAccount(block, address);
    return {
      ...this.#describe(question, block),
      sharedAs: `proof:${++this.#gathered}`,
      check: (result, upstream) => {
        const text = result as JsonText;
        const proven = this.#parts.proofs?.checkState(header, question, text, upstream);
        if (proven === undefined) return text;
        const { account, words } = proven;
        const known = this.#held.get(name)?.words ?? new Map<string, bigint>();
        const held = { account, words: new Map(known) };
        for (const [i, slot] of slots.entries()) held.words.set(slot, words[i] as bigint);
        this.#held.set(name, held);
        gathered.proven = held;
        return text;
      },
    };
  }

  #askCode(
    address: string,
    codeHash: Uint8Array,
    header: VerifiedHeader,
    block: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult> {
    const call: RoutedCall = {
      ...describeRead('eth_getCode', `"${address}"`, block),
      // Code is what its hash says, in whatever block.
      key: { blockHash: bytesToHex(codeHash), question: `${this.#parts.cacheScope()}:code` },
      isBound: true,
      check: (result, upstream) => {
        const text = checkData(result) as JsonText;
        this.#parts.proofs?.checkCode(header, address, codeHash, text, upstream);
        return text;
      },
    };
    return this.#parts.ask({ call, scope });
  }

  #describe({ address, slots }: ProofQuestion, block: PinnedBlock): RoutedCall {
    return describeRead('eth_getProof', `"${address}",${JSON.stringify(slots)}`, block);
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

/** A question of state whose last parameter is the block. @param subject JSON texts of the parameters before it */
function describeRead(method: string, subject: string, { position, isCanonical }: PinnedBlock): RoutedCall {
  const byHash = `[${subject},{"blockHash":"${position.hash}"}]`;
  return {
    method,
    params: isCanonical ? `[${subject},"${encodeQuantity(position.number)}"]` : byHash,
    paramsByHash: byHash,
    block: position,
    nulls: 'fault',
    isText: true,
  };
}

/** Slots of one account that are asked for together. */
class GatheredProof {
  /** From then on nothing is added. */
  readonly turnEnd: Promise<void>;
  proven: HeldState | undefined;
  readonly #slots: Set<string>;
  readonly #describe: (slots: readonly string[]) => RoutedCall;
  #call: RoutedCall | undefined;

  constructor(slots: readonly string[], describe: (slots: readonly string[]) => RoutedCall) {
    this.#slots = new Set(slots);
    this.#describe = describe;
    this.turnEnd = new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  /** @returns false where there is no room for them any more */
  add(slots: readonly string[]): boolean {
    const added = slots.filter((slot) => !this.#slots.has(slot));
    if (this.#slots.size + added.length > MAX_SLOTS) return false;
    for (const slot of added) this.#slots.add(slot);
    return true;
  }

  get call(): RoutedCall {
    this.#call ??= this.#describe([...this.#slots]);
    return this.#call;
  }
}

function nameAccount({ position }: PinnedBlock, address: string): string {
  return `${position.hash}:${address}`;
}

function pick({ account, words }: HeldState, slots: readonly string[]): ProvenState {
  return { account, words: slots.map((slot) => words.get(slot) as bigint) };
}
