import { ADDRESS_LENGTH } from '../../ethereum/primitives/address.ts';
import { minBigInt } from '../../ethereum/primitives/bigint.ts';
import type { CallBytes } from '../../ethereum/primitives/call-bytes.ts';
import type { HexData } from '../../ethereum/primitives/hex-data.ts';
import { CallTable } from './call-table.ts';
import { writeBlobHashes, writeBlock } from './core-block.ts';
import { EXCHANGE_WORDS, RECORD, RUN, SLOT_FIELD, STATUS, startOf } from './core-interface.ts';
import { readLogs } from './core-logs.ts';
import { CoreMemory } from './core-memory.ts';
import { type CoreExports, type CoreModule, instantiateCore } from './core-module.ts';
import { useRules } from './core-rules.ts';
import type { StateReader } from './host.ts';
import type {
  BlockEnvironment,
  ExecutionLog,
  Message,
  MessageOutcome,
  MessageResult,
  Recording,
  StateAccess,
} from './message.ts';
import { MessageOutput } from './message-output.ts';
import { PrecompileRun } from './precompile-run.ts';
import type { Precompile } from './precompiles/precompile.ts';
import type { Precompiles } from './precompiles/precompiles.ts';
import type { RevisionRules } from './revisions/revision-rules.ts';
import { CODE_BYTE_GAS, READ_GAS, WHOLE_SLICE } from './slice.ts';
import { describeHalt } from './status.ts';
import { warmUp } from './warm-up.ts';
import { StateLimitError, WorldState } from './world-state.ts';

export type EvmOptions = {
  /** Memory limit of all frames of a message together, bytes. */
  readonly memoryLimit: number;
  readonly precompiles: Precompiles;
  /** `HASH_SEED_BYTES` bytes that callers cannot predict. The seed determines which accounts and slots collide in the core's tables. */
  readonly hashSeed: Uint8Array;
};

export const HASH_SEED_BYTES = 80;

/** Address in the core's memory of a message's input. */
const ARENA: number = startOf('arena');

/**
 * The EVM: one core with its memory. The EVM runs one transaction at a time, on one state at a time. State that was read and code that was decoded
 * stay cached for the next transactions.
 */
export class Evm {
  readonly state: WorldState;
  /** Runs several simple calls (`CallBytes`), while no transaction is open. */
  readonly calls: CallTable;
  readonly #core: CoreExports;
  readonly #memory: CoreMemory;
  readonly #precompiles: Precompiles;
  #reader: StateReader;
  #rules: RevisionRules | undefined;
  #active: ReadonlyMap<number, Precompile> = new Map();
  readonly #precompile: PrecompileRun;
  #block: BlockEnvironment | undefined;
  /** Gas of the message, its state gas reservoir, and whether it creates a contract. */
  #gasLimit: bigint | number = 0;
  #stateGas = 0n;
  #isCreation = false;
  /** The creator's nonce before it was raised. */
  #nonce = 0n;
  #hasBegun = false;
  /** Whether the message's input does not fit in memory. */
  #isTooLarge = false;
  /** Rest of the message's access list that is not yet warm. */
  #unwarmed: Iterator<undefined> | undefined;
  readonly #output: MessageOutput;

  constructor(module: CoreModule, reader: StateReader, { memoryLimit, precompiles, hashSeed }: EvmOptions) {
    this.#core = instantiateCore(module);
    this.#memory = new CoreMemory(this.#core, ARENA + memoryLimit + 4096);
    this.#core.setMemoryLimit(memoryLimit);
    this.#memory.bytes.set(hashSeed.subarray(0, HASH_SEED_BYTES), this.#core.hashSeeds());
    this.#precompiles = precompiles;
    this.#precompile = new PrecompileRun(this.#core, this.#memory);
    this.#output = new MessageOutput(this.#core, this.#memory);
    this.#reader = reader;
    this.state = new WorldState(this.#core, this.#memory, reader);
    this.calls = new CallTable(this.#core, this.#memory, this.state);
  }

  /** The core's whole memory, for tests that check for stray writes. */
  get memory(): Uint8Array {
    return this.#memory.bytes;
  }

  /** Peak process memory of the core, bytes. The memory does not shrink. */
  get memoryPeak(): number {
    return this.#core.memoryPeak();
  }

  /** Sets the underlying state; cached data of another state is cleared. */
  attach(reader: StateReader): void {
    if (reader === this.#reader) return;
    this.#reader = reader;
    this.state.attach(reader);
    this.forget();
  }

  /** Clears all cached state, including changes that were not collected. */
  forget(): void {
    this.#core.clearState();
  }

  /** Sets block and rules; another call with the same objects costs nothing. */
  enter(block: BlockEnvironment, chainId: bigint, rules: RevisionRules): void {
    if (rules !== this.#rules) this.#useRules(rules);
    if (block !== this.#block) this.#useBlock(block, chainId);
  }

  /** Selects what is recorded from now on. Log numbers restart at 0. */
  record(what: Recording): void {
    this.#core.setRecorded(what === 'nothing' ? 0 : RECORD[what]);
    this.#core.restartLogNumbers();
  }

  /** Removes and returns one recorded account or slot, in no particular order; undefined when none is left. */
  takeAccess(): StateAccess | undefined {
    const core = this.#core;
    const account = core.takeAccessedAccount();
    if (account !== 0) return { address: this.#memory.readWord(account, 20), slot: undefined };
    const slot = core.takeAccessedSlot();
    if (slot === 0) return undefined;
    const address = this.#memory.readWord(core.accountOfSlot(slot), 20);
    return { address, slot: this.#memory.readWord(slot + SLOT_FIELD.key) };
  }

  /**
   * Returns the accounts and slots accessed since the last call, while `blockAccesses` are recorded, including those of reverted messages.
   * A slot may appear twice when its account's storage was cleared in between.
   */
  takeBlockAccesses(): readonly StateAccess[] {
    const accesses: StateAccess[] = [];
    for (let access = this.takeAccess(); access !== undefined; access = this.takeAccess())
      accesses.push(access);
    return accesses;
  }

  /**
   * Opens a transaction. `abandon` undoes all changes since `open`. No other transaction may be open.
   * @returns the mark for `rollbackTo`
   */
  open(): number {
    return this.#core.open();
  }

  /** Clears warm accounts and slots, logs and the refund counter. */
  begin(): void {
    this.#core.begin();
  }

  /** Begins a call by the protocol itself: unlike after `begin`, precompiles, caller and beneficiary are cold, as in geth. */
  beginSystemCall(): void {
    this.#core.beginSystemCall();
  }

  /** Returns the current end of the open transaction's changes, for `rollbackTo`. */
  mark(): number {
    return this.#core.journalMark();
  }

  rollbackTo(mark: number): void {
    this.#core.rollbackTo(mark);
  }

  /** Undoes the newest changes since the mark, for about 0.5 ms. @returns whether nothing is left to undo */
  rollbackPiece(mark: number): boolean {
    return this.#core.undoPiece(mark) !== 0;
  }

  /**
   * Undoes the newest changes since `open`, for about 0.5 ms. All changes before `open` must be collected.
   * @returns whether nothing is left to undo
   */
  abandon(): boolean {
    this.#output.reset();
    return this.#core.abandon() !== 0;
  }

  /** Ends the transaction and makes its changes final. */
  finish(): void {
    this.#core.finish();
  }

  /** Starts a message; `advance` runs it. For a creation, the caller's nonce must already be raised. */
  start(message: Message): void {
    const memory = this.#memory;
    const words = EXCHANGE_WORDS;
    const { accessList, caller, to, data } = message;
    memory.writeWord(words.caller, caller);
    memory.writeInteger(words.gasPrice, message.gasPrice);
    memory.writeInteger(words.value, message.value);
    writeBlobHashes(memory, message.blobVersionedHashes);
    const input = this.#core.reserveInput(data.length);
    if (input !== 0) memory.bytes.set(data, input);
    if (to !== undefined) memory.writeWord(words.target, to);
    this.#isCreation = to === undefined;
    if (to === undefined) this.#nonce = BigInt.asUintN(64, this.state.getNonce(caller) - 1n);
    this.#gasLimit = message.gasLimit;
    this.#stateGas = message.stateGas;
    this.#noteStart(data.length, input !== 0);
    if (accessList.length > 0) this.#unwarmed = warmUp(this.state, accessList);
  }

  /**
   * Starts a transaction that is a call without value, gas price and access list, and runs it for at most a slice of gas. No transaction may be open.
   * @param gasLimit gas for execution; `gasLimit` and `slice` are integers
   * @returns whether the message is finished; otherwise `advance` continues it
   * @throws StateLimitError when the core has no room for the sender
   */
  runFastPath(call: CallBytes, gasLimit: number, slice: number): boolean {
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
    if (reason === RUN.done && !this.#output.isLarge) return true;
    if (reason === RUN.notBegun) {
      this.state.load(bytes.subarray(from, from + ADDRESS_LENGTH));
      reason = this.#core.runPlainCall(dataLength, gasLimit, slice);
      if (reason === RUN.notBegun) throw new StateLimitError();
    }
    this.#hasBegun = reason === RUN.done || this.#core.isRunning() !== 0;
    return this.#goOn(BigInt(slice), reason);
  }

  #noteStart(inputSize: number, hasRoom: boolean): void {
    this.#precompile.reset(inputSize);
    this.#hasBegun = false;
    this.#isTooLarge = !hasRoom;
    this.#unwarmed = undefined;
    this.#output.reset();
  }

  /** Whether the next step runs a long precompile. */
  get isAtLongStep(): boolean {
    return this.#precompile.isAtLongStep;
  }

  /**
   * Runs for at most a slice of gas, from which work of the host is subtracted. Every call makes progress, however small the slice is.
   * @returns whether the message is finished
   */
  advance(slice: bigint): boolean {
    if (this.#isTooLarge) return true;
    if (this.#output.isBeingCopied) return this.#output.copyOn(slice);
    if (this.#precompile.isExplaining) return this.#precompile.explainOn();
    if (this.#unwarmed !== undefined && !this.#warmOn(slice)) return false;
    return this.#goOn(slice, undefined);
  }

  /** @param reason why the core last returned (a value of `RUN`); the request is handled before the core runs again */
  #goOn(slice: bigint, reason: number | undefined): boolean {
    const precompile = this.#precompile;
    let left = slice;
    let why = reason;
    do {
      if (precompile.isWorking && !precompile.workOn()) return false;
      if (precompile.isExplaining) return slice === WHOLE_SLICE;
      why ??= precompile.isAtLongStep ? RUN.needsPrecompile : this.#run(left);
      if (why === RUN.done) return this.#output.copyOn(slice);
      if (why === RUN.sliceUsed) return false;
      const work = this.#supply(why, slice);
      why = undefined;
      if (precompile.isAtLongStep || precompile.isWorking) return false;
      if (precompile.isExplaining) return slice === WHOLE_SLICE;
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
    // Precompiles are requested only after the message has begun.
    this.#hasBegun = reason === RUN.done || reason === RUN.needsPrecompile;
    return reason === RUN.done ? core.run(slice) : reason;
  }

  /** Outcome of the finished message. */
  get outcome(): MessageOutcome {
    const number = this.#statusNumber;
    if (number !== STATUS.success && number !== STATUS.revert) {
      const reason = this.#precompile.reason ?? this.#describeHalt(number);
      return { status: 'halt', reason, output: NO_BYTES };
    }
    const status = number === STATUS.success ? 'success' : 'revert';
    return { status, reason: '', output: this.#output.bytes };
  }

  /** Output of a successful message, as text when it is not large. */
  get outputData(): HexData {
    return this.#output.data;
  }

  /** Whether the message has ended with success. */
  get isSuccess(): boolean {
    return this.#statusNumber === STATUS.success;
  }

  /** Gas used by the finished message. */
  get gasUsed(): bigint {
    return BigInt(this.#gasLimit) - (LEAVES_GAS.has(this.#statusNumber) ? this.#core.gasLeft() : 0n);
  }

  /** Gas used by the finished message, as a number; exact after `runFastPath`. */
  get gasUsedNumber(): number {
    return Number(this.#gasLimit) - (LEAVES_GAS.has(this.#statusNumber) ? this.#core.gasLeftNumber() : 0);
  }

  /** Returns outcome, gas and effects of the finished message. @param isLogged whether to read the message's logs */
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
      logs: isLogged && core.logsCount() > 0 ? readLogs(this.#core, this.#memory) : NO_LOGS,
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
    writeBlock(this.#memory, block, chainId, (this.#rules as RevisionRules).hasPrevRandao);
    this.#core.forgetBlockHashes();
  }

  /** Warms the access list. @returns whether the whole list is warm */
  #warmOn(slice: bigint): boolean {
    const unwarmed = this.#unwarmed as Iterator<undefined>;
    let step = unwarmed.next();
    while (slice === WHOLE_SLICE && !step.done) step = unwarmed.next();
    if (step.done) this.#unwarmed = undefined;
    return step.done === true;
  }

  /** Supplies the data that the core requests. @returns the gas that this work takes from the slice */
  #supply(reason: number, slice: bigint): bigint {
    if (reason === RUN.needsPrecompile) return this.#precompile.request(this.#active, slice);
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
}

/** End statuses that do not consume the remaining gas. The last two statuses of the set mean that the message failed before its first instruction. */
const LEAVES_GAS: ReadonlySet<number> = new Set([
  STATUS.success,
  STATUS.revert,
  STATUS.insufficientBalance,
  STATUS.nonceOverflow,
]);
const NO_BYTES = new Uint8Array(0);
const NO_LOGS: readonly ExecutionLog[] = [];
