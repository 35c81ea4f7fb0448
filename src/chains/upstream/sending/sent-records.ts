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

/** Maximum number of nonces in the record of a sender; the highest nonces are stored. */
const MAX_NONCES = 256;
/** Maximum number of attempts to write a record that other processes write concurrently. */
const MAX_TRIES = 4;
/** Allowed clock difference between machines that share records, ms. */
const CLOCK_SLACK_MS = 60_000;
const SESSION_DIGITS = 16;
/**
 * Lifetime of the record that marks an API key or session as a sender, ms. The record is written at most once per `SENT_LIFE_MS`, and must last for
 * `SENT_LIFE_MS` after each transaction.
 */
const SENDER_LIFE_MS = 2 * SENT_LIFE_MS;
/** Maximum number of API keys and sessions that are cached as senders, about 200 bytes each. */
const MAX_SENDERS = 16_384;

/** Sent transaction as read from a shared record. */
export type RecordedTransaction = {
  readonly hash: string;
  /** Address, as lower-case `0x` text. */
  readonly sender: string;
  readonly transaction: Transaction;
};

/** Sender and nonce (decimal digits) of a transaction that was sent to the private relay. */
export type PrivateRecord = { readonly sender: string; readonly nonce: string };

/** Time for which the hash of a private transaction is hidden from nodes, ms; relays store transactions for a shorter time. */
export const PRIVATE_LIFE_MS: number = 24 * 60 * 60_000;
/** Maximum number of recorded private transactions of one chain, over all senders. */
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
 * Records of sent transactions, shared by all processes that serve the same networks. Four kinds of records exist: a transaction without its blobs,
 * the nonces of a sender, a mark that an API key or session has sent a transaction, and the hash of a private transaction. The oldest records of a
 * key are removed to make room for new ones. A failing table is treated as empty.
 */
export class SentRecords {
  readonly #table: RecordTable;
  readonly #readChainId: () => bigint;
  readonly #wallTime: () => number;
  /** By viewer (`viewerOf`) that has sent a transaction: whether this process has written the viewer's record. */
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
      // If the transaction was sent before, this write extends the lifetime of its record; the block in the record remains.
      if (known !== undefined) await this.#table.replace(name, known.version, known.text, SENT_LIFE_MS);
      else await this.#create(name, JSON.stringify(text), SENT_LIFE_MS, MAX_SENT_OF_OWNER);
      await this.#noteSender(scope);
      await this.#addNonce(scope, sender, transaction.nonce);
    } catch {
      // Without the record, other processes answer as if the transaction had not been sent, which is acceptable.
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

  /** Returns whether this API key or session has recently sent a transaction through any process. Never rejects. */
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
      // A failed write of the record is ignored, because this process has the transaction in memory.
    }
  }

  /** Returns the record of a transaction that any process has sent to the private relay. Never rejects. */
  async findPrivate(hash: string): Promise<PrivateRecord | undefined> {
    try {
      const record = await this.#table.read(this.#namePrivate(hash));
      return record && (JSON.parse(record.text) as PrivateRecord);
    } catch {
      return undefined;
    }
  }

  /**
   * Returns the block that an answer has reported for a transaction of this API key or session. Returns null if no answer has reported a block.
   * Returns undefined if this API key or session has not sent the transaction. Never rejects.
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

  /** Records the block that an answer is about to report, if this API key or session has sent the transaction. Never rejects. */
  noteBlock(scope: RequestScope, hash: string, { number, hash: blockHash }: BlockPlace): Promise<void> {
    return this.#changeBlock(scope, hash, (text) =>
      text.block?.[1] === blockHash ? text : { ...text, block: [`${number}`, blockHash] },
    );
  }

  /** Removes a recorded block that a reorg has removed. Never rejects. */
  forgetBlock(scope: RequestScope, hash: string, blockHash: string): Promise<void> {
    return this.#changeBlock(scope, hash, (text) => {
      const { block, ...rest } = text;
      return block?.[1] === blockHash ? rest : text;
    });
  }

  /** @param change returns the new record, or the same object if nothing has to be written */
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
      // If the write fails, other processes answer as if no block had been reported.
    }
  }

  async #noteSender(scope: RequestScope): Promise<void> {
    const viewer = viewerOf(scope);
    if (this.#senders.get(viewer) === true) return;
    const name = this.#nameOf('senders', scope, '');
    if (await this.#create(name, '{}', SENDER_LIFE_MS, MAX_SESSIONS_OF_OWNER))
      this.#senders.set(viewer, true);
  }

  /** Returns the nonces of a sender's recorded transactions; empty if there are none. Never rejects. */
  async listNonces(scope: RequestScope, sender: string): Promise<ReadonlySet<bigint>> {
    try {
      const record = await this.#table.read(this.#nameOf('nonces', scope, sender));
      if (record === undefined) return NONE;
      return new Set(this.#parseNonces(record.text).map(([nonce]) => BigInt(nonce)));
    } catch {
      return NONE;
    }
  }

  /** Creates a record; removes the oldest records of the same API key to make room. */
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
    // A row that expires later than any correct clock allows is ignored: a machine with a wrong clock wrote it.
    return (JSON.parse(text) as NonceRow[]).filter(
      ([, until]) => until > now && until <= now + SENT_LIFE_MS + CLOCK_SLACK_MS,
    );
  }

  #namePrivate(hash: string): string {
    return `private/${this.#readChainId()}/${hash}`;
  }

  /** Returns the name of a record. The name contains only a hash of the session name, because a client may choose any text as the session name. */
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
