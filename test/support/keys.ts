import { type IssuedKey, KeyBook } from '../../src/access/keys/key-book.ts';
import type { KeySettings } from '../../src/access/keys/key-settings.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openKeyTable } from '../../src/service/open-one-table.ts';
import type { Program } from './program.ts';

/** Opens the keys of a configuration from wherever it stores them, as `portcullis keys` does. */
export async function withKeys<T>(program: Program, use: (book: KeyBook) => Promise<T>): Promise<T> {
  const book = new KeyBook(await openKeyTable(await loadConfig(program.configFile, {})));
  try {
    return await use(book);
  } finally {
    await book.close();
  }
}

export function createKey(program: Program, settings: KeySettings = {}): Promise<IssuedKey> {
  return withKeys(program, (book) => book.create('test', settings, false));
}
