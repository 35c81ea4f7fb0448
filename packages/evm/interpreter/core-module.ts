/** The host's view of the core: the functions that `core/index.ts` exports. Pointers are numbers, 64-bit values are bigints. */
import {
  WEB_ASSEMBLY,
  type WebAssemblyMemory,
  type WebAssemblyModule,
} from '../../ethereum/primitives/webassembly.ts';

export type CoreModule = WebAssemblyModule;

type Pointer = number;
/** A WebAssembly boolean, which is a number in JavaScript. */
type Flag = number;

export type CoreExports = {
  readonly memory: WebAssemblyMemory;
  keccak256(input: Pointer, length: number, output: Pointer): void;
  /** Applies the rules whose numbers and instruction properties the host has written to memory (core-rules). */
  useRules(revision: number, switches: number, precompiles: number): void;
  setMemoryLimit(bytes: number): void;
  /** Returns the address of the hash seeds of the tables, 80 bytes. */
  hashSeeds(): Pointer;
  /** Selects what is recorded, by bits of `RECORD`. */
  setRecorded(bits: number): void;
  restartLogNumbers(): void;
  /** Removes and returns one recorded account, or one recorded slot; 0 when none is left. */
  takeAccessedAccount(): Pointer;
  takeAccessedSlot(): Pointer;
  accountOfSlot(slot: Pointer): Pointer;
  restoreAccountPrecompile(account: Pointer): void;
  rollbackTo(mark: Pointer): void;
  undoPiece(mark: Pointer): Flag;
  returnDataPointer(): Pointer;
  returnDataSize(): number;
  /** Returns the address of the output of the finished message. */
  outputPointer(): Pointer;
  returnDataCapacity(): number;
  logsPointer(): Pointer;
  logsCount(): number;
  reserveInput(size: number): Pointer;
  accountEntry(): Pointer;
  accountIsKnown(account: Pointer): Flag;
  existingAccount(): Pointer;
  supplyAccount(account: Pointer, exists: Flag, nonce: bigint, hasStorage: Flag): void;
  supplySlot(account: Pointer): Flag;
  supplyCode(length: number): Pointer;
  supplyBlockHash(number: bigint): void;
  forgetBlockHashes(): void;
  accountExists(account: Pointer): Flag;
  accountBalance(account: Pointer): Pointer;
  accountNonce(account: Pointer): bigint;
  accountCodeHash(account: Pointer): Pointer;
  accountHasCode(account: Pointer): Flag;
  accountPrecompile(account: Pointer): number;
  accountCode(account: Pointer): Pointer;
  accountCodeLength(account: Pointer): number;
  touchAccount(account: Pointer): void;
  raiseNonce(account: Pointer): void;
  setAccountBalance(account: Pointer): void;
  setAccountNonce(account: Pointer, nonce: bigint): void;
  setAccountCode(account: Pointer): void;
  setAccountPrecompile(account: Pointer, number: number): void;
  clearAccountStorage(account: Pointer): void;
  storageSlot(account: Pointer): Pointer;
  isStorageSlotKnown(slot: Pointer): Flag;
  setStorage(slot: Pointer): void;
  warmAccount(account: Pointer): Flag;
  warmAccountSlot(account: Pointer): Flag;
  open(): Pointer;
  begin(): void;
  beginSystemCall(): void;
  journalMark(): Pointer;
  abandon(): number;
  finish(): void;
  /** @param stateGas state gas reservoir (EIP-8037) */
  beginCall(provided: bigint, stateGas: bigint, slice: bigint): number;
  beginCreation(provided: bigint, stateGas: bigint, slice: bigint, nonce: bigint): number;
  run(slice: bigint): number;
  /**
   * Combines the steps from `open` to `run` for a call without value, gas price and access list.
   * @returns a value of `RUN`; -1 when no message was begun
   */
  runPlainCall(size: number, provided: number, slice: number): number;
  /** Runs the table's calls from `first` up to, not including, `end`. @returns the index at which the run stopped, with no transaction open */
  runCalls(first: number, end: number, slice: number): number;
  /** Returns why `runCalls` stopped: a value of `RUN`. */
  callsStop(): number;
  /** Returns the total remaining gas of the successful calls. */
  gasLeftOfCalls(): number;
  isRunning(): Flag;
  sliceLeft(): bigint;
  precompileNumber(): number;
  precompileInput(): Pointer;
  precompileInputSize(): number;
  precompileGas(): bigint;
  supplyPrecompile(status: number, left: bigint, size: number): void;
  messageStatus(): number;
  messageDetailA(): number;
  messageDetailB(): number;
  gasLeft(): bigint;
  gasLeftNumber(): number;
  gasNeeded(): bigint;
  wasGasObserved(): Flag;
  stateGasLeft(): bigint;
  stateGasUsed(): bigint;
  gasRefund(): bigint;
  changedAccounts(): number;
  changedAccount(n: number): Pointer;
  codeIsNew(account: Pointer): Flag;
  storageWasCleared(account: Pointer): Flag;
  firstChangedSlot(): Pointer;
  nextChangedSlot(slot: Pointer): Pointer;
  changedSlotOwner(slot: Pointer): Pointer;
  settle(): void;
  /** Returns the peak bytes of the core's memory that occupy process memory. */
  memoryPeak(): number;
  clearState(): void;
};

/** Compiles the core (build/src/engine/core.wasm of a checkout). Threads and EVMs share the compiled module. */
export function compileCore(bytes: Uint8Array): CoreModule {
  return new WEB_ASSEMBLY.Module(bytes);
}

/** Instantiates a core with its own memory. */
export function instantiateCore(module: CoreModule): CoreExports {
  return new WEB_ASSEMBLY.Instance(module).exports as CoreExports;
}
