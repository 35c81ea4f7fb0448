/** Executes messages, transactions and blocks of Ethereum, in Node and in browsers. */
import { decodeBase64 } from '../ethereum/primitives/base64.ts';
import { createExecutorOn, type ExecutorOptions } from './executor/create-executor.ts';
import type { Executor } from './executor/executor.ts';
import { type CoreModule, compileCore } from './interpreter/core-module.ts';

export type { ForkName } from '../ethereum/codecs/chain-config.ts';
export type { Log } from '../ethereum/codecs/receipt.ts';
export type { BlockInput, CallInput } from './executor/call-input.ts';
export type { ExecutorOptions, GenesisConfig } from './executor/create-executor.ts';
export {
  type AccessListResult,
  type AppliedBlock,
  type AppliedTransaction,
  CallFailedError,
  type CallResult,
  type CreationResult,
  type Executor,
} from './executor/executor.ts';
export type { SourceChange, SourceChanges } from './executor/layered-state.ts';
export { loadPairing } from './executor/load-pairing.ts';
export type { StateSource } from './executor/state-source.ts';
export type { AccountState } from './interpreter/host.ts';
export type { AccessedAccount, MessageOutcome } from './interpreter/message.ts';
export { BlockError } from './transition/block-error.ts';
export type { BlockResult } from './transition/execute-block.ts';
export { TransactionError, type TransactionProblem } from './transition/transaction-error.ts';

/** The core's WebAssembly module in base64. The package's build inserts the base64 text. */
declare const CORE_BASE64: string;

let core: CoreModule | undefined;

/**
 * Creates an executor on a state.
 * @throws RangeError that names the malformed member of `options.chain` or `options.state`
 */
export function createExecutor(options: ExecutorOptions): Executor {
  core ??= compileCore(decodeBase64(CORE_BASE64));
  return createExecutorOn(core, options);
}
