import { minBigInt } from '../primitives/bigint.ts';
import {
  ARENA,
  BLOB_COUNT,
  BLOB_HASHES,
  EXCHANGE_WORDS,
  MAX_BLOB_HASHES,
  OPCODE_FACTS,
  OPCODE_FLAGS,
  SLOT_KEY,
} from './core-layout.ts';
import { CoreMemory } from './core-memory.ts';
import { type CoreExports, type CoreModule, instantiateCore } from './core-module.ts';
import type { StateReader } from './host.ts';
import type {
  Access,
  BlockEnvironment,
  ExecutionLog,
  Message,
  MessageOutcome,
  MessageResult,
  Recording,
} from './message.ts';
import { opcodesOf, staticGasOf } from './opcode-table.ts';
import type { Precompile } from './precompiles/precompile.ts';
import type { Precompiles } from './precompiles/precompiles.ts';
import type { Steps } from './precompiles/steps.ts';
import { isAtLeast, REVISIONS, type Revision } from './revision.ts';
import { coreRulesOf } from './revision-changes.ts';
import { describeHalt, RUN, STATUS } from './status.ts';
import { WorldState } from './world-state.ts';

export type EvmOptions = {
  /** Bytes of memory that the frames of a message may have together. */
  readonly memoryLimit: number;
  readonly precompiles: Precompiles;
  /** `HASH_SEED_BYTES` that callers cannot know: which accounts and slots collide in the core's tables depends on them. */
  readonly hashSeed: Uint8Array;
};

export const HASH_SEED_BYTES = 80;

/** A precompile that has begun. */
type PrecompileWork = {
  readonly precompile: Precompile;
  readonly steps: Steps<Uint8Array | undefined>;
  readonly cost: number;
};

/** Gas that cannot run out within a slice: for executions that nobody waits beside. */
export const WHOLE_SLICE: bigint = 2n ** 62n;
/**
 * What the host does for a message counts against its slice as well, as so much gas at a nanosecond each: a read of the
 * state below, a byte of code that is read and decoded, a precompile by its price (2 to 50 ns for each of its gas).
 */
const READ_GAS = 4_000n;
/** Entries of an access list that are warmed in one piece: 0.3 ms. */
const WARM_PIECE = 512;
/** Bytes of output that are copied in one piece: 0.3 ms. */
const OUTPUT_PIECE: number = 512 << 10;
/** Bits of core/recording. */
const RECORDINGS: Readonly<Record<Recording, number>> = {
  nothing: 0,
  transfers: 1,
  accesses: 2,
  logNumbers: 4,
};
const CODE_BYTE_GAS = 5n;
const PRECOMPILE_FACTOR = 40n;
/** A precompile that costs more than this (0.5 ms and more) is run in pieces, and the message pauses before it. */
const LONG_STEP_GAS = 30_000;
/** Bit of the precompile at 0x100 (EIP-7951). */
const P256_NUMBER = 18;
const P256_ADDRESS = 0x100;

const ENDS_BLOCK = new Set(
  'JUMP JUMPI STOP RETURN REVERT INVALID SELFDESTRUCT GAS CALL CALLCODE DELEGATECALL STATICCALL CREATE CREATE2 SSTORE'.split(
    ' ',
  ),
);
const ENDS_PATH = new Set('JUMP STOP RETURN REVERT INVALID SELFDESTRUCT'.split(' '));

/**
 * The EVM: one core with its memory. It runs one transaction at a time, on one state at a time; what it has read of that
 * state and the codes it has decoded stay for the next transactions.
 */
export class Evm {
  readonly state: WorldState;
  readonly #core: CoreExports;
  readonly #memory: CoreMemory;
  readonly #precompiles: Precompiles;
  #reader: StateReader;
  #revision: Revision | undefined;
  #active: ReadonlyMap<number, Precompile> = new Map();
  #block: BlockEnvironment | undefined;
  #message: Message | undefined;
  /** The creator's nonce before it was raised. */
  #nonce = 0n;
  #hasBegun = false;
  /** The input has no room in memory. */
  #isTooLarge = false;
  /** The core has asked for a precompile that takes long, and nothing of it is done yet. */
  #isAtLongStep = false;
  /** What is left of the message's access list. */
  #unwarmed: Iterator<undefined> | undefined;
  /** The rest of a precompile that has begun, and its price. */
  #work: PrecompileWork | undefined;
  /** Why the precompile that the message called failed, as far as it is known, and the rest of finding out. */
  #reason: string | undefined;
  #explanation: Steps<string> | undefined;
  /** The message has ended, and so many bytes of its large output are here. */
  #output: Uint8Array | undefined;
  #copied = 0;

  constructor(module: CoreModule, reader: StateReader, { memoryLimit, precompiles, hashSeed }: EvmOptions) {
    this.#core = instantiateCore(module);
    this.#memory = new CoreMemory(this.#core, ARENA + memoryLimit + 4096);
    this.#core.setMemoryLimit(memoryLimit);
    this.#memory.bytes.set(hashSeed.subarray(0, HASH_SEED_BYTES), this.#core.hashSeeds());
    this.#precompiles = precompiles;
    this.#reader = reader;
    this.state = new WorldState(this.#core, this.#memory, reader);
  }

  /** All of the core's memory, for those who watch that nothing is written astray. */
  get memory(): Uint8Array {
    return this.#memory.bytes;
  }

  /** Bytes that it takes in the process: as many as it ever needed, because its memory does not shrink. */
  get memoryPeak(): number {
    return this.#core.memoryPeak();
  }

  /** Chooses the state below. What is known of another one is forgotten. */
  attach(reader: StateReader): void {
    if (reader === this.#reader) return;
    this.#reader = reader;
    this.state.attach(reader);
    this.forget();
  }

  /** Forgets everything that is known of the state, collected or not. */
  forget(): void {
    this.#core.clearState();
  }

  /** Chooses rules and block. The same objects as last time cost nothing. */
  enter(block: BlockEnvironment, chainId: bigint, revision: Revision): void {
    if (revision !== this.#revision) this.#useRevision(revision);
    if (block !== this.#block) this.#useBlock(block, chainId);
  }

  /** What is recorded from now on. Logs are numbered from 0 again. */
  record(what: Recording): void {
    this.#core.setRecorded(RECORDINGS[what]);
    this.#core.restartLogNumbers();
  }

  /** One of the accounts and slots that were recorded, in no order; undefined when none is left. */
  takeAccess(): Access | undefined {
    const core = this.#core;
    const account = core.takeAccessedAccount();
    if (account !== 0) return { address: this.#memory.readWord(account, 20), slot: undefined };
    const slot = core.takeAccessedSlot();
    if (slot === 0) return undefined;
    const address = this.#memory.readWord(core.accountOfSlot(slot), 20);
    return { address, slot: this.#memory.readWord(slot + SLOT_KEY) };
  }

  /**
   * Marks where a transaction begins: `abandon` undoes everything from here on. Nothing may be open.
   * @returns the mark, for `rollbackTo`
   */
  open(): number {
    return this.#core.open();
  }

  /** Nothing is warm, logged or refunded from now on. */
  begin(): void {
    this.#core.begin();
  }

  /** Where an open transaction's changes end now, for `rollbackTo`. */
  mark(): number {
    return this.#core.journalMark();
  }

  rollbackTo(mark: number): void {
    this.#core.rollbackTo(mark);
  }

  /** The newest part of it, about half a millisecond. @returns whether nothing is left to undo */
  rollbackPiece(mark: number): boolean {
    return this.#core.undoPiece(mark) !== 0;
  }

  /** Undoes everything since `open`. Nothing that changed before may be uncollected. */
  abandon(): void {
    this.#output = undefined;
    this.#core.abandon();
  }

  /** Ends the transaction for good. */
  finish(): void {
    this.#core.finish();
  }

  /** Begins a message. `advance` runs it. The caller's nonce was raised before a creation. */
  start(message: Message): void {
    const memory = this.#memory;
    const words = EXCHANGE_WORDS;
    this.#unwarmed = message.accessList.length === 0 ? undefined : this.#warmUp(message.accessList);
    memory.writeWord(words.caller, message.caller);
    memory.writeInteger(words.gasPrice, message.gasPrice);
    memory.writeInteger(words.value, message.value);
    this.#writeBlobHashes(message.blobVersionedHashes);
    const input = this.#core.reserveInput(message.data.length);
    if (input !== 0) memory.bytes.set(message.data, input);
    this.#message = message;
    this.#nonce =
      message.to === undefined ? BigInt.asUintN(64, this.state.getNonce(message.caller) - 1n) : 0n;
    if (message.to !== undefined) memory.writeWord(words.target, message.to);
    this.#hasBegun = false;
    this.#isTooLarge = input === 0;
    this.#isAtLongStep = false;
    this.#work = undefined;
    this.#reason = undefined;
    this.#explanation = undefined;
    this.#output = undefined;
  }

  /** Whether what comes next is known to take long. */
  get isAtLongStep(): boolean {
    return this.#isAtLongStep;
  }

  /**
   * Runs on for at most a slice of gas; less when the host has much to do for it. However small the slice, it gets on.
   * @returns whether the message is done
   */
  advance(slice: bigint): boolean {
    if (this.#isTooLarge) return true;
    if (this.#output !== undefined) return this.#copyOutput(this.#output, slice);
    if (this.#explanation !== undefined) return this.#explainOn(this.#explanation);
    if (this.#unwarmed !== undefined && !this.#warmOn(slice)) return false;
    let left = slice;
    do {
      if (this.#work !== undefined && !this.#workOn()) return false;
      if (this.#explanation !== undefined) return slice === WHOLE_SLICE;
      const reason = this.#isAtLongStep ? RUN.needsPrecompile : this.#run(left);
      if (reason === RUN.done) return this.#takeOutput(slice);
      if (reason === RUN.sliceUsed) return false;
      const work = this.#supply(reason, slice);
      if (this.#isAtLongStep || this.#work !== undefined) return false;
      if (this.#explanation !== undefined) return slice === WHOLE_SLICE;
      if (this.#hasBegun) left = minBigInt(left, this.#core.sliceLeft());
      left -= work;
    } while (left > 0n);
    return false;
  }

  #run(slice: bigint): number {
    const core = this.#core;
    if (this.#hasBegun) return core.run(slice);
    const { gasLimit, to } = this.#message as Message;
    const reason =
      to === undefined ? core.beginCreation(gasLimit, slice, this.#nonce) : core.beginCall(gasLimit, slice);
    // Precompiles are asked for when the message has begun.
    this.#hasBegun = reason === RUN.done || reason === RUN.needsPrecompile;
    return reason === RUN.done ? core.run(slice) : reason;
  }

  /** Begins to copy an output that is large. @returns whether nothing is left to copy */
  #takeOutput(slice: bigint): boolean {
    const size = this.#core.returnDataSize();
    if (size <= OUTPUT_PIECE) return true;
    this.#output = new Uint8Array(size);
    this.#copied = 0;
    return this.#copyOutput(this.#output, slice);
  }

  /** A piece of it. @returns whether it was the last */
  #copyOutput(output: Uint8Array, slice: bigint): boolean {
    const end = slice === WHOLE_SLICE ? output.length : Math.min(output.length, this.#copied + OUTPUT_PIECE);
    const pointer = this.#core.outputPointer();
    output.set(this.#memory.bytes.subarray(pointer + this.#copied, pointer + end), this.#copied);
    this.#copied = end;
    return end === output.length;
  }

  /** How the message ended. */
  get outcome(): MessageOutcome {
    const core = this.#core;
    const number = this.#statusNumber;
    if (number !== STATUS.success && number !== STATUS.revert) {
      const reason = this.#reason ?? describeHalt(number, core.messageDetailA(), core.messageDetailB());
      return { status: 'halt', reason, output: NO_BYTES };
    }
    const output = this.#output ?? this.#memory.slice(core.outputPointer(), core.returnDataSize());
    return { status: number === STATUS.success ? 'success' : 'revert', reason: '', output };
  }

  /** What the message used of its gas, once it has ended. */
  get gasUsed(): bigint {
    const { gasLimit } = this.#message as Message;
    const number = this.#statusNumber;
    return number === STATUS.success || number === STATUS.revert ? gasLimit - this.#core.gasLeft() : gasLimit;
  }

  /** How the message ended, and what it used and did. @param isLogged whether its logs are of interest */
  result(isLogged = true): MessageResult {
    const core = this.#core;
    const { status, reason, output } = this.outcome;
    return {
      status,
      reason,
      output,
      gasUsed: this.gasUsed,
      gasRefund: core.gasRefund(),
      logs: isLogged && core.logsCount() > 0 ? this.#readLogs() : NO_LOGS,
      gasNeeded: core.wasGasObserved() !== 0 ? undefined : core.gasNeeded(),
      isLimited: this.#statusNumber === STATUS.memoryLimit,
    };
  }

  get #statusNumber(): number {
    return this.#isTooLarge ? STATUS.memoryLimit : this.#core.messageStatus();
  }

  #useRevision(revision: Revision): void {
    this.#revision = revision;
    this.#block = undefined;
    this.#active = this.#precompiles.of(revision);
    const rules = coreRulesOf(revision);
    this.#core.useRules(
      REVISIONS.indexOf(revision),
      rules.features,
      rules.precompiles,
      rules.expByteGas,
      rules.storageAgainGas,
      rules.storageResetGas,
      rules.storageClearRefund,
    );
    const { view } = this.#memory;
    for (let code = 0; code < 256; code++) {
      view.setUint32(OPCODE_FACTS + code * 8, 0, true);
      view.setUint32(
        OPCODE_FACTS + code * 8 + 4,
        (OPCODE_FLAGS.endsBlock | OPCODE_FLAGS.endsPath) << 16,
        true,
      );
    }
    for (const opcode of opcodesOf(revision)) {
      const at = OPCODE_FACTS + opcode.code * 8;
      view.setUint32(at, staticGasOf(opcode, revision), true);
      view.setUint8(at + 4, opcode.inputs);
      view.setUint8(at + 5, opcode.outputs);
      const flags =
        (opcode.name === 'INVALID' ? 0 : OPCODE_FLAGS.isDefined) |
        (ENDS_BLOCK.has(opcode.name) ? OPCODE_FLAGS.endsBlock : 0) |
        (ENDS_PATH.has(opcode.name) ? OPCODE_FLAGS.endsPath : 0);
      view.setUint8(at + 6, flags);
    }
  }

  #useBlock(block: BlockEnvironment, chainId: bigint): void {
    this.#block = block;
    const words = EXCHANGE_WORDS;
    const memory = this.#memory;
    memory.writeInteger(words.blockNumber, block.number);
    memory.writeInteger(words.blockTimestamp, block.timestamp);
    memory.writeWord(words.blockBeneficiary, block.beneficiary);
    memory.writeInteger(words.blockGasLimit, block.gasLimit);
    if (isAtLeast(this.#revision as Revision, 'paris')) memory.writeWord(words.blockRandom, block.prevRandao);
    else memory.writeInteger(words.blockRandom, block.difficulty);
    memory.writeInteger(words.blockBaseFee, block.baseFeePerGas ?? 0n);
    memory.writeInteger(words.blockBlobBaseFee, block.blobBaseFee);
    memory.writeInteger(words.chainId, chainId);
    this.#core.forgetBlockHashes();
  }

  /** EIP-2930, a piece at a time. The core warms what every transaction has warm. */
  *#warmUp(accessList: Message['accessList']): Generator<undefined, undefined> {
    const { state } = this;
    let count = 0;
    for (const { address, storageKeys } of accessList) {
      state.warm(address);
      for (const key of storageKeys) {
        state.warmSlot(address, key);
        if (++count % WARM_PIECE === 0) yield;
      }
      if (++count % WARM_PIECE === 0) yield;
    }
    return undefined;
  }

  /** @returns whether all of the access list is warm */
  #warmOn(slice: bigint): boolean {
    const unwarmed = this.#unwarmed as Iterator<undefined>;
    let step = unwarmed.next();
    while (slice === WHOLE_SLICE && !step.done) step = unwarmed.next();
    if (step.done) this.#unwarmed = undefined;
    return step.done === true;
  }

  #writeBlobHashes(hashes: readonly Uint8Array[]): void {
    const count = Math.min(hashes.length, MAX_BLOB_HASHES);
    this.#memory.view.setUint32(BLOB_COUNT, count, true);
    for (let i = 0; i < count; i++) this.#memory.bytes.set(hashes[i] as Uint8Array, BLOB_HASHES + 32 * i);
  }

  /** Gives the core what it asks for. @returns how much gas of a slice that counts for */
  #supply(reason: number, slice: bigint): bigint {
    if (reason === RUN.needsPrecompile) return this.#runPrecompile(slice);
    if (reason === RUN.needsAccount) this.state.supplyAccount();
    else if (reason === RUN.needsSlot) this.state.supplySlot();
    else if (reason === RUN.needsBlockHash) this.#supplyBlockHash();
    else return READ_GAS + CODE_BYTE_GAS * BigInt(this.state.supplyRequestedCode());
    return READ_GAS;
  }

  #supplyBlockHash(): void {
    const number = this.#memory.view.getBigUint64(EXCHANGE_WORDS.requestKey, true);
    this.#memory.writeWord(EXCHANGE_WORDS.wordA, (this.#block as BlockEnvironment).getBlockHash(number));
    this.#core.supplyBlockHash(number);
  }

  /** At first a long one is only announced; then it is begun, and runs a piece at a time. */
  #runPrecompile(slice: bigint): bigint {
    const core = this.#core;
    const number = core.precompileNumber();
    const precompile = this.#active.get(number === P256_NUMBER ? P256_ADDRESS : number) as Precompile;
    const start = core.precompileInput();
    const input = this.#memory.bytes.subarray(start, start + core.precompileInputSize());
    const cost = precompile.gas(input);
    if (cost > Number.MAX_SAFE_INTEGER || BigInt(cost) > core.precompileGas()) {
      core.supplyPrecompile(STATUS.outOfGas, 0n, 0);
      return READ_GAS;
    }
    if (precompile.steps === undefined || cost <= LONG_STEP_GAS || slice === WHOLE_SLICE) {
      this.#supplyOutput(precompile, precompile.run(input), cost);
    } else {
      this.#isAtLongStep = !this.#isAtLongStep;
      if (!this.#isAtLongStep) this.#work = { precompile, steps: precompile.steps(input), cost };
    }
    return BigInt(cost) * PRECOMPILE_FACTOR;
  }

  /** A piece of the precompile that has begun. @returns whether it was the last */
  #workOn(): boolean {
    const { precompile, steps, cost } = this.#work as PrecompileWork;
    const { done, value } = steps.next();
    if (!done) return false;
    this.#work = undefined;
    this.#supplyOutput(precompile, value, cost);
    return true;
  }

  #supplyOutput(precompile: Precompile, output: Uint8Array | undefined, cost: number): void {
    const core = this.#core;
    if (output === undefined || output.length > core.returnDataCapacity()) {
      core.supplyPrecompile(STATUS.precompileFailed, 0n, 0);
      if (!core.isRunning()) this.#beginToExplain(precompile);
      return;
    }
    this.#memory.bytes.set(output, core.returnDataPointer());
    core.supplyPrecompile(STATUS.success, core.precompileGas() - BigInt(cost), output.length);
  }

  /** The message itself was a call of a precompile, which failed: reasons of inner failures are not reported. */
  #beginToExplain({ explain }: Precompile): void {
    const explanation = explain?.((this.#message as Message).data);
    if (typeof explanation === 'string') this.#reason = explanation;
    else this.#explanation = explanation;
  }

  /** A piece of it. @returns whether it was the last */
  #explainOn(explanation: Steps<string>): boolean {
    const { done, value } = explanation.next();
    if (!done) return false;
    this.#reason = value;
    this.#explanation = undefined;
    return true;
  }

  #readLogs(): ExecutionLog[] {
    const logs: ExecutionLog[] = [];
    const memory = this.#memory;
    let at = this.#core.logsPointer();
    for (let n = this.#core.logsCount(); n > 0; n--) {
      const topicCount = memory.view.getUint32(at + 32, true);
      const size = memory.view.getUint32(at + 36, true);
      const data = at + 40 + 32 * topicCount;
      logs.push({
        address: memory.readWord(at, 20),
        topics: Array.from({ length: topicCount }, (_, i) => memory.readWord(at + 40 + 32 * i)),
        data: memory.slice(data, size),
        number: memory.view.getUint32(at + 24, true),
        isTransfer: memory.view.getUint32(at + 28, true) !== 0,
      });
      at = (data + size + 7) & ~7;
    }
    return logs;
  }
}

const NO_BYTES = new Uint8Array(0);
const NO_LOGS: readonly ExecutionLog[] = [];
