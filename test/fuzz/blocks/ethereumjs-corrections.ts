/** Deviations of @ethereumjs/vm 10.1.3 from Amsterdam's rules, and their corrections. */
import { type EVM, EVMError } from '@ethereumjs/evm';
import type { BlockLevelAccessList } from '@ethereumjs/util';
import type { VM } from '@ethereumjs/vm';
import { minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import { EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { type RunState, replaceGasHandler, replaceHandler } from '../oracle/instructions.ts';

export type VmCorrection = {
  /** Source of the correct rule. */
  readonly rule: string;
  readonly fault: string;
  /** File in `corpus` with a block that differs without the correction. */
  readonly block: string;
  readonly apply: (vm: VM) => void;
};

/** CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL. */
const FRAME_OPCODES: readonly number[] = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];

const CREATIONS: readonly (readonly [opcode: number, inputs: number])[] = [
  [0xf0, 3],
  [0xf5, 4],
];
const CALL = 0xf1;
const MAX_DEPTH = 1024;
const MAX_NONCE = 2n ** 64n - 1n;
/** Exceeds the state gas of an account. */
const AMPLE_GAS = 10n ** 9n;

/** Private members of the library's EVM. */
type Inside = {
  _executeCreate(message: { to?: { toString(): `0x${string}` } }): Promise<unknown>;
  _executeCall(message: { to?: { toString(): `0x${string}` } }): Promise<unknown>;
};

const accessListOf = ({ evm }: VM): BlockLevelAccessList | undefined => evm.blockLevelAccessList;

function repaySpill(runState: RunState): void {
  const { _evm: evm } = runState.interpreter;
  const repaid = minBigInt(evm.stateGasReservoir, runState.stateGasSpilled);
  evm.stateGasReservoir -= repaid;
  runState.stateGasSpilled -= repaid;
  runState.gasLeft += repaid;
}

function repaySpillAfterFrames({ evm }: VM): void {
  for (const opcode of FRAME_OPCODES) {
    replaceHandler(evm as EVM, opcode, (old) => async (runState, common) => {
      await old(runState, common);
      repaySpill(runState);
    });
  }
}

function forwardAfterStateGas({ evm }: VM): void {
  replaceHandler(evm as EVM, CALL, (old) => (runState, common) => {
    const { gasLeft, messageGasLimit } = runState;
    runState.messageGasLimit = minBigInt(messageGasLimit as bigint, gasLeft - gasLeft / 64n);
    return old(runState, common);
  });
}

/** Clears the flag "a call failed on gas after its target was read", on which the library empties the reservoir. */
function keepReservoir({ evm }: VM): void {
  Object.defineProperty(evm, 'eip7928CallPostTargetOog', { get: () => false, set: () => undefined });
}

/** Whether a creation fails before it accesses the address that it would create. */
function failsEarly({ env, stack }: RunState): boolean {
  const { depth, contract } = env;
  return depth >= MAX_DEPTH || contract.balance < (stack.peek()[0] as bigint) || contract.nonce >= MAX_NONCE;
}

/**
 * A creation that fails early pays no state gas: the library charges it to a reservoir that is restored afterwards.
 * In a static frame a creation halts before anything else.
 */
function failBeforeStateGas({ evm }: VM): void {
  for (const [opcode, inputs] of CREATIONS) {
    replaceGasHandler(evm as EVM, opcode, (old) => async (runState, gas, common) => {
      if (runState.interpreter.isStatic()) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE);
      if (!failsEarly(runState)) return old(runState, gas, common);
      const { stateGasReservoir, executionStateGasUsed } = evm;
      evm.stateGasReservoir += AMPLE_GAS;
      try {
        return await old(runState, gas, common);
      } finally {
        evm.stateGasReservoir = stateGasReservoir;
        evm.executionStateGasUsed = executionStateGasUsed;
        runState.lastCreateNewAccountStateGas = 0n;
      }
    });
    replaceHandler(evm as EVM, opcode, (old) => (runState, common) => {
      if (!failsEarly(runState)) return old(runState, common);
      runState.stack.popN(inputs);
      runState.stack.push(0n);
      runState.returnBytes = EMPTY_BYTES;
      delete runState.messageGasLimit;
    });
  }
}

/** Adds the recipient's entry when the first frame cannot pay for the account that it creates. */
function accessUnpaidRecipients(vm: VM): void {
  const inside = vm.evm as unknown as Inside;
  for (const name of ['_executeCreate', '_executeCall'] as const) {
    const execute = inside[name].bind(vm.evm);
    inside[name] = async (message) => {
      const result = await execute(message);
      if (vm.evm.eip2780PrepOog && message.to !== undefined)
        accessListOf(vm)?.addAddress(message.to.toString());
      return result;
    };
  }
}

/** Makes the first checkpoint of a transaction the one to which its authorizations are rolled back. */
function undoAuthorizations(vm: VM): void {
  const { journal } = vm.evm;
  const { checkpoint, commit, revert } = journal;
  let depth = 0;
  let isNext = false;
  vm.events.on('beforeTx', () => {
    isNext = true;
  });
  journal.checkpoint = () => {
    if (depth > 0) depth++;
    else if (isNext) {
      depth = 1;
      accessListOf(vm)?.checkpoint();
    }
    isNext = false;
    return checkpoint.call(journal);
  };
  journal.commit = () => {
    if (depth === 1) accessListOf(vm)?.commit();
    if (depth > 0) depth--;
    return commit.call(journal);
  };
  journal.revert = () => {
    if (depth === 1) accessListOf(vm)?.revert();
    if (depth > 0) depth--;
    return revert.call(journal);
  };
}

function keepChangesOutOfReads(vm: VM): void {
  vm.events.on('beforeTx', () => {
    const list = accessListOf(vm);
    if (list === undefined || Object.hasOwn(list, 'revert')) return;
    const revert = list.revert.bind(list);
    list.revert = () => {
      revert();
      for (const { storageChanges, storageReads } of Object.values(list.accesses)) {
        for (const slot of Object.keys(storageChanges)) storageReads.delete(slot as `0x${string}`);
      }
    };
  });
}

export const VM_CORRECTIONS: readonly VmCorrection[] = [
  {
    rule: 'geth 1.17.8: after a frame that succeeded, the reservoir repays the execution gas that state charges of its caller took; EIP-8037 does not say',
    fault: 'it stays in the reservoir, which GAS and what later frames can pay show',
    block: 'the-reservoir-repays-after-a-frame',
    apply: repaySpillAfterFrames,
  },
  {
    rule: 'EIP-8037: a call gets at most 63/64 of the gas that is left when the state gas has been paid',
    fault: 'the limit is computed from the gas before the state gas was taken from it',
    block: 'a-call-gets-its-share-after-the-state-gas',
    apply: forwardAfterStateGas,
  },
  {
    rule: 'EIP-8037: what halts takes the execution gas that is left, and the reservoir is what it was before',
    fault:
      'the reservoir is emptied when a transaction runs out of gas and one of its calls failed on gas after its target was read',
    block: 'what-halts-keeps-the-reservoir',
    apply: keepReservoir,
  },
  {
    rule: 'EIP-8037: CREATE and CREATE2 look at whether the frame is static, at depth, balance and nonce first; where one of these fails, no state gas is charged, and no address accessed',
    fault: 'they charge it first, and halt or name the address where it cannot be paid for',
    block: 'a-creation-that-fails-early-pays-no-state-gas',
    apply: failBeforeStateGas,
  },
  {
    rule: 'EIP-7928: the recipient, or the address of a creation, has been read to find that it is empty',
    fault: 'it is missing where the state gas of its creation cannot be paid for',
    block: 'an-unpaid-recipient-is-accessed',
    apply: accessUnpaidRecipients,
  },
  {
    rule: 'EIP-8037: delegations are undone when the transaction runs out of gas before its first frame',
    fault: 'their nonces and codes stay in the access list',
    block: 'authorizations-that-are-undone',
    apply: undoAuthorizations,
  },
  {
    rule: 'EIP-7928: a slot is in the changes or in the reads, not in both',
    fault: 'a slot is in both when a frame that is undone wrote back the value of before the block',
    block: 'a-slot-is-a-change-or-a-read',
    apply: keepChangesOutOfReads,
  },
];
