import { ADDRESS_LENGTH } from '../primitives/address.ts';
import { minBigInt } from '../primitives/bigint.ts';
import type { CallBytes } from '../primitives/call-bytes.ts';
import { type HexData, hexDataOf } from '../primitives/hex-data.ts';
import {
  CORE_LIMITS,
  EXCHANGE_FIELDS,
  EXCHANGE_WORDS,
  LOG_FIELD,
  RECORD,
  RUN,
  SLOT_FIELD,
  STATUS,
  startOf,
} from './core-interface.ts';
import { CoreMemory } from './core-memory.ts';
import { type CoreExports, type CoreModule, instantiateCore } from './core-module.ts';
import { useRules } from './core-rules.ts';
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
import type { Precompile } from './precompiles/precompile.ts';
import type { Precompiles } from './precompiles/precompiles.ts';
import type { Steps } from './precompiles/steps.ts';
import type { RevisionRules } from './revisions/revision-rules.ts';
import { describeHalt } from './status.ts';
import { StateLimitError, WorldState } from './world-state.ts';

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

/** Where a message's input lies. */
const ARENA: number = startOf('arena');
/** Gas that cannot run out within a slice: for executions that need not yield to others. */
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
/** Bits of what is recorded. */
const RECORDINGS: Readonly<Record<Recording, number>> = {
  nothing: 0,
  transfers: RECORD.transfers,
  accesses: RECORD.accesses,
  blockAccesses: RECORD.blockAccesses,
  logNumbers: RECORD.logNumbers,
};
const CODE_BYTE_GAS = 5n;
const PRECOMPILE_FACTOR = 40n;
/** A precompile that costs more than this (0.5 ms and more) is run in pieces, and the message pauses before it. */
const LONG_STEP_GAS = 30_000;
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
  #rules: RevisionRules | undefined;
  #active: ReadonlyMap<number, Precompile> = new Map();
  #block: BlockEnvironment | undefined;
  /** Of the message: its gas, whether it creates a contract, and the size of its input. */
  #gasLimit: bigint | number = 0;
  #stateGas = 0n;
  #isCreation = false;
  #inputSize = 0;
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

  /** All of the core's memory, for tests that check for stray writes. */
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
  enter(block: BlockEnvironment, chainId: bigint, rules: RevisionRules): void {
    if (rules !== this.#rules) this.#useRules(rules);
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
    return { address, slot: this.#memory.readWord(slot + SLOT_FIELD.key) };
  }

  /**
   * Accounts and slots that were accessed since the last time, while `blockAccesses` are recorded: those of messages that were undone
   * included. A slot of an account whose storage was cleared in between may be among them twice.
   */
  takeBlockAccesses(): readonly Access[] {
    const accesses: Access[] = [];
    for (let access = this.takeAccess(); access !== undefined; access = this.takeAccess())
      accesses.push(access);
    return accesses;
  }

  /**
   * Marks where a transaction begins: `abandon` undoes all from here on. Nothing may be open.
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

  /**
   * Undoes the newest part of everything since `open`, about half a millisecond of it. Nothing that changed before may be uncollected.
   * @returns whether nothing is left to undo
   */
  abandon(): boolean {
    this.#output = undefined;
    return this.#core.abandon() !== 0;
  }

  /** Ends the transaction for good. */
  finish(): void {
    this.#core.finish();
  }

  /** Begins a message. `advance` runs it. The caller's nonce was raised before a creation. */
  start(message: Message): void {
    const memory = this.#memory;
    const words = EXCHANGE_WORDS;
    const { accessList, caller, to, data } = message;
    memory.writeWord(words.caller, caller);
    memory.writeInteger(words.gasPrice, message.gasPrice);
    memory.writeInteger(words.value, message.value);
    this.#writeBlobHashes(message.blobVersionedHashes);
    const input = this.#core.reserveInput(data.length);
    if (input !== 0) memory.bytes.set(data, input);
    if (to !== undefined) memory.writeWord(words.target, to);
    this.#isCreation = to === undefined;
    if (to === undefined) this.#nonce = BigInt.asUintN(64, this.state.getNonce(caller) - 1n);
    this.#gasLimit = message.gasLimit;
    this.#stateGas = message.stateGas;
    this.#noteStart(data.length, input !== 0);
    if (accessList.length > 0) this.#unwarmed = this.#warmUp(accessList);
  }

  /**
   * Runs a transaction that is a call without value, price and lists from its beginning, for at most a slice of gas. Nothing may be open.
   * @param gasLimit for execution itself; it and `slice` are integers
   * @returns whether the message is done; `advance` runs on
   */
  runPlain(call: CallBytes, gasLimit: number, slice: number): boolean {
    const { bytes, from, to, data, dataLength } = call;
    const memory = this.#memory;
    memory.writeWord(EXCHANGE_WORDS.caller, bytes, from, from + ADDRESS_LENGTH);
    memory.writeWord(EXCHANGE_WORDS.target, bytes, to, to + ADDRESS_LENGTH);
    memory.writeBytes(ARENA, bytes, data, dataLength);
    this.#isCreation = false;
    this.#gasLimit = gasLimit;
    this.#stateGas = 0n;
    this.#noteStart(dataLength, true);
    let reason = this.#core.runPlainCall(dataLength, gasLimit, slice);
    if (reason === RUN.done && this.#core.returnDataSize() <= OUTPUT_PIECE) return true;
    if (reason === RUN.notBegun) {
      this.state.load(bytes.subarray(from, from + ADDRESS_LENGTH));
      reason = this.#core.runPlainCall(dataLength, gasLimit, slice);
      if (reason === RUN.notBegun) throw new StateLimitError();
    }
    this.#hasBegun = reason === RUN.done || this.#core.isRunning() !== 0;
    return this.#goOn(BigInt(slice), reason);
  }

  #noteStart(inputSize: number, hasRoom: boolean): void {
    this.#inputSize = inputSize;
    this.#hasBegun = false;
    this.#isTooLarge = !hasRoom;
    this.#isAtLongStep = false;
    this.#unwarmed = undefined;
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
    return this.#goOn(slice, undefined);
  }

  /** @param reason why the core has returned, where that is to be seen to first */
  #goOn(slice: bigint, reason: number | undefined): boolean {
    let left = slice;
    let why = reason;
    do {
      if (this.#work !== undefined && !this.#workOn()) return false;
      if (this.#explanation !== undefined) return slice === WHOLE_SLICE;
      why ??= this.#isAtLongStep ? RUN.needsPrecompile : this.#run(left);
      if (why === RUN.done) return this.#takeOutput(slice);
      if (why === RUN.sliceUsed) return false;
      const work = this.#supply(why, slice);
      why = undefined;
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
    const reason = this.#isCreation
      ? core.beginCreation(BigInt(this.#gasLimit), this.#stateGas, slice, this.#nonce)
      : core.beginCall(BigInt(this.#gasLimit), this.#stateGas, slice);
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
      const reason = this.#reason ?? this.#describeHalt(number);
      return { status: 'halt', reason, output: NO_BYTES };
    }
    const output = this.#output ?? this.#memory.slice(core.outputPointer(), core.returnDataSize());
    return { status: number === STATUS.success ? 'success' : 'revert', reason: '', output };
  }

  /** The output of a message that has ended with success, as text where it is not large. */
  get outputData(): HexData {
    if (this.#output !== undefined) return this.#output;
    const core = this.#core;
    return hexDataOf(this.#memory.bytes, core.outputPointer(), core.returnDataSize());
  }

  /** Whether the message has ended with success. */
  get isSuccess(): boolean {
    return this.#statusNumber === STATUS.success;
  }

  /** What the message used of its gas, once it has ended. */
  get gasUsed(): bigint {
    const number = this.#statusNumber;
    const isPaidBack = number === STATUS.success || number === STATUS.revert;
    return BigInt(this.#gasLimit) - (isPaidBack ? this.#core.gasLeft() : 0n);
  }

  /** The same as a number, which is exact for calls. */
  get gasUsedNumber(): number {
    const number = this.#statusNumber;
    const isPaidBack = number === STATUS.success || number === STATUS.revert;
    return Number(this.#gasLimit) - (isPaidBack ? this.#core.gasLeftNumber() : 0);
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
      stateGasLeft: this.#isTooLarge ? this.#stateGas : core.stateGasLeft(),
      stateGasUsed: this.#isTooLarge ? 0n : core.stateGasUsed(),
      gasRefund: core.gasRefund(),
      logs: isLogged && core.logsCount() > 0 ? this.#readLogs() : NO_LOGS,
      gasNeeded: core.wasGasObserved() !== 0 ? undefined : core.gasNeeded(),
      isLimited: this.#statusNumber === STATUS.memoryLimit,
    };
  }

  #describeHalt(status: number): string {
    const core = this.#core;
    return describeHalt(status, core.messageDetailA(), core.messageDetailB(), this.#rules as RevisionRules);
  }

  get #statusNumber(): number {
    return this.#isTooLarge ? STATUS.memoryLimit : this.#core.messageStatus();
  }

  #useRules(rules: RevisionRules): void {
    this.#rules = rules;
    this.#block = undefined;
    this.#active = this.#precompiles.of(rules);
    useRules(this.#core, this.#memory, rules);
  }

  #useBlock(block: BlockEnvironment, chainId: bigint): void {
    this.#block = block;
    const words = EXCHANGE_WORDS;
    const memory = this.#memory;
    memory.writeInteger(words.blockNumber, block.number);
    memory.writeInteger(words.blockTimestamp, block.timestamp);
    memory.writeWord(words.blockBeneficiary, block.beneficiary);
    memory.writeInteger(words.blockGasLimit, block.gasLimit);
    if ((this.#rules as RevisionRules).hasPrevRandao) memory.writeWord(words.blockRandom, block.prevRandao);
    else memory.writeInteger(words.blockRandom, block.difficulty);
    memory.writeInteger(words.blockBaseFee, block.baseFeePerGas ?? 0n);
    memory.writeInteger(words.blockBlobBaseFee, block.blobBaseFee);
    memory.writeInteger(words.blockSlot, block.slotNumber ?? 0n);
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
    const count = Math.min(hashes.length, CORE_LIMITS.maxBlobHashes);
    this.#memory.view.setUint32(EXCHANGE_FIELDS.blobCount, count, true);
    for (let i = 0; i < count; i++)
      this.#memory.bytes.set(hashes[i] as Uint8Array, EXCHANGE_FIELDS.blobHashes + 32 * i);
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
    const precompile = this.#active.get(
      number === CORE_LIMITS.p256Number ? CORE_LIMITS.p256Address : number,
    ) as Precompile;
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
    // The message's input lies where it was written: it ended without running any code.
    const explanation = explain?.(this.#memory.slice(ARENA, this.#inputSize));
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
      const topicCount = memory.view.getUint32(at + LOG_FIELD.topicCount, true);
      const size = memory.view.getUint32(at + LOG_FIELD.dataSize, true);
      const data = at + LOG_FIELD.topics + 32 * topicCount;
      logs.push({
        address: memory.readWord(at, 20),
        topics: Array.from({ length: topicCount }, (_, i) => memory.readWord(at + LOG_FIELD.topics + 32 * i)),
        data: memory.slice(data, size),
        number: memory.view.getUint32(at + LOG_FIELD.number, true),
        isTransfer: memory.view.getUint32(at + LOG_FIELD.isTransfer, true) !== 0,
      });
      at = (data + size + 7) & ~7;
    }
    return logs;
  }
}

const NO_BYTES = new Uint8Array(0);
const NO_LOGS: readonly ExecutionLog[] = [];
