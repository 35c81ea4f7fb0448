/** A network whose only node starts late, stops, and returns, while the page is open. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addressOf } from '../support/development.ts';
import { type RunningService, startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { keepScreenshot, measureOverflow, NO_BROWSER, openPage, readText } from './browser.ts';
import { linkOf, openLink, readBadge, sendForm, useServiceConsole, VIEW_LOOKS } from './console-page.ts';

describe('a network that stops and returns', { skip: NO_BROWSER }, () => {
  let port = 0;
  let node: RunningService | undefined;
  const site = useServiceConsole(async () => {
    port = await reservePort();
    const upstreams = [`http://127.0.0.1:${port}/devnet/v3/demo`];
    return {
      networks: {
        pooled: { upstreams, hosts: ['pooled.localhost'], pool: { pollInterval: '100ms' } },
      },
    };
  });
  after(() => node?.close());

  for (const look of VIEW_LOOKS) {
    test(`the page follows it in verdict, title, icon and card: ${look.size}`, async () => {
      const { browser, url } = site();
      await node?.close();
      node = undefined;
      const { page, faults } = await openPage(browser, url, look);
      const card = page.locator('#network-pooled');
      await waitForState(page, /^✕ Network pooled cannot answer/);
      const icons = [await readIcon(page)];
      await checkDeadNode(card);

      await page.locator('#console-network option').first().waitFor({ state: 'attached' });
      // No earlier answer about this account is cached.
      const account = addressOf(look.size === 'phone' ? 'bob' : 'alice');
      await openLink(page, linkOf('eth_getBalance', [account, 'latest']).replace('devnet', 'pooled'));
      await sendForm(page);
      assert.match(await readBadge(page), /^✕ error -32/);

      node = await startNode(port);
      await waitForState(page, /^[✓!] Network pooled answers/);
      icons.push(await readIcon(page));
      await page.getByText('Old answer').waitFor({ state: 'hidden' });
      await sendForm(page);
      assert.equal(await readBadge(page), '✓ result');
      // Parts are verified only once recent blocks have been examined, and a latency is known once calls were sent.
      await waitUntil(async () => /^header/m.test(await readFact(card, 'Verified')));
      await waitUntil(async () => / ms$/.test(await readText(readCells(card).nth(3))));
      assert.match(await readText(readCells(card).nth(1)), /^● up/);
      await keepScreenshot(page.locator('body'), `network-back-${look.size}`);

      await node.close();
      node = undefined;
      await waitForState(page, /^✕ Network pooled cannot answer/);
      icons.push(await readIcon(page));
      await checkDeadNode(card);
      assert.equal(await measureOverflow(page), 0);
      await keepScreenshot(page.locator('body'), `network-dead-${look.size}`);
      assert.equal(icons[0], icons[2]);
      assert.notEqual(icons[0], icons[1]);
      await page.context().close();
      assert.deepEqual(faults, []);
    });
  }
});

/** Returns a port that nothing listens on, so that a node can be started there later. */
async function reservePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function startNode(port: number): Promise<RunningService> {
  return startService({
    listen: { host: '127.0.0.1', port },
    networks: { devnet: { builtin: 'devnet', hosts: ['devnet.localhost'] } },
  });
}

/** Waits for the title of the tab. The verdict on the page has the same text. */
async function waitForState(page: Page, title: RegExp): Promise<void> {
  try {
    await waitUntil(async () => title.test(await page.title()));
  } catch (error) {
    throw new Error(`the title is ${await page.title()}: ${await page.locator('#verdict').textContent()}`, {
      cause: error,
    });
  }
  const text = (await page.title()).slice(2).replace(/ – Portcullis$/, '');
  await page.locator('#verdict').getByText(text, { exact: true }).waitFor();
}

function readIcon(page: Page): Promise<string> {
  return page.evaluate('document.getElementById("tab-icon").href');
}

function readCells(card: Locator): Locator {
  return card.getByRole('table', { name: 'Nodes' }).getByRole('row').nth(1).getByRole('cell');
}

function readFact(card: Locator, name: string): Promise<string> {
  return readText(card.locator('.facts > div').filter({ has: card.page().getByText(name, { exact: true }) }));
}

async function checkDeadNode(card: Locator): Promise<void> {
  await card.getByText('✕ cannot answer').waitFor();
  const cells = readCells(card);
  await cells
    .nth(1)
    .getByText(/^✕ down/)
    .waitFor();
  for (const place of [2, 3, 4]) {
    assert.equal(await readText(cells.nth(place)), '–');
    assert.equal(await cells.nth(place).getAttribute('title'), 'unknown: the node is down');
  }
}
