/** Deviations of @ethereumjs/evm 10.1.3 from the protocol, and their corrections. */
import { type EVM, EVMError, type ExecResult } from '@ethereumjs/evm';
import { createAddressFromBigInt } from '@ethereumjs/util';
import { minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  EMPTY_BYTES,
} from '../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { type RunState, replaceHandler } from './instructions.ts';

export type Correction = {
  /** Source of the correct rule. */
  readonly rule: string;
  readonly fault: string;
  readonly apply: (evm: EVM) => void;
};

const MAX_ADDRESS = 2n ** 160n - 1n;

/** The library takes any bytes that begin so for an object of EIP-3540, which is in no revision. */
function looksLikeObject(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0x00;
}

const codeAt = (runState: RunState, word: bigint): Promise<Uint8Array> =>
  runState.stateManager.getCode(createAddressFromBigInt(word & MAX_ADDRESS));

function readExternalCode(evm: EVM): void {
  replaceHandler(evm, 0x3b, (old) => async (runState, common) => {
    const code = await codeAt(runState, runState.stack.peek()[0] as bigint);
    if (!looksLikeObject(code)) return old(runState, common);
    runState.stack.pop();
    runState.stack.push(BigInt(code.length));
  });
  replaceHandler(evm, 0x3f, (old) => async (runState, common) => {
    const code = await codeAt(runState, runState.stack.peek()[0] as bigint);
    if (!looksLikeObject(code)) return old(runState, common);
    runState.stack.pop();
    runState.stack.push(bytesToBigInt(keccak256(code)));
  });
  replaceHandler(evm, 0x3c, (old) => async (runState, common) => {
    const code = await codeAt(runState, runState.stack.peek()[0] as bigint);
    if (!looksLikeObject(code)) return old(runState, common);
    const [, to, from, length] = runState.stack.popN(4) as [bigint, bigint, bigint, bigint];
    if (length === 0n) return;
    const copy = new Uint8Array(Number(length));
    if (from < code.length)
      copy.set(code.subarray(Number(from), Number(minBigInt(from + length, BigInt(code.length)))));
    runState.memory.write(Number(to), copy.length, copy);
  });
}

function createFromAnyCode(evm: EVM): void {
  const correct = (opcode: number, inputs: 3 | 4): void =>
    replaceHandler(evm, opcode, (old) => async (runState, common) => {
      const [value, offset, length, salt] = runState.stack.peek(inputs) as [bigint, bigint, bigint, bigint?];
      const code = length === 0n ? EMPTY_BYTES : runState.memory.read(Number(offset), Number(length));
      const isTooLong = common.isActivatedEIP(3860) && length > common.param('maxInitCodeSize');
      if (!looksLikeObject(code) || isTooLong) return old(runState, common);
      runState.stack.popN(inputs);
      const gas = runState.messageGasLimit as bigint;
      const salted = salt === undefined ? [] : [bigIntToFixedBytes(salt, 32)];
      runState.stack.push(await runState.interpreter.create(gas, value, code, ...salted));
    });
  correct(0xf0, 3);
  correct(0xf5, 4);
}

/** Execution result with the field that the correction below adds. */
type Result = ExecResult & { revertData?: Uint8Array };
type Creation = { readonly execResult: Result };
/** Private members of the library's EVM. */
type Inside = {
  runPrecompile(...args: readonly unknown[]): Promise<ExecResult> | ExecResult;
  runInterpreter(message: unknown, options: unknown): Promise<Result>;
  _executeCreate(message: unknown): Promise<Creation>;
};

/** Hides the data of reverted creations from the library's check of deployed code. */
function revertWithAnyData(evm: EVM): void {
  const inside = evm as unknown as Inside;
  const runInterpreter = inside.runInterpreter.bind(evm);
  const executeCreate = inside._executeCreate.bind(evm);
  inside.runInterpreter = async (message, options) => {
    const result = await runInterpreter(message, options);
    const isMeant = (message as { isCreate?: boolean }).isCreate && result.exceptionError?.error === 'revert';
    if (!isMeant || result.returnValue[0] !== 0xef) return result;
    return { ...result, returnValue: EMPTY_BYTES, revertData: result.returnValue };
  };
  inside._executeCreate = async (message) => {
    const creation = await executeCreate(message);
    const { execResult } = creation;
    if (execResult.revertData === undefined) return creation;
    return { ...creation, execResult: { ...execResult, returnValue: execResult.revertData } };
  };
}

function haltPrecompiles(evm: EVM): void {
  const inside = evm as unknown as Inside;
  const runPrecompile = inside.runPrecompile.bind(evm);
  inside.runPrecompile = async (...args) => {
    const result = await runPrecompile(...args);
    if (result.exceptionError?.error !== 'revert') return result;
    return { ...result, exceptionError: new EVMError(EVMError.errorMessages.OUT_OF_GAS) };
  };
}

export const CORRECTIONS: readonly Correction[] = [
  {
    rule: 'EIP-1052 and the yellow paper, appendix H: EXTCODESIZE, EXTCODECOPY and EXTCODEHASH are of the code as it is',
    fault: 'code that begins with 0xef00, which could be deployed before London, is taken for two bytes',
    apply: readExternalCode,
  },
  {
    rule: 'EIP-3541 leaves init code alone: what begins with 0xef runs, halts, and takes its gas and a nonce',
    fault: 'CREATE and CREATE2 of init code that begins with 0xef00 give 0 and cost nothing more',
    apply: createFromAnyCode,
  },
  {
    rule: 'EIP-3541 is about code that would be deployed; a creation that reverts deploys none',
    fault: 'revert data that begins with 0xef makes the creation halt and take all its gas',
    apply: revertWithAnyData,
  },
  {
    rule: 'precompiles succeed or take all gas, which is what halting is',
    fault: 'some that fail revert, which is another status, and from Amsterdam on gives state gas back',
    apply: haltPrecompiles,
  },
];
