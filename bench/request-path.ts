/** Counts the program's functions, and their files, that one `eth_call` over HTTP runs. `--list` prints them. */
import { traceCalls } from '../test/support/request-trace.ts';

for (const [network, { files, functions }] of await traceCalls()) {
  console.log(`${network}: ${files.size} files, ${functions.length} functions`);
  if (process.argv.includes('--list')) console.log(functions.toSorted().join('\n'));
}
