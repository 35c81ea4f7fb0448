import {
  MAX_RECORD_BYTES,
  type RecordTable,
  type StoredRecord,
} from '../../src/shared-store/records/record-table.ts';

type Row = StoredRecord & { readonly endsAt: number };

/** Records in memory; `requested` lists the operations in order. */
export class MemoryRecords implements RecordTable {
  readonly requested: string[] = [];
  readonly #rows = new Map<string, Row>();
  readonly #now: () => number;
  #versions = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async read(name: string): Promise<StoredRecord | undefined> {
    this.requested.push(`read ${name}`);
    return this.#find(name);
  }

  async create(name: string, text: string, lifeMs: number, maxOfOwner: number): Promise<boolean> {
    this.requested.push(`create ${name}`);
    const [kind, owner] = name.split('/');
    const ofOwner = [...this.#rows.keys()].filter((other) => other.startsWith(`${kind}/${owner}/`));
    if (ofOwner.length >= maxOfOwner || this.#find(name) !== undefined) return false;
    this.#write(name, text, lifeMs);
    return true;
  }

  async replace(name: string, version: string, text: string, lifeMs: number): Promise<boolean> {
    this.requested.push(`replace ${name}`);
    if (this.#find(name)?.version !== version) return false;
    this.#write(name, text, lifeMs);
    return true;
  }

  async remove(name: string): Promise<boolean> {
    return this.#rows.delete(name);
  }

  async close(): Promise<void> {}

  #find(name: string): Row | undefined {
    const row = this.#rows.get(name);
    return row !== undefined && row.endsAt > this.#now() ? row : undefined;
  }

  #write(name: string, text: string, lifeMs: number): void {
    if (text.length > MAX_RECORD_BYTES) throw new RangeError('a record of more bytes than there may be');
    this.#versions++;
    this.#rows.set(name, { text, version: String(this.#versions), endsAt: this.#now() + lifeMs });
  }
}
