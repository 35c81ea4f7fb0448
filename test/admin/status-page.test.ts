/** Claims of the status page in a real browser: over a service with a live and a dead network, and over statuses that change. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { METHODS } from '../../src/methods/table.ts';
import { mergeStatus } from '../../src/observe/merge-status.ts';
import type { ServiceStatus } from '../../src/observe/status.ts';
import { computeVerdict } from '../../src/observe/verdict.ts';
import { encodeOpenRpc } from '../../src/rpc/openrpc.ts';
import { type RunningService, startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  DESKTOP,
  findObstacles,
  keepScreenshot,
  LOOKS,
  type Look,
  launchBrowser,
  measureOverflow,
  NO_BROWSER,
  openPage,
  readText,
} from './browser.ts';
import { openStatusPage } from './open-status-page.ts';
import { createStatus } from './status-fixture.ts';
import { createService, type RunningAdmin, startAdmin } from './support.ts';

const PHONE = { size: 'phone', scheme: 'dark' } as const;
const openRpc = (): string => encodeOpenRpc(METHODS, '0.1.0');

let browser: Browser;
before(async () => {
  if (NO_BROWSER === false) browser = await launchBrowser();
});
after(() => browser?.close());

const open = (t: TestContext, admin: { readonly port: number }, look?: Look): Promise<Page> =>
  openStatusPage(t, browser, admin, { look });

async function waitForVerdict(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('#verdict').filter({ hasText: text }).waitFor();
}

function readIcon(page: Page): Promise<string> {
  return page.evaluate('document.getElementById("tab-icon").href');
}

/** Returns a port that refuses connections. */
async function findClosedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startAdminOf(service: RunningService): Promise<RunningAdmin> {
  return startAdmin({
    sources: {
      openRpc,
      service: createService('127.0.0.1', service.port),
      status: async () => mergeStatus([await service.service.readStatus()]),
    },
  });
}

describe('the status page over a live network and a dead one', { skip: NO_BROWSER }, () => {
  let service: RunningService;
  let admin: RunningAdmin;

  before(async () => {
    const dead = { upstreams: [`http://127.0.0.1:${await findClosedPort()}`], hosts: ['dead.localhost'] };
    service = await startService({
      networks: { devnet: { builtin: 'devnet', hosts: ['devnet.localhost'] }, dead },
    });
    admin = await startAdminOf(service);
  });
  after(async () => {
    await admin?.server.close();
    await service?.close();
  });

  test('says first that one network cannot answer and why, also in the tab', async (t) => {
    const page = await open(t, admin, PHONE);
    await waitForVerdict(page, '1 of 2 networks cannot answer: dead');
    await page.getByText('the only node does not answer').first().waitFor();
    assert.equal(await page.title(), '✕ 1 of 2 networks cannot answer: dead – Portcullis');
    assert.equal(await measureOverflow(page), 0);
    const verdict = await page.locator('#verdict').boundingBox();
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    assert.ok(verdict && heading && verdict.y + verdict.height <= heading.y, 'the verdict is above all else');
    assert.deepEqual(await findObstacles(page), []);
    await keepScreenshot(page.locator('body'), 'dead-phone-dark');
  });

  test('claims nothing about a node that has never answered', async (t) => {
    const page = await open(t, admin);
    const card = page.locator('#network-dead');
    await card.getByText('✕ cannot answer').waitFor();
    const cells = card.getByRole('table', { name: 'Nodes' }).getByRole('row').nth(1).getByRole('cell');
    assert.match(await readText(cells.nth(1)), /^✕ down/);
    for (const place of [2, 3, 4]) assert.equal(await readText(cells.nth(place)), '–');
    for (const place of [3, 4])
      assert.equal(await cells.nth(place).getAttribute('title'), 'unknown: the node is down');
    const text = await readText(card);
    assert.match(text, /none yet: no node has reported a block/);
    assert.match(text, /nothing yet: no recent block has been examined/);
    assert.match(text, /none in the last 10 s/);
    assert.doesNotMatch(text, /%|\d ms|all that blocks commit to/);
    assert.deepEqual(await findObstacles(page), []);
    await keepScreenshot(page.locator('body'), 'dead-desktop-light');
  });

  test('is used with the keyboard alone: from the reason to its network, and to every part', async (t) => {
    const page = await open(t, admin);
    await waitForVerdict(page, 'cannot answer');
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'dead');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    assert.equal(outline, 'solid');
    await page.keyboard.press('Enter');
    assert.ok(page.url().endsWith('#network-dead'));
    for (const part of ['Traffic', 'Networks', 'Usage', 'Errors', 'Keys', 'Processes', 'Console']) {
      await page.getByRole('link', { name: part, exact: true }).focus();
      await page.keyboard.press('Enter');
      assert.match(page.url(), /#(traffic|(networks|usage|keys|errors|processes|console)-part)$/);
    }
  });
});

describe('the status page over statuses that change', { skip: NO_BROWSER }, () => {
  for (const look of LOOKS) {
    test(`a healthy service has no obstacle on a ${look.size} in the ${look.scheme} scheme`, async (t) => {
      const admin = await startAdmin({ sources: { openRpc } });
      t.after(() => admin.server.close());
      const page = await open(t, admin, look);
      await waitForVerdict(page, /^All 3 networks answer$/);
      assert.match(await page.title(), /^✓ All 3 networks answer/);
      await page.getByText('812,340 proven, 1,204 agreed, 90,332 single').waitFor();
      await page.getByText('7 s ago').waitFor();
      assert.equal(await measureOverflow(page), 0);
      assert.deepEqual(await findObstacles(page), []);
      await keepScreenshot(page.locator('body'), `healthy-${look.size}-${look.scheme}`);
    });
  }

  test('announces a change of the verdict once, and not each status', async (t) => {
    let change: Partial<ServiceStatus> = {};
    const admin = await startAdmin({
      sources: { openRpc, status: () => withVerdict({ ...createStatus(), ...change }) },
    });
    t.after(() => admin.server.close());
    const page = await open(t, admin);
    await waitForVerdict(page, 'All 3 networks answer');
    const icon = await readIcon(page);
    await page.evaluate(
      `window.announced = [];
      new MutationObserver(() => announced.push(document.getElementById('verdict').textContent))
        .observe(document.getElementById('verdict'), { childList: true, characterData: true, subtree: true })`,
    );
    const time = await readText(page.locator('#time'));
    await page.locator('#time').filter({ hasNotText: time }).waitFor();
    const { networks, processes } = createStatus();
    const timestamp = Date.now() - 14 * 60_000;
    change = {
      networks: networks.map((network) =>
        network.name === 'mainnet' ? { ...network, head: { number: 7, hash: '0x07', timestamp } } : network,
      ),
    };
    await waitForVerdict(page, 'All 3 networks answer, with warnings: mainnet');
    await page.getByText('the head is 14 minutes old, a block usually takes 12 s').first().waitFor();
    await keepScreenshot(page.locator('body'), 'late-desktop-light');
    change = { processes: processes.map((process) => ({ ...process, isDraining: true })) };
    await waitForVerdict(page, 'The service is draining');
    assert.match(await page.title(), /^↓ The service is draining/);
    assert.notEqual(await readIcon(page), icon);
    assert.deepEqual(await page.evaluate('announced'), [
      'All 3 networks answer, with warnings: mainnet',
      'The service is draining',
    ]);
    assert.equal(await page.locator('#verdict').getAttribute('role'), 'status');
  });

  test('says since when there is no connection, and that the rest is old', async (t) => {
    const admin = await startAdmin({ sources: { openRpc } });
    const { page } = await openPage(browser, `http://127.0.0.1:${admin.port}/status`, DESKTOP);
    t.after(() => page.context().close());
    await waitForVerdict(page, 'All 3 networks answer');
    const icon = await readIcon(page);
    await admin.server.close();
    await waitForVerdict(page, /^No connection to the service since \d\d:\d\d:\d\d$/);
    await page.getByText('everything below is as it was then').waitFor();
    assert.match(await page.title(), /^\? No connection to the service since/);
    assert.notEqual(await readIcon(page), icon);
    assert.deepEqual(await findObstacles(page), []);
    await keepScreenshot(page.locator('body'), 'lost-desktop-light');
  });

  test('a hidden tab still has the verdict in its title, and does not move with reduced motion', async (t) => {
    let processes: ServiceStatus['processes'] = createStatus().processes;
    let reads = 0;
    const admin = await startAdmin({
      sources: {
        openRpc,
        status() {
          reads++;
          return withVerdict({ ...createStatus(), processes });
        },
      },
    });
    t.after(() => admin.server.close());
    const page = await open(t, admin);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await page.evaluate('getComputedStyle(document.documentElement).scrollBehavior'), 'auto');
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
    await waitForVerdict(page, 'All 3 networks answer');
    processes = processes.map((process) => ({ ...process, isDraining: true }));
    const before = reads;
    await waitUntil(() => reads > before);
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await waitUntil(async () => /^↓ The service is draining/.test(await page.title()));
  });
});

function withVerdict(status: ServiceStatus): ServiceStatus {
  return { ...status, verdict: computeVerdict(status) };
}
