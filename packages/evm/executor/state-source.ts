import type { PromiseOrValue } from '../../ethereum/primitives/promise-or-value.ts';
import type { AccountState } from '../interpreter/host.ts';

/**
 * Account state after a block, in memory, in a database or at a node. The user of an `Executor` implements this interface. Methods may return
 * promises. Returned values must not change until `Executor.forget`.
 */
export interface StateSource {
  /**
   * @param address 20 bytes
   * @returns undefined when the account does not exist
   */
  getAccount(address: Uint8Array): PromiseOrValue<AccountState | undefined>;
  /**
   * @param slot 32 bytes
   * @returns the value, at most 32 bytes, big-endian; empty for zero
   */
  getStorage(address: Uint8Array, slot: Uint8Array): PromiseOrValue<Uint8Array>;
  /**
   * @param codeHash 32 bytes, from an account
   * @param address 20 bytes, of an account with this code
   */
  getCode(codeHash: Uint8Array, address: Uint8Array): PromiseOrValue<Uint8Array>;
  /** Returns the hash of an earlier block, 32 bytes. Without this method, all hashes are zero. */
  getBlockHash?(number: bigint): PromiseOrValue<Uint8Array>;
}
