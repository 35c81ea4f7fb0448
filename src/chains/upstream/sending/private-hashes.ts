import { Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { SendingParts } from './sending-parts.ts';
import type { PrivateRecord, SentRecords } from './sent-records.ts';
import { PRIVATE_LIFE_MS } from './sent-records.ts';

/** Maximum number of stored hashes, about 250 bytes each. The least recently sent or requested hash is evicted first. */
const MAX_HASHES = 16_384;

/**
 * Hashes of transactions that were sent to the private relay. A request with the hash of a private transaction would disclose the transaction. Nodes
 * receive no request with this hash until the nonce of the transaction is used at the served head. When the nonce of a private transaction is used,
 * the transaction is in a block or can no longer be included.
 */
export class PrivateHashes {
  readonly #parts: Pick<SendingParts, 'relay' | 'answers'>;
  readonly #records: SentRecords | undefined;
  readonly #hashes = new Lru<string, PrivateRecord>(MAX_HASHES, PRIVATE_LIFE_MS);

  constructor(parts: Pick<SendingParts, 'relay' | 'answers'>, records: SentRecords | undefined) {
    this.#parts = parts;
    this.#records = records;
  }

  get hasRelay(): boolean {
    return this.#parts.relay !== undefined;
  }

  /**
   * Records a hash; must be called before the transaction is sent, because the relay may have the transaction even if it reports an error. Does
   * nothing on a network without a relay.
   */
  async add(hash: string, sent: PrivateRecord): Promise<void> {
    if (!this.hasRelay) return;
    this.#hashes.set(hash, sent);
    await this.#records?.writePrivate(hash, sent);
  }

  /**
   * Returns whether requests to nodes must not contain this hash.
   * @throws ChainError if the transaction count of the hidden transaction's sender cannot be read
   */
  async isHidden(hash: string, scope: RequestScope): Promise<boolean> {
    if (!this.hasRelay) return false;
    const sent = this.#hashes.get(hash) ?? (await this.#records?.findPrivate(hash));
    if (sent === undefined) return false;
    this.#hashes.set(hash, sent);
    const { state } = this.#parts.answers;
    const count = await state.getTransactionCount(sent.sender, { kind: 'tag', tag: 'latest' }, scope);
    return BigInt(JSON.parse(count) as string) <= BigInt(sent.nonce);
  }
}
