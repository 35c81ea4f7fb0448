import { decodeTransaction, type Transaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { decodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import type { BlockPlace } from '../../../chain/chain.ts';
import type { RecordTable } from '../../../shared-store/records/record-table.ts';
import { Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { MAX_SENT_OF_OWNER, SENT_LIFE_MS, type SentEntry, viewerOf } from './sent-transactions.ts';
import { MAX_SESSIONS_OF_OWNER } from './sent-views.ts';

/** Cap on nonces per sender record; the highest ones are stored. */
const MAX_NONCES = 256;
/** Attempts to write a record that other processes write concurrently. */
const MAX_TRIES = 4;
/** Allowed clock skew between machines that share records. */
const CLOCK_SLACK_MS = 60_000;
const SESSION_DIGITS = 16;
/**
 * Lifetime of a sender record. The record is written at most once per `SENT_LIFE_MS` and remains valid for at least `SENT_LIFE_MS` after each
 * transaction.
 */
const SENDER_LIFE_MS = 2 * SENT_LIFE_MS;
/** Cap on keys and sessions known to send: about 200 bytes each. */
const MAX_SENDERS = 16_384;

/** Transaction recorded by another process. */
export type RecordedTransaction = {
  readonly hash: string;
  /** Lower-case `0x` text. */
  readonly sender: string;
  readonly transaction: Transaction;
};

/** Transaction that went to the private relay; the nonce in decimal digits. */
export type PrivateRecord = { readonly sender: string; readonly nonce: string };

/** Time for which the hash of a private transaction is hidden from nodes; longer than a relay stores a transaction. */
export const PRIVATE_LIFE_MS: number = 24 * 60 * 60_000;
/** Cap on recorded private transactions of one chain, across all senders. */
const MAX_PRIVATE = 16_384;

type Text = {
  readonly sender: string;
  readonly bytes: string;
  /** Block in which an answer has shown the transaction: decimal digits and hash. */
  readonly block?: readonly [number: string, hash: string];
};
/** Nonce, and its expiry in Unix milliseconds. */
type NonceRow = readonly [nonce: string, until: number];

/**
 * Sent transactions, shared by all processes that serve the same networks. There is one record per transaction, without its blobs, one for the nonces
 * of a sender, and one that marks a key or session as a sender. The oldest records of a key are removed to make room for new ones. A failing table is
 * treated as empty.
 */
export class SentRecords {
  readonly #table: RecordTable;
  readonly #readChainId: () => bigint;
  readonly #wallTime: () => number;
  /** Viewers known to send, and whether this process wrote the record. */
  readonly #senders = new Lru<string, boolean>(MAX_SENDERS, SENT_LIFE_MS);

  /** @param wallTime returns Unix milliseconds */
  constructor(table: RecordTable, readChainId: () => bigint, wallTime: () => number) {
    this.#table = table;
    this.#readChainId = readChainId;
    this.#wallTime = wallTime;
  }

  /** Never rejects. */
  async write({ hash, sender, transaction }: SentEntry, scope: RequestScope): Promise<void> {
    const text: Text = { sender, bytes: Buffer.from(transaction.encoded).toString('base64') };
    try {
      const name = this.#nameOf('sent', scope, hash);
      const known = await this.#table.read(name);
      // The same bytes were sent again: the recorded block is preserved.
      if (known !== undefined) await this.#table.replace(name, known.version, known.text, SENT_LIFE_MS);
      else await this.#create(name, JSON.stringify(text), SENT_LIFE_MS, MAX_SENT_OF_OWNER);
      await this.#noteSender(scope);
      await this.#addNonce(scope, sender, transaction.nonce);
    } catch {
      // Without the record, other processes answer as if the transaction had not been sent.
    }
  }

  /** Never rejects. */
  async find(scope: RequestScope, hash: string): Promise<RecordedTransaction | undefined> {
    try {
      const record = await this.#table.read(this.#nameOf('sent', scope, hash));
      if (record === undefined) return undefined;
      const { sender, bytes } = JSON.parse(record.text) as Text;
      const encoded = new Uint8Array(Buffer.from(bytes, 'base64'));
      const isList = (encoded[0] as number) >= 0xc0;
      return { hash, sender, transaction: decodeTransaction(isList ? decodeRlp(encoded) : encoded) };
    } catch {
      return undefined;
    }
  }

  /** Returns whether this key or session has recently sent a transaction, through any process. Never rejects. */
  async hasSent(scope: RequestScope): Promise<boolean> {
    const viewer = viewerOf(scope);
    if (this.#senders.get(viewer) !== undefined) return true;
    try {
      if ((await this.#table.read(this.#nameOf('senders', scope, ''))) === undefined) return false;
      this.#senders.set(viewer, false);
      return true;
    } catch {
      return false;
    }
  }

  /** Never rejects. */
  async writePrivate(hash: string, sent: PrivateRecord): Promise<void> {
    try {
      await this.#create(this.#namePrivate(hash), JSON.stringify(sent), PRIVATE_LIFE_MS, MAX_PRIVATE);
    } catch {
      // This process has the record in memory.
    }
  }

  /** Finds a transaction that some process has sent to the private relay. Never rejects. */
  async findPrivate(hash: string): Promise<PrivateRecord | undefined> {
    try {
      const record = await this.#table.read(this.#namePrivate(hash));
      return record && (JSON.parse(record.text) as PrivateRecord);
    } catch {
      return undefined;
    }
  }

  /**
   * Returns the block in which an answer has shown a transaction of this key or session; null if no answer has shown it in a block, undefined if this
   * key or session has not sent the transaction. Never rejects.
   */
  async findBlock(scope: RequestScope, hash: string): Promise<BlockPlace | null | undefined> {
    try {
      const record = await this.#table.read(this.#nameOf('sent', scope, hash));
      if (record === undefined) return undefined;
      const { block } = JSON.parse(record.text) as Text;
      return block === undefined ? null : { number: BigInt(block[0]), hash: block[1] };
    } catch {
      return undefined;
    }
  }

  /** Records the block in an answer that is about to be returned, if this key or session has sent the transaction. Never rejects. */
  noteBlock(scope: RequestScope, hash: string, { number, hash: blockHash }: BlockPlace): Promise<void> {
    return this.#changeBlock(scope, hash, (text) =>
      text.block?.[1] === blockHash ? text : { ...text, block: [`${number}`, blockHash] },
    );
  }

  /** Removes a block that has left the chain. Never rejects. */
  forgetBlock(scope: RequestScope, hash: string, blockHash: string): Promise<void> {
    return this.#changeBlock(scope, hash, (text) => {
      const { block, ...rest } = text;
      return block?.[1] === blockHash ? rest : text;
    });
  }

  /** @param change returns the same object if nothing has to be written */
  async #changeBlock(scope: RequestScope, hash: string, change: (text: Text) => Text): Promise<void> {
    try {
      const name = this.#nameOf('sent', scope, hash);
      for (let i = 0; i < MAX_TRIES; i++) {
        const record = await this.#table.read(name);
        if (record === undefined) return;
        const before = JSON.parse(record.text) as Text;
        const after = change(before);
        if (after === before) return;
        if (await this.#table.replace(name, record.version, JSON.stringify(after), SENT_LIFE_MS)) return;
      }
    } catch {
      // Without the record, other processes answer as if no block had been shown.
    }
  }

  async #noteSender(scope: RequestScope): Promise<void> {
    const viewer = viewerOf(scope);
    if (this.#senders.get(viewer) === true) return;
    const name = this.#nameOf('senders', scope, '');
    if (await this.#create(name, '{}', SENDER_LIFE_MS, MAX_SESSIONS_OF_OWNER))
      this.#senders.set(viewer, true);
  }

  /** Returns the nonces of a sender's sent transactions; empty if they are unknown. Never rejects. */
  async listNonces(scope: RequestScope, sender: string): Promise<ReadonlySet<bigint>> {
    try {
      const record = await this.#table.read(this.#nameOf('nonces', scope, sender));
      if (record === undefined) return NONE;
      return new Set(this.#parseNonces(record.text).map(([nonce]) => BigInt(nonce)));
    } catch {
      return NONE;
    }
  }

  /** Creates a record; the oldest records of the same key are removed to make room. */
  #create(name: string, text: string, lifeMs: number, maxOfOwner: number): PromiseOrValue<boolean> {
    return this.#table.create(name, text, lifeMs, maxOfOwner, 'removeOldest');
  }

  async #addNonce(scope: RequestScope, sender: string, nonce: bigint): Promise<void> {
    const name = this.#nameOf('nonces', scope, sender);
    const row: NonceRow = [`${nonce}`, this.#wallTime() + SENT_LIFE_MS];
    for (let i = 0; i < MAX_TRIES; i++) {
      const record = await this.#table.read(name);
      if (record === undefined) {
        const text = JSON.stringify([row]);
        if (await this.#create(name, text, SENT_LIFE_MS, MAX_SENT_OF_OWNER)) return;
        continue;
      }
      const others = this.#parseNonces(record.text).filter(([other]) => other !== row[0]);
      const rows = [...others, row].toSorted(([a], [b]) => compareDigits(b, a));
      const text = JSON.stringify(rows.slice(0, MAX_NONCES));
      if (await this.#table.replace(name, record.version, text, SENT_LIFE_MS)) return;
    }
  }

  #parseNonces(text: string): NonceRow[] {
    const now = this.#wallTime();
    // A later expiry was written by a machine whose clock is ahead.
    return (JSON.parse(text) as NonceRow[]).filter(
      ([, until]) => until > now && until <= now + SENT_LIFE_MS + CLOCK_SLACK_MS,
    );
  }

  #namePrivate(hash: string): string {
    return `private/${this.#readChainId()}/${hash}`;
  }

  /** Returns the name of a record. A client's session name may be any text, so the record's name contains only its hash. */
  #nameOf(kind: 'sent' | 'nonces' | 'senders', { owner = '', session }: RequestScope, id: string): string {
    const part =
      session === undefined ? '' : bytesToHex(keccak256(Buffer.from(session))).slice(2, 2 + SESSION_DIGITS);
    return `${kind}/${owner}/${this.#readChainId()}.${part}.${id}`;
  }
}

const NONE: ReadonlySet<bigint> = new Set();

/** Compares decimal digits as numbers. */
function compareDigits(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}
