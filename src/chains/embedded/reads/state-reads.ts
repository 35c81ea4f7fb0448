import { bytesEqual, padLeft } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodeHexData, toHexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { EMPTY_CODE_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import type { StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { StateReads } from '../../../chain/chain.ts';
import type { BlockReference, StorageRequests } from '../../../chain/requests.ts';
import { Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { createStateReader } from '../state/state-reader.ts';
import { EngineProofs } from './proof-reads.ts';
import type { StoredBlocks } from './stored-blocks.ts';

const WORD_LENGTH = 32;
/** Maximum number of cached answers, about 300 bytes each. */
const MAX_CACHED = 4_096;

/** State after a block, with cached answers by request. Cached answers never become stale, because the state is immutable. */
type KnownState = {
  readonly number: bigint;
  readonly reader: StateReader;
  readonly answers: Lru<string, JsonText>;
};

/** Reads of accounts after stored blocks. There are no pending transactions, so `pending` means the head. */
export class EngineState implements StateReads {
  readonly #blocks: StoredBlocks;
  readonly #proofs: EngineProofs;
  /** State of the last requested block, cached because clients read the same accounts and slots repeatedly. */
  #last: KnownState | undefined;

  /** @param proofDepth number of blocks below the head for which proofs are available */
  constructor(blocks: StoredBlocks, proofDepth: number) {
    this.#blocks = blocks;
    this.#proofs = new EngineProofs(blocks, proofDepth);
  }

  getBalance(address: string, block: BlockReference): JsonText {
    return this.#answer(`balance ${address}`, block, (reader) => {
      const account = reader.getAccount(hexToBytes(address));
      return `"${encodeQuantity(account?.balance ?? 0n)}"`;
    });
  }

  getCode(address: string, block: BlockReference): JsonResult {
    const state = this.#open(block).reader;
    const account = state.getAccount(hexToBytes(address));
    if (account === undefined || bytesEqual(account.codeHash, EMPTY_CODE_HASH)) return '"0x"';
    return encodeHexData(toHexData(state.getCode(account.codeHash)));
  }

  getTransactionCount(address: string, block: BlockReference): JsonText {
    return this.#answer(`nonce ${address}`, block, (reader) => {
      const account = reader.getAccount(hexToBytes(address));
      return `"${encodeQuantity(account?.nonce ?? 0n)}"`;
    });
  }

  getStorageAt(address: string, slot: string, block: BlockReference): JsonText {
    return this.#answer(`${slot} ${address}`, block, (reader) => readWord(reader, hexToBytes(address), slot));
  }

  getStorageValues(requests: StorageRequests, block: BlockReference): JsonText {
    const state = this.#open(block).reader;
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

  /** @param name cache key of the request: kind, address and slot */
  #answer(name: string, block: BlockReference, read: (reader: StateReader) => JsonText): JsonText {
    const { reader, answers } = this.#open(block);
    const known = answers.get(name);
    if (known !== undefined) return known;
    const answer = read(reader);
    answers.set(name, answer);
    return answer;
  }

  #open(block: BlockReference): KnownState {
    const { number } = this.#blocks.findState(block).block.header;
    if (this.#last?.number !== number) {
      const reader = createStateReader(this.#blocks.reader, number);
      this.#last = { number, reader, answers: new Lru(MAX_CACHED, Number.POSITIVE_INFINITY, () => 0) };
    }
    return this.#last;
  }
}

function readWord(state: StateReader, address: Uint8Array, slot: string): JsonText {
  return `"${bytesToHex(padLeft(state.getStorage(address, hexToBytes(slot)), WORD_LENGTH))}"`;
}
