import { bytesEqual, concatBytes, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { AccountState, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { ChainReader } from '../store/chain-reader.ts';
import type { StoredStateSource } from './state-source.ts';
import { decodeStoredAccount, type StoredAccount, toAccountState } from './stored-account.ts';

/** Returns the state after a stored block. Later commits to the store do not change the returned state. */
export function createStateReader(reader: ChainReader, blockNumber: bigint): StateReader {
  return new StoredState(reader, Number(blockNumber));
}

/** State after a block of a store. */
export class StoredState implements StateReader {
  readonly #source: StoredStateSource;
  readonly #block: number;
  /** Address of the account that was read last; the account is cached, because its slots are usually read next. */
  #lastAddress: Uint8Array = EMPTY_BYTES;
  #lastAccount: StoredAccount | undefined;

  constructor(source: StoredStateSource, block: number) {
    this.#source = source;
    this.#block = block;
  }

  /** @param address 20 bytes */
  getStoredAccount(address: Uint8Array): StoredAccount | undefined {
    if (bytesEqual(address, this.#lastAddress)) return this.#lastAccount;
    const version = this.#source.findAccount(address, this.#block);
    this.#lastAddress = address.slice();
    this.#lastAccount = version && decodeStoredAccount(version.value);
    return this.#lastAccount;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const account = this.getStoredAccount(address);
    return account && toAccountState(account);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.getStoredAccount(address);
    if (account === undefined || account.slotCount === 0) return EMPTY_BYTES;
    const version = this.#source.findSlot(concatBytes(address, slot), this.#block);
    return version === undefined || version.since < account.storageSince ? EMPTY_BYTES : version.value;
  }

  /** @throws Error when the store lacks the code */
  getCode(codeHash: Uint8Array): Uint8Array {
    const code = this.#source.getCode(codeHash);
    if (code === undefined) throw new Error(`missing code ${bytesToHex(codeHash)}`);
    return code;
  }
}
