import { Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { SendingParts } from './sending-parts.ts';
import type { PrivateRecord, SentRecords } from './sent-records.ts';
import { PRIVATE_LIFE_MS } from './sent-records.ts';

/** Cap on hashes, about 250 bytes each; the least recently sent or requested hash is evicted first. */
const MAX_HASHES = 16_384;

/**
 * Hashes of transactions that went to the private relay. No request to a node names such a hash, since that would disclose it, before its nonce is used at
 * the served head: then the transaction is in a block, or can no longer get into one.
 */
export class PrivateHashes {
  readonly #parts: Pick<SendingParts, 'relay' | 'chain'>;
  readonly #records: SentRecords | undefined;
  readonly #hashes = new Lru<string, PrivateRecord>(MAX_HASHES, PRIVATE_LIFE_MS);

  constructor(parts: Pick<SendingParts, 'relay' | 'chain'>, records: SentRecords | undefined) {
    this.#parts = parts;
    this.#records = records;
  }

  /** Call before the relay gets the transaction: it may have it whatever it answers. Does nothing on a network without relay. */
  async add(hash: string, sent: PrivateRecord): Promise<void> {
    if (this.#parts.relay === undefined) return;
    this.#hashes.set(hash, sent);
    await this.#records?.writePrivate(hash, sent);
  }

  /**
   * Returns whether requests to nodes must not name this hash.
   * @throws ChainError where the sender's transaction count cannot be read
   */
  async isHidden(hash: string, scope: RequestScope): Promise<boolean> {
    if (this.#parts.relay === undefined) return false;
    const sent = this.#hashes.get(hash) ?? (await this.#records?.findPrivate(hash));
    if (sent === undefined) return false;
    this.#hashes.set(hash, sent);
    const { state } = this.#parts.chain();
    const count = await state.getTransactionCount(sent.sender, { kind: 'tag', tag: 'latest' }, scope);
    return BigInt(JSON.parse(count) as string) <= BigInt(sent.nonce);
  }
}
