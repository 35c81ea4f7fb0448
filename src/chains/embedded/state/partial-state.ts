import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { AccountState, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { MissingState } from './missing-state.ts';

/** Looks up the available parts of a state; undefined means unavailable. Addresses, slots and hashes are lower-case `0x` text. */
export interface StateParts {
  /** Returns null when the account does not exist. */
  findAccount(address: string): AccountState | null | undefined;
  /** Returns the slot's value without leading zeros. Called only for slots of accounts that exist and have storage. */
  findSlot(address: string, slot: string): Uint8Array | undefined;
  findCode(hash: string): Uint8Array | undefined;
}

/** State of which only some parts are available; reading another part throws `MissingState`. */
export class PartialState implements StateReader {
  readonly #parts: StateParts;

  constructor(parts: StateParts) {
    this.#parts = parts;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    return this.#getAccount(bytesToHex(address));
  }

  /** @throws MissingState when the account or the slot is unavailable */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = bytesToHex(address);
    if (this.#getAccount(key)?.hasStorage !== true) return EMPTY_BYTES;
    const text = bytesToHex(slot);
    const value = this.#parts.findSlot(key, text);
    if (value === undefined) throw new MissingState({ kind: 'slot', address: key, slot: text });
    return value;
  }

  /** @throws MissingState when the code is unavailable */
  getCode(codeHash: Uint8Array): Uint8Array {
    const hash = bytesToHex(codeHash);
    const code = this.#parts.findCode(hash);
    if (code === undefined) throw new MissingState({ kind: 'code', hash });
    return code;
  }

  #getAccount(address: string): AccountState | undefined {
    const account = this.#parts.findAccount(address);
    if (account === undefined) throw new MissingState({ kind: 'account', address });
    return account ?? undefined;
  }
}
