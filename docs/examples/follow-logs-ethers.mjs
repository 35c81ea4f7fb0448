// Follows the logs of a contract with ethers 6 and loses none: over dropped connections, restarts of the service, and reorgs.
//   node follow-logs-ethers.mjs wss://HOST/ws/v3/KEY 0xCONTRACT
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { WebSocketProvider } from 'ethers';

const PAUSE_MS = 500;
const KEPT_LOGS = 10_000;
const CANNOT_GO_ON = -32001; // errors unknownStart and startTooFar of docs/errors.md

/**
 * Calls `added` with each log behind the block of hash `start`, once and in the order of the chain, and `removed` with those that a
 * reorg takes back, newest first, until `signal`. Throws where the service does not know any more what is behind the last log.
 */
export async function followLogs(url, filter, start, { added, removed }, signal) {
  const logs = []; // what was added and not taken back
  let last; // what the last notification was about
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

  const onLog = (log) => {
    last = log;
    if (log.removed) logs.pop();
    else logs.push(log);
    if (logs.length > 2 * KEPT_LOGS) logs.splice(0, KEPT_LOGS);
    (log.removed ? removed : added)(log);
  };

  while (!signal.aborted) {
    const provider = new WebSocketProvider(url);
    const { websocket } = provider;
    let isOpen = true;
    const closed = new Promise((resolve) => {
      websocket.onclose = websocket.onerror = resolve;
      aborted.then(resolve);
    });
    const subscribed = (async () => {
      const afterHash = logs.at(-1)?.blockHash ?? start;
      const id = await provider.send('eth_subscribe', ['logs', { ...filter, afterHash }]);
      provider._register(id, { _handleMessage: (log) => isOpen && onLog(log) });
    })();
    try {
      await Promise.race([subscribed, closed]);
      await closed;
    } catch (error) {
      if (error.error?.code === CANNOT_GO_ON) throw error;
    } finally {
      isOpen = false;
      subscribed.catch(() => {});
      await provider.destroy().catch(() => {});
    }
    if (signal.aborted) return;
    // A connection may end between two logs of a block: what is here of that block is taken back, and comes again.
    while (last !== undefined && logs.at(-1)?.blockHash === last.blockHash) removed(logs.pop());
    last = undefined;
    await sleep(PAUSE_MS);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [url, address] = process.argv.slice(2);
  const provider = new WebSocketProvider(url);
  const { hash } = await provider.getBlock('latest');
  await provider.destroy();
  const print = (word) => (log) => console.log(word, Number(log.blockNumber), Number(log.logIndex), log.data);
  await followLogs(
    url,
    { address },
    hash,
    { added: print('added'), removed: print('removed') },
    new AbortController().signal,
  );
}
