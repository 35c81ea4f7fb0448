/** Increments a counter in an environment; as a process of its own its arguments are a folder, a number of times and `read`, `write` or `grow`. */
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Database } from 'lmdb';
import { LmdbEnvironment } from '../../src/util/lmdb-environment.ts';
import { prepareLmdbFolder } from '../../src/util/lmdb-folder.ts';

type Table = Database<number, string>;
/** Entries per transaction of `grow`: some fifty pages of the file. */
const ENTRIES = 400;
const KEY_LENGTH = 400;
/** `refuse`: opening fails after the environment is open. */
type Options = { readonly readOnly?: boolean; readonly refuse?: boolean };

export function openCounter(path: string, options: Options = {}): LmdbEnvironment<Table> {
  const { readOnly = false, refuse = false } = options;
  prepareLmdbFolder(path);
  return new LmdbEnvironment({ path, readOnly, maxDbs: 3, mapSize: 1 << 26, noSync: true }, (root) => {
    if (refuse) throw new Error('refused');
    return root.openDB<number, string>({ name: 'counts', encoding: 'msgpack' });
  });
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [, , path = '', times, mode] = argv;
  for (let done = 0; mode === 'read' && done < Number(times); done++) {
    const environment = openCounter(path, { readOnly: true });
    environment.tables.get('count');
    await environment.close();
  }
  if (mode === 'write') {
    const environment = openCounter(path);
    for (let done = 0; done < Number(times); done++) {
      environment.write((table) => table.putSync('count', (table.get('count') ?? 0) + 1));
      if (done === 20) process.send?.('counting');
    }
    await environment.close();
  }
  if (mode === 'grow') {
    const environment = openCounter(path);
    for (let done = 0; done < Number(times); done++) {
      environment.write((table) => {
        for (let entry = 0; entry < ENTRIES; entry++)
          table.putSync(`${done * ENTRIES + entry}`.padStart(KEY_LENGTH, '0'), done);
      });
    }
    await environment.close();
  }
}
