/** Increments a record in its own process; the arguments are folder, name and number of times. */
import { LmdbRecordTable } from '../../../src/shared-store/records/lmdb-record-table.ts';

const [folder = '', name = '', times] = process.argv.slice(2);
const table = new LmdbRecordTable(folder, (error) => {
  throw error;
});
for (let done = 0; done < Number(times); ) {
  const { text, version = '' } = table.read(name) ?? {};
  if (table.replace(name, version, String(Number(text) + 1), 600_000)) done++;
}
await table.close();
