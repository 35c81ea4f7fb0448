/** Deliberate faults of an oracle; the fuzzer must find each. */
import type { EVM } from '@ethereumjs/evm';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { addGas, replaceHandler } from './instructions.ts';

export type Spoiler = {
  readonly name: string;
  /** A revision that has the fault. */
  readonly revision: Revision;
  /** Index at which the search for revealing programs of that revision begins: shortly before the first of seed 2. */
  readonly from?: number;
  readonly apply: (evm: EVM) => void;
};

const MASK = 2n ** 256n - 1n;

/** Changes the word that a stateless instruction leaves on top of the stack. */
function changeResult(opcode: number, change: (result: bigint) => bigint): (evm: EVM) => void {
  return (evm) =>
    replaceHandler(evm, opcode, (old) => (runState, common) => {
      old(runState, common);
      runState.stack.push(BigInt.asUintN(256, change(runState.stack.pop())));
    });
}

export const SPOILERS: readonly Spoiler[] = [
  { name: 'SLOAD costs 1 more', revision: 'osaka', apply: (evm) => addGas(evm, 0x54, 1n) },
  { name: 'MCOPY costs 1 more', revision: 'cancun', apply: (evm) => addGas(evm, 0x5e, 1n) },
  { name: 'JUMPDEST costs 2', revision: 'frontier', apply: (evm) => addGas(evm, 0x5b, 1n) },
  {
    name: 'SAR of all bits is always 0',
    revision: 'istanbul',
    from: 80,
    apply: changeResult(0x1d, (result) => (result === MASK ? 0n : result)),
  },
  {
    name: 'SDIV overflows to 0',
    revision: 'london',
    from: 90,
    apply: changeResult(0x05, (result) => (result === 1n << 255n ? 0n : result)),
  },
  {
    name: 'MULMOD loses its highest bit',
    revision: 'homestead',
    from: 465,
    apply: changeResult(0x09, (result) => BigInt.asUintN(255, result)),
  },
  {
    name: 'RETURNDATASIZE is whole words',
    revision: 'byzantium',
    from: 270,
    apply: changeResult(0x3d, (result) => ((result + 31n) / 32n) * 32n),
  },
  {
    name: 'TSTORE is forgotten',
    revision: 'prague',
    from: 55,
    apply: (evm) =>
      replaceHandler(evm, 0x5d, () => (runState) => {
        runState.stack.popN(2);
      }),
  },
  {
    name: 'slots never get warm',
    revision: 'berlin',
    apply: (evm) => {
      evm.journal.addWarmedStorage = (address) => evm.journal.addWarmedAddress(address);
    },
  },
  {
    name: 'reverted calls keep their transient storage',
    revision: 'cancun',
    from: 490,
    apply: (evm) => {
      evm.transientStorage.revert = () => evm.transientStorage.commit();
    },
  },
  {
    name: 'the refund of a cleared slot is 1 too many',
    revision: 'london',
    apply: (evm) =>
      replaceHandler(evm, 0x55, (old) => async (runState, common) => {
        const before = runState.gasRefund;
        await old(runState, common);
        if (before > 0n) runState.gasRefund += 1n;
      }),
  },
];
