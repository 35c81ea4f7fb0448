/** A wallet in a page of another origin, like that of an extension: sends a transfer, waits for it, and watches blocks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../../scripts/program-files.ts';
import { launchBrowser, NO_BROWSER } from '../../admin/browser.ts';
import { ANVIL_SKIP } from '../../support/anvil.ts';
import { judgeLive, LIVE_OPERATIONS, type LiveOperation } from './live-operations.ts';
import { LiveStage } from './live-stage.ts';

const LIBRARY = readFileSync(join(ROOT, 'node_modules/ethers/dist/ethers.umd.min.js'));
const PAGE = '<!doctype html><title>wallet</title><script src="ethers.js"></script>';
/** Function that runs in the page. @returns its findings by operation */
const WALLET = `async ({ http, webSocket, key, to, count }) => {
  const provider = new ethers.JsonRpcProvider(http, undefined, { pollingInterval: 100 });
  const wallet = new ethers.Wallet(key, provider);
  const sent = await wallet.sendTransaction({ to, value: 1n });
  const receipt = await sent.wait();
  const socket = new ethers.WebSocketProvider(webSocket);
  const blocks = [];
  await new Promise((resolve) => {
    socket.on('block', (number) => {
      if (blocks.push(number) === count) resolve();
    });
  });
  await socket.destroy();
  provider.destroy();
  return { 'send and wait': receipt.hash, 'new blocks': blocks.join(' ') };
}`;

test('a browser page of another origin sends a transfer and watches blocks', {
  skip: ANVIL_SKIP || NO_BROWSER,
}, async () => {
  const stage = await LiveStage.open();
  const browser = await launchBrowser();
  const site = createServer((request, response) => {
    const isScript = request.url === '/ethers.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? LIBRARY : PAGE);
  }).listen(0, '127.0.0.1');
  try {
    await once(site, 'listening');
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const subject = stage.createSubject();
    const found = (await page.evaluate(`(${WALLET})(${JSON.stringify(subject)})`)) as Record<
      LiveOperation,
      string
    >;
    assert.deepEqual(Object.keys(found).sort(), ['new blocks', 'send and wait']);
    for (const operation of LIVE_OPERATIONS.filter((one) => one in found))
      assert.equal(await judgeLive(operation, found[operation], stage.anvil, subject), undefined, operation);
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
    await stage.close();
  }
});
