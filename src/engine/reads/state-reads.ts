import type { BlockReference, StateReads, StorageRequests } from '../../chain/chain.ts';
import type { AccountState, StateReader } from '../../evm/host.ts';
import { bytesEqual, padLeft } from '../../primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts';
import { encodeHexData, toHexData } from '../../primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts';
import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { createStateReader } from '../state/state-reader.ts';
import { EngineProofs } from './proof-reads.ts';
import type { StoredBlocks } from './stored-blocks.ts';

const WORD_LENGTH = 32;

/** Accounts at stored blocks. Without transactions that wait, `pending` is the head. */
export class EngineState implements StateReads {
  readonly #blocks: StoredBlocks;
  readonly #proofs: EngineProofs;
  /** At the block that was asked about last: it knows the account that was asked for last. */
  #last: { readonly number: bigint; readonly state: StateReader } | undefined;

  /** @param proofDepth blocks below the head that have proofs */
  constructor(blocks: StoredBlocks, proofDepth: number) {
    this.#blocks = blocks;
    this.#proofs = new EngineProofs(blocks, proofDepth);
  }

  getBalance(address: string, block: BlockReference): JsonText {
    return `"${encodeQuantity(this.#getAccount(address, block)?.balance ?? 0n)}"`;
  }

  getCode(address: string, block: BlockReference): JsonResult {
    const state = this.#openState(block);
    const account = state.getAccount(hexToBytes(address));
    if (account === undefined || bytesEqual(account.codeHash, EMPTY_CODE_HASH)) return '"0x"';
    return encodeHexData(toHexData(state.getCode(account.codeHash)));
  }

  getTransactionCount(address: string, block: BlockReference): JsonText {
    return `"${encodeQuantity(this.#getAccount(address, block)?.nonce ?? 0n)}"`;
  }

  getStorageAt(address: string, slot: string, block: BlockReference): JsonText {
    return readWord(this.#openState(block), hexToBytes(address), slot);
  }

  getStorageValues(requests: StorageRequests, block: BlockReference): JsonText {
    const state = this.#openState(block);
    const members: string[] = [];
    for (const [address, slots] of requests) {
      const account = hexToBytes(address);
      members.push(`"${address}":[${slots.map((slot) => readWord(state, account, slot)).join()}]`);
    }
    return `{${members.join()}}`;
  }

  getProof(
    address: string,
    slots: readonly string[],
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult> {
    return this.#proofs.getProof({ address, slots }, block, scope);
  }

  #getAccount(address: string, block: BlockReference): AccountState | undefined {
    return this.#openState(block).getAccount(hexToBytes(address));
  }

  #openState(block: BlockReference): StateReader {
    const { number } = this.#blocks.findState(block).block.header;
    if (this.#last?.number !== number)
      this.#last = { number, state: createStateReader(this.#blocks.reader, number) };
    return this.#last.state;
  }
}

function readWord(state: StateReader, address: Uint8Array, slot: string): JsonText {
  return `"${bytesToHex(padLeft(state.getStorage(address, hexToBytes(slot)), WORD_LENGTH))}"`;
}
