import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { RlpWriter } from '../../../../packages/ethereum/primitives/rlp-writer.ts';
import { HISTORY_STORAGE } from '../../../../packages/evm/interpreter/revisions/system-contracts.ts';
import { rulesOfHeader } from '../../../../packages/evm/transition/rules.ts';
import { encodeHeaderOf } from '../../../../packages/proofs/hash-header.ts';
import { asText, isMembers } from '../../../../packages/proofs/members.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { Collector } from './collector.ts';
import type { RemoteBlock } from './remote-block.ts';
import type { NodeRequest, RemoteStateSource } from './state-source.ts';

/** Number of blocks before the executing block whose hashes BLOCKHASH can read. */
const MAX_ANCESTORS = 256n;
/** Maximum number of headers that are requested instead of a proof of the history contract; a proof is about as large as four headers. */
const MAX_HEADERS = 4n;
const HISTORY_ADDRESS: string = bytesToHex(HISTORY_STORAGE.address);
/** Number of slots in the ring buffer of the history contract (EIP-2935). */
const HISTORY_LENGTH = 8_191n;

/** Requests the hashes of earlier blocks that executions read with BLOCKHASH. */
export class AncestorHashes {
  readonly #source: RemoteStateSource;
  readonly #ask: Collector['ask'];
  readonly #writer = new RlpWriter();

  constructor(source: RemoteStateSource, ask: Collector['ask']) {
    this.#source = source;
    this.#ask = ask;
  }

  /**
   * Adds hashes of earlier blocks to `block.blockHashes`. The hashes come from a proof of the history contract (EIP-2935), or from headers, because
   * each header contains its parent's hash.
   * @param numbers numbers of earlier blocks; numbers out of the reach of BLOCKHASH are ignored
   * @throws the errors of `RemoteStateSource.ask`
   */
  async fetch(block: RemoteBlock, numbers: ReadonlySet<bigint>, scope: RequestScope): Promise<void> {
    const { number } = block.stored.header;
    const { blockHashes } = block;
    const isMissing = (each: bigint): boolean =>
      each >= 0n && each >= number - MAX_ANCESTORS && each < number && !blockHashes.has(each);
    const missing = [...numbers].filter(isMissing);
    if (missing.length === 0) return;
    let linked = number - 1n;
    while (blockHashes.has(linked - 1n)) linked--;
    const isFar = missing.some((each) => linked - each > MAX_HEADERS);
    if (isFar && keepsHashes(block)) await this.#prove(block, missing, scope);
    const [oldest] = missing.filter(isMissing).sort((a, b) => Number(a - b));
    if (oldest !== undefined) await this.#link(linked, oldest, blockHashes, scope);
  }

  /** Reads hashes of earlier blocks from the history contract (EIP-2935). The contract has the value 0 for blocks older than its first call. */
  async #prove(
    { at, blockHashes }: RemoteBlock,
    numbers: readonly bigint[],
    scope: RequestScope,
  ): Promise<void> {
    const slots = numbers.map((each) => toWord(each % HISTORY_LENGTH));
    let words: readonly bigint[] = [];
    try {
      const proven = await this.#source.requests.prove({ address: HISTORY_ADDRESS, slots }, at, scope);
      words = proven?.words ?? [];
    } catch (error) {
      // Without the proof, the hashes are read from headers.
      if (!this.#source.isOutage(error)) throw error;
    }
    for (const [i, word] of words.entries())
      if (word !== 0n) blockHashes.set(numbers[i] as bigint, hexToBytes(toWord(word)));
  }

  /** Requests the headers from block `end`, whose hash is known, down to the child of block `oldest`. */
  async #link(
    end: bigint,
    oldest: bigint,
    blockHashes: Map<bigint, Uint8Array>,
    scope: RequestScope,
  ): Promise<void> {
    const newest = blockHashes.get(end) as Uint8Array;
    const place = { number: end, hash: bytesToHex(newest) };
    const count = Number(end - oldest);
    const headers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.#ask(headerRequest(end - BigInt(index)), place, (answer) => answer, scope),
      ),
    );
    let hash = place.hash;
    for (const [index, header] of headers.entries()) {
      if (!isMembers(header) || encodeHeaderOf(header, hash, this.#writer) === undefined) return;
      hash = asText(header['parentHash']).toLowerCase();
      blockHashes.set(end - BigInt(index) - 1n, hexToBytes(hash));
    }
  }
}

function keepsHashes({ config, stored }: RemoteBlock): boolean {
  return rulesOfHeader(config, stored.header).revision.blockCalls.some(
    ({ contract }) => contract === HISTORY_STORAGE,
  );
}

function toWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** Builds the request for a block without transaction objects; only header members are verified. */
export function headerRequest(number: bigint): NodeRequest {
  return { method: 'eth_getBlockByNumber', encode: () => `["${encodeQuantity(number)}",false]` };
}
