import { open } from 'lmdb';
import { INDEX_TABLES, META_INDEXED } from '../../src/chains/embedded/store/schema.ts';

/** Converts a store to the format of an old version of this program without indexes; the other tables are unchanged. */
export async function stripIndexes(path: string): Promise<void> {
  const root = open<Buffer, Buffer>({ path, maxDbs: 24, encoding: 'binary', keyEncoding: 'binary' });
  const openTable = (name: string) =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  openTable('meta').removeSync(META_INDEXED);
  for (const name of INDEX_TABLES) openTable(name).dropSync();
  await root.close();
}
