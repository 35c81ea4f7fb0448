/** The core as the host sees it: the functions that `core/index.ts` exports. Pointers are numbers, 64-bit values bigints. */
import { WEB_ASSEMBLY, type WebAssemblyMemory, type WebAssemblyModule } from '../primitives/webassembly.ts';

export type CoreModule = WebAssemblyModule;

type Pointer = number;
/** WebAssembly's booleans are numbers. */
type Flag = number;

export type CoreExports = {
  readonly memory: WebAssemblyMemory;
  keccak256(input: Pointer, length: number, output: Pointer): void;
  /** The numbers of the rules and the facts of its instructions are in memory (core-rules). */
  useRules(revision: number, switches: number, precompiles: number): void;
  setMemoryLimit(bytes: number): void;
  /** Where the seeds of the tables' hash lie, 80 bytes. */
  hashSeeds(): Pointer;
  /** What is recorded from now on: the bits of core/recording. */
  setRecorded(bits: number): void;
  restartLogNumbers(): void;
  /** Takes an account, or a slot, off the list of those that were recorded; 0: there is none left. */
  takeAccessedAccount(): Pointer;
  takeAccessedSlot(): Pointer;
  accountOfSlot(slot: Pointer): Pointer;
  restoreAccountPrecompile(account: Pointer): void;
  rollbackTo(mark: Pointer): void;
  undoPiece(mark: Pointer): Flag;
  returnDataPointer(): Pointer;
  returnDataSize(): number;
  /** Where the message's output begins, once it has ended. */
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
  /** @param stateGas the reservoir of EIP-8037 */
  beginCall(given: bigint, stateGas: bigint, slice: bigint): number;
  beginCreation(given: bigint, stateGas: bigint, slice: bigint, nonce: bigint): number;
  run(slice: bigint): number;
  /** What `begin` to `run` do for a call without value, price and lists; -1: its sender is not known, and nothing was begun. */
  runPlainCall(size: number, given: number, slice: number): number;
  /** Runs calls of the table from one place up to before another. @returns the place at which it stopped, where nothing is open */
  runCalls(first: number, end: number, slice: number): number;
  /** Why it stopped there: a reason to return of `run`. */
  callsStop(): number;
  /** Gas that the calls had left which it has answered. */
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
  /** Bytes of its memory that take room in the process. */
  memoryPeak(): number;
  clearState(): void;
};

/** Compiles the module that the build put beside this file's own output. */
export function compileCore(bytes: Uint8Array): CoreModule {
  return new WEB_ASSEMBLY.Module(bytes);
}

/** One core with a memory of its own. */
export function instantiateCore(module: CoreModule): CoreExports {
  return new WEB_ASSEMBLY.Instance(module).exports as CoreExports;
}
