/** Stores of other layouts, and values with history. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { open } from 'lmdb';
import { openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { openChainWriter } from '../../../../src/chains/embedded/store/chain-writer.ts';
import { type Version, VersionedTable } from '../../../../src/chains/embedded/store/versioned-table.ts';
import { countRuns } from '../../../support/count-runs.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';

test('a store of another layout is refused with the number of its layout', async () => {
  const folder = makeTemporaryFolder();
  const root = open({ path: folder.path, encoding: 'binary', keyEncoding: 'binary' });
  const meta = root.openDB<Buffer, Buffer>({ name: 'meta', encoding: 'binary', keyEncoding: 'binary' });
  meta.putSync(Buffer.from('schema'), Buffer.of(1));
  await root.close();
  const refusal = new Error('the store has layout 1, but this program reads layout 2');
  assert.throws(() => openChainReader(folder.path), refusal);
  assert.throws(() => openChainWriter(folder.path), refusal);
  folder.remove();
});

const KEY_LENGTH = 20;

test('VersionedTable finds every version of a value at every block', async () => {
  const folder = makeTemporaryFolder();
  const root = open<Buffer, Buffer>({ path: folder.path, encoding: 'binary', keyEncoding: 'binary' });
  const openTable = (name: string): ConstructorParameters<typeof VersionedTable>[0] =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  // Adjacent keys, whose versions must not be confused.
  const keys = [0x00, 0x01, 0x02, 0xff].map((last) =>
    Buffer.concat([Buffer.alloc(KEY_LENGTH - 1, 0xff), Buffer.of(last)]),
  );
  let tables = 0;
  const blocks = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 12 });
  fc.assert(
    fc.property(
      fc.array(blocks, { minLength: keys.length, maxLength: keys.length }),
      fc.nat(5),
      (sets, cut) => {
        const name = `t${tables++ % 2}`;
        const [newest, replaced] = [openTable(name), openTable(`${name}-history`)];
        newest.clearSync();
        replaced.clearSync();
        const table = new VersionedTable(newest, replaced, KEY_LENGTH);
        const versionsOf = (index: number): Version[] =>
          (sets[index] as number[])
            .toSorted((a, b) => a - b)
            .map((since) => ({ since, value: Buffer.from([index, since]) }));
        root.transactionSync(() => {
          keys.forEach((key, index) => {
            const versions = versionsOf(index);
            // There are two commits: the second begins with the last version of the first.
            if (cut > 0) table.write({ key, versions: versions.slice(0, cut) });
            table.write({ key, versions: versions.slice(Math.max(0, cut - 1)) });
          });
        });
        keys.forEach((key, index) => {
          for (let block = 0; block <= 41; block++) {
            const want = versionsOf(index).findLast(({ since }) => since <= block);
            assert.deepEqual(table.find(key, block), want);
          }
        });
      },
    ),
    { numRuns: countRuns(100) },
  );
  await root.close();
  folder.remove();
});
