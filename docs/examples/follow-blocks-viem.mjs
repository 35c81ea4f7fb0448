// Follows blocks with viem and loses none: over dropped connections, restarts of the service, and reorgs.
//   node follow-blocks-viem.mjs wss://HOST/ws/v3/KEY
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createPublicClient, webSocket } from 'viem';

const PAUSE_MS = 500;
const CANNOT_GO_ON = -32001; // errors unknownStart and startTooFar of docs/errors.md

/**
 * Calls `added` with the header of each block behind that of hash `start`, once and in the order of the chain, and `removed` with those
 * that a reorg takes back, highest first, until `signal`. Throws where the service does not know any more what is behind the last one.
 */
export async function followBlocks(url, start, { added, removed }, signal) {
  let position = start; // hash of the block that the last call left as the highest
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

  const onHeader = (header) => {
    position = header.removed ? header.parentHash : header.hash;
    (header.removed ? removed : added)(header);
  };

  while (!signal.aborted) {
    // Without its own reconnect, which would subscribe again from the head.
    const client = createPublicClient({ transport: webSocket(url, { reconnect: false }) });
    let isOpen = true;
    let rpc;
    try {
      rpc = await client.transport.getRpcClient();
      const closed = new Promise((resolve) => {
        rpc.socket.addEventListener('close', resolve, { once: true });
        aborted.then(resolve);
      });
      const subscribed = client.transport.subscribe({
        params: ['newHeads', { afterHash: position }],
        onData: ({ result }) => isOpen && onHeader(result),
        onError: () => {},
      });
      subscribed.catch(() => {});
      await Promise.race([subscribed, closed]);
      await closed;
    } catch (error) {
      if (error.code === CANNOT_GO_ON) throw new Error(error.message);
    } finally {
      isOpen = false;
      rpc?.close();
    }
    if (!signal.aborted) await sleep(PAUSE_MS);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [url] = process.argv.slice(2);
  const client = createPublicClient({ transport: webSocket(url) });
  const { hash } = await client.getBlock();
  const print = (word) => (header) => console.log(word, Number(header.number), header.hash);
  await followBlocks(
    url,
    hash,
    { added: print('added'), removed: print('removed') },
    new AbortController().signal,
  );
}
