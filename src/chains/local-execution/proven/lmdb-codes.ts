import { join } from 'node:path';
import type { Database } from 'lmdb';
import { LmdbEnvironment } from '../../../util/lmdb-environment.ts';
import { prepareLmdbFolder } from '../../../util/lmdb-folder.ts';
import type { CodeTable } from './codes.ts';

/** Limit on the total size of all codes in the file, bytes: about 20,000 codes of the maximum size. */
const MAX_BYTES = 512 << 20;
const MAP_BYTES = 1 << 30;
const SUM = 'bytes';

type Databases = {
  readonly codes: Database<Buffer, string>;
  /** Total bytes of all codes. */
  readonly sums: Database<number, string>;
};

/**
 * Contract codes in the LMDB environment `<dataDir>/codes`. All gateway processes of one machine use this environment. All codes are removed when the
 * file is full.
 */
export class LmdbCodes implements CodeTable {
  readonly #environment: LmdbEnvironment<Databases>;
  readonly #maxBytes: number;

  /** @throws Error that names the folder, if the folder is not writable */
  constructor(dataDir: string, maxBytes: number = MAX_BYTES) {
    const path = join(dataDir, 'codes');
    this.#maxBytes = maxBytes;
    prepareLmdbFolder(path);
    this.#environment = new LmdbEnvironment({ path, mapSize: MAP_BYTES }, (root) => ({
      codes: root.openDB<Buffer, string>({ name: 'codes', encoding: 'binary' }),
      sums: root.openDB<number, string>({ name: 'sums' }),
    }));
  }

  read(hash: string): Uint8Array | undefined {
    const code = this.#environment.tables.codes.get(hash);
    return code === undefined ? undefined : Uint8Array.from(code);
  }

  write(codes: ReadonlyMap<string, Uint8Array>): void {
    this.#environment.write(({ codes: table, sums }) => {
      let bytes = sums.get(SUM) ?? 0;
      for (const [hash, code] of codes) {
        if (table.doesExist(hash)) continue;
        if (bytes + code.length > this.#maxBytes) {
          table.clearSync();
          bytes = 0;
        }
        table.putSync(hash, Buffer.from(code));
        bytes += code.length;
      }
      sums.putSync(SUM, bytes);
    });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}
