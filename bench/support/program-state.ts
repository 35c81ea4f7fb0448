import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import type { StateReader } from '../../packages/evm/interpreter/host.ts';
import type { ProgramSet } from './program-workloads.ts';

/** Creates the state of the programs' contracts. */
export function readerOf({ contracts }: ProgramSet): StateReader {
  const accounts = new Map(
    contracts.map(({ address, code, storage = {} }) => {
      const bytes = typeof code === 'string' ? hexToBytes(code) : code;
      const slots = new Map(Object.entries(storage).map(([slot, value]) => [BigInt(slot), BigInt(value)]));
      return [bytesToHex(address), { bytes, codeHash: keccak256(bytes), slots }];
    }),
  );
  const codes = new Map([...accounts.values()].map(({ bytes, codeHash }) => [bytesToHex(codeHash), bytes]));
  return {
    getAccount: (address) => {
      const account = accounts.get(bytesToHex(address));
      if (account === undefined) return undefined;
      return { nonce: 1n, balance: 0n, codeHash: account.codeHash, hasStorage: account.slots.size > 0 };
    },
    getStorage: (address, slot) => {
      const value = accounts.get(bytesToHex(address))?.slots.get(BigInt(bytesToHex(slot))) ?? 0n;
      const digits = value.toString(16);
      return value === 0n
        ? new Uint8Array(0)
        : hexToBytes(`0x${digits.padStart(digits.length + (digits.length % 2), '0')}`);
    },
    getCode: (codeHash) => codes.get(bytesToHex(codeHash)) as Uint8Array,
  };
}
