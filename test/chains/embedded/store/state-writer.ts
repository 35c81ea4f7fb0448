/**
 * A process that commits blocks one after another, as an import does: `node state-writer.js FOLDER BLOCKS`. It prints `ready` when the store can be opened,
 * and then continues until BLOCKS are written.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { StateStore } from '../../../support/state-store.ts';
import { describeBlock } from './state-of-block.ts';

const COMMIT_BLOCKS = 3;
const PAUSE_MS = 2;

const [folder, blocks] = process.argv.slice(2);
if (folder === undefined || blocks === undefined) throw new Error('usage: state-writer FOLDER BLOCKS');
const store = new StateStore(folder);
process.stdout.write('ready\n');
for (let number = 1; number <= Number(blocks); number++) {
  store.apply(describeBlock(number));
  store.seal();
  if (number % COMMIT_BLOCKS !== 0) continue;
  store.commit();
  await wait(PAUSE_MS);
}
store.commit();
await store.close();
