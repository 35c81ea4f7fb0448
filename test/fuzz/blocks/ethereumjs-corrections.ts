/** Where @ethereumjs/vm 10.1.3 departs from Amsterdam's rules, and what it is made to do instead. */
import type { EVM } from '@ethereumjs/evm';
import type { BlockLevelAccessList } from '@ethereumjs/util';
import type { VM } from '@ethereumjs/vm';
import { minBigInt } from '../../../src/primitives/bigint.ts';
import { type RunState, replaceHandler } from '../oracle/instructions.ts';

export type VmCorrection = {
  /** Where the right behaviour is laid down. */
  readonly rule: string;
  readonly fault: string;
  readonly apply: (vm: VM) => void;
};

/** CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL. */
const FRAME_OPCODES: readonly number[] = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];

/** What the library keeps to itself. */
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

/** The recipient's entry, where the first frame cannot pay for what it creates. */
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

/** The checkpoint that a transaction makes first is the one of its authorizations. */
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
    apply: repaySpillAfterFrames,
  },
  {
    rule: 'EIP-7928: the recipient, or the address of a creation, has been read to find that it is empty',
    fault: 'it is missing where the state gas of its creation cannot be paid for',
    apply: accessUnpaidRecipients,
  },
  {
    rule: 'EIP-8037: delegations are undone when the transaction runs out of gas before its first frame',
    fault: 'their nonces and codes stay in the access list',
    apply: undoAuthorizations,
  },
  {
    rule: 'EIP-7928: a slot is in the changes or in the reads, not in both',
    fault: 'a slot is in both when a frame that is undone wrote back the value of before the block',
    apply: keepChangesOutOfReads,
  },
];
