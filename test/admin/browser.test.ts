/** The status page in a real browser: over the real program, and over a status with every kind of entry. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { MAIN } from '../../scripts/program-files.ts';
import { METHODS } from '../../src/methods/table.ts';
import { encodeOpenRpc } from '../../src/rpc/openrpc.ts';
import { FACTS } from '../support/development.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { FakeFeed, makeLog, makeStep } from '../support/fake-feed.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  DESKTOP,
  keepScreenshot,
  LOOKS,
  launchBrowser,
  measureOverflow,
  NO_BROWSER,
  openPage,
  readText,
  type WatchedPage,
} from './browser.ts';
import { useFeedConsole } from './console-page.ts';
import { createStatus, EVIL_NAME } from './status-fixture.ts';
import { type RunningAdmin, startAdmin } from './support.ts';

let browser: Browser;
before(async () => {
  if (NO_BROWSER === false) browser = await launchBrowser();
});
after(() => browser?.close());

async function closePage({ page, faults }: WatchedPage): Promise<void> {
  await page.context().close();
  assert.deepEqual(faults, []);
}

async function waitUntilLive(page: Page): Promise<void> {
  await page.locator('body[data-state=live]').waitFor();
}

async function fillCall(page: Page, method: string, call: Readonly<Record<string, unknown>>): Promise<void> {
  await page.getByLabel('Method').selectOption(method);
  for (const [name, value] of Object.entries(call)) {
    await page.getByLabel(new RegExp(`^${name} `)).fill(String(value));
  }
}

/** Sends the form. @returns the answer in words */
async function send(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.answer:not([aria-busy])').first().waitFor();
  return readText(page.locator('.words'));
}

describe('the admin page over a service with scripted blocks', { skip: NO_BROWSER }, () => {
  const feed = new FakeFeed();
  const site = useFeedConsole(feed);

  test('shows subscription events live until the user stops or the service closes the connection', async () => {
    const watched = await openPage(browser, site().url, DESKTOP);
    const { page } = watched;
    await waitUntilLive(page);
    await page.getByLabel('Method').selectOption('eth_subscribe');
    const fill = async (request: string): Promise<void> => {
      await page.getByLabel('Request').fill(request);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const heads = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] };
    await fill(JSON.stringify(heads));
    await page.getByText('● live').waitFor();
    await page.getByText('no notification yet').waitFor();
    feed.send(makeStep('added', 0xabc));
    feed.send(makeStep('added', 0xabd));
    await page.getByText('2 notifications').waitFor();
    const latest = page.locator('.message').first();
    assert.match(await readText(latest), /^\d\d:\d\d:\d\d Block 2,749/);
    await latest.locator('summary').first().click();
    await latest.getByText('JSON', { exact: true }).click();
    assert.match(await readText(latest), /"number": "0xabd"/);
    await page.getByText('1 open, 2 sent').waitFor();
    await keepScreenshot(page.locator('#console-part'), 'console-watch');

    await fill(JSON.stringify({ ...heads, params: ['logs', {}] }));
    await page.getByText('● live').waitFor();
    feed.send(makeStep('added', 0xabe), [makeLog(0xabe)]);
    await page.getByText('1 notification', { exact: true }).waitFor();
    assert.match(await readText(latest), /unknown event/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('■ stopped').waitFor();
    await waitUntil(() => feed.joined.size === 0);

    await fill(JSON.stringify(heads));
    await page.getByText('● live').waitFor();
    feed.fail('closed');
    await page.getByText(/closed the connection: 1012 the network is no longer served/).waitFor();

    await page.getByLabel('API key').fill('unknown');
    await fill(JSON.stringify(heads));
    await page.getByText(/did not accept the WebSocket \(HTTP 401\)/).waitFor();
    await page.context().close();
    // The browser logs the refused request as an error.
    assert.ok(
      watched.faults.every((fault) => /502/.test(fault)),
      watched.faults.join(),
    );
  });
});

describe('the admin page over the program with its built-in networks', { skip: NO_BROWSER }, () => {
  const folder = makeTemporaryFolder();
  let child: ChildProcess;
  let url: string;

  before(async () => {
    const environment = { PATH: process.env['PATH'], PORTCULLIS_PORT: '0' };
    child = spawn(process.execPath, [MAIN], { cwd: folder.path, env: environment });
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
    });
    while (!printed.includes('Try:')) await once(child.stdout ?? child, 'data');
    url = /Status: +(\S+)/.exec(printed)?.[1] ?? '';
  });
  after(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    folder.remove();
  });

  test('shows both networks and refreshes itself', async () => {
    const watched = await openPage(browser, url, DESKTOP);
    const { page } = watched;
    await waitUntilLive(page);
    await page.getByRole('heading', { name: 'devnet' }).waitFor();
    await page.getByRole('heading', { name: 'rollup' }).waitFor();
    const time = await readText(page.locator('#time'));
    await page.locator('#time').filter({ hasNotText: time }).waitFor();
    await closePage(watched);
  });

  test('offers the methods of the selected network, and explains answers in words', async () => {
    const watched = await openPage(browser, url, DESKTOP);
    const { page } = watched;
    const { calls } = FACTS.devnet;
    await page.getByLabel('Method').selectOption('eth_call');
    const offered = (): Promise<string> => readText(page.getByLabel('Method'));
    assert.doesNotMatch(await offered(), /l2_estimateGas/);

    await fillCall(page, 'eth_call', calls.tokenBalance);
    assert.match(await send(page), /^[\d,]+\n+balanceOf\(address\)/);
    await keepScreenshot(page.locator('#console-part'), 'console-call');

    await fillCall(page, 'eth_call', calls.revert);
    const reverted = await send(page);
    assert.match(reverted, /execution reverted/);
    assert.match(reverted, /Error\(string\)|Panic\(uint256\)|custom error/);
    await keepScreenshot(page.locator('#console-part'), 'console-revert');

    await fillCall(page, 'eth_estimateGas', calls.tokenTransfer);
    assert.match(await send(page), /^\d\d,\d{3}\n+0x[0-9a-f]+/);

    await page.getByLabel('Method').selectOption('eth_getBlockReceipts');
    await page.getByRole('textbox', { name: 'block' }).fill(String(FACTS.devnet.everyTypeBlock));
    assert.match(await send(page), /receipts, [\d,]+ gas/);
    const rows = page.getByRole('table', { name: 'Receipts' }).getByRole('row');
    assert.ok((await rows.count()) > 4);
    assert.match(await readText(rows.nth(1)), /success|failed/);
    await keepScreenshot(page.locator('#console-part'), 'console-receipts');

    await page.getByRole('textbox', { name: 'block' }).fill('9999999');
    assert.match(await send(page), /Not found/);

    await page.getByLabel('Network', { exact: true }).selectOption('rollup');
    assert.match(await offered(), /l2_estimateGas/);
    await fillCall(page, 'l2_estimateGas', FACTS.rollup.calls.tokenTransfer);
    assert.match(await send(page), /gas\n[\s\S]*priorityFeePerGas/);
    await page.getByText('As code', { exact: true }).click();
    assert.match(await readText(page.locator('pre.code')), /^curl -s .*\/rollup\/v3\/.*l2_estimateGas/);
    await keepScreenshot(page.locator('#console-part'), 'console-estimate');
    await closePage(watched);
  });

  test('marks invalid fields, accepts JSON, and shows refusals of the service', async () => {
    const watched = await openPage(browser, url, DESKTOP);
    const { page } = watched;
    await page.getByLabel('Method').selectOption('eth_getTransactionByBlockNumberAndIndex');
    await page.getByRole('button', { name: 'Send' }).click();
    const index = page.getByRole('textbox', { name: 'index' });
    assert.equal(await index.getAttribute('aria-invalid'), 'true');
    await page.getByRole('button', { name: 'Use the example' }).click();
    assert.match(await send(page), /gasPrice[\s\S]*gwei/);
    await keepScreenshot(page.locator('#console-part'), 'console-transaction');

    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const request = page.getByLabel('Request');
    assert.match(await request.inputValue(), /"eth_getTransactionByBlockNumberAndIndex"/);
    await request.fill('{"jsonrpc":"2.0","id":1,"method":"eth_nothing"}');
    assert.match(await send(page), /does not exist[\s\S]*-32601/);

    await page.getByLabel('API key').fill('wrong');
    assert.match(await send(page), /invalid project id/);
    assert.match(await readText(page.locator('.outcome')), /HTTP 401/);
    assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 1);
    await closePage(watched);
  });

  test('stores a secret and a token only in the tab, sends them, and includes them in the curl command', async () => {
    const watched = await openPage(browser, url, DESKTOP);
    const { page } = watched;
    await page.getByText('Secret or token', { exact: true }).click();
    await page.getByLabel('Secret of the key').fill('sesame');
    await page.getByLabel('Bearer token').fill('a.b.c');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByLabel('Method').selectOption('eth_call');
    await fillCall(page, 'eth_call', FACTS.devnet.calls.tokenBalance);
    assert.match(await send(page), /balanceOf\(address\)/);
    const { secret, token } = (await sent).postDataJSON();
    assert.deepEqual([secret, token], ['sesame', 'a.b.c']);
    await page.getByText('As code', { exact: true }).click();
    assert.match(
      await readText(page.locator('pre.code')),
      /Authorization: Basic OnNlc2FtZQ==, Bearer a\.b\.c/,
    );
    assert.deepEqual(await page.evaluate('[sessionStorage.length, localStorage.length]'), [2, 0]);
    await page.reload();
    assert.equal(await page.getByLabel('Bearer token').inputValue(), 'a.b.c');
    await keepScreenshot(page.locator('#console-part'), 'console-credentials');
    await page.getByLabel('Bearer token').fill('');
    assert.deepEqual(await page.evaluate('[sessionStorage.length, localStorage.length]'), [1, 0]);
    await closePage(watched);
  });

  test('answers fit a phone screen', async () => {
    const watched = await openPage(browser, url, { size: 'phone', scheme: 'dark' });
    const { page } = watched;
    await page.getByLabel('Method').selectOption('eth_getTransactionByBlockNumberAndIndex');
    await page.getByRole('button', { name: 'Use the example' }).click();
    await send(page);
    assert.equal(await measureOverflow(page), 0);
    await page.getByLabel('Method').selectOption('eth_getBlockReceipts');
    await page.getByRole('textbox', { name: 'block' }).fill(String(FACTS.devnet.everyTypeBlock));
    await send(page);
    assert.equal(await measureOverflow(page), 0);
    await keepScreenshot(page.locator('#console-part'), 'console-phone');
    await closePage(watched);
  });

  test('reports a lost connection, and reconnects', async () => {
    const watched = await openPage(browser, url, DESKTOP);
    const { page } = watched;
    await waitUntilLive(page);
    await page.route('**/status/events', (route) => route.abort());
    // Routes do not affect an open stream; hiding and showing the tab opens a new one.
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.evaluate('delete document.hidden');
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.locator('#verdict').getByText('No connection to the service since').waitFor();
    await page.unroute('**/status/events');
    await waitUntilLive(page);
    await page.context().close();
  });
});

describe('the admin page over a status with every kind of entry', { skip: NO_BROWSER }, () => {
  let admin: RunningAdmin;
  let url: string;

  before(async () => {
    admin = await startAdmin({ sources: { openRpc: () => encodeOpenRpc(METHODS, '0.1.0') } });
    url = `http://127.0.0.1:${admin.port}/status`;
  });
  after(() => admin?.server.close());

  for (const look of LOOKS) {
    test(`fits a ${look.size} and is readable in the ${look.scheme} scheme`, async () => {
      const watched = await openPage(browser, url, look);
      const { page } = watched;
      await waitUntilLive(page);
      await page.getByRole('heading', { name: 'mainnet' }).waitFor();
      await page.getByLabel('Method').selectOption('eth_call');
      assert.equal(await measureOverflow(page), 0);
      await keepScreenshot(page.locator('body'), `status-${look.size}-${look.scheme}`);
      const ground = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      const brightness = Number(/\d+/.exec(ground)?.[0]);
      assert.ok(look.scheme === 'dark' ? brightness < 60 : brightness > 200, ground);
      await closePage(watched);
    });
  }

  test('escapes markup in names', async () => {
    const watched = await openPage(browser, url, DESKTOP);
    const { page } = watched;
    await waitUntilLive(page);
    const shown = await page.getByText(EVIL_NAME).count();
    assert.equal(shown, 2, 'a node and a key');
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.evaluate('window.evil'), undefined);
    await closePage(watched);
  });

  test('describes its charts in words', async () => {
    const watched = await openPage(browser, url, DESKTOP);
    const { page } = watched;
    await waitUntilLive(page);
    const { cache } = createStatus();
    await page.getByRole('img', { name: /^Calls per second in 5 min: now [\d.]+, at most [\d.]+/ }).waitFor();
    await page.getByText(`${cache.hits.toLocaleString('en')} hits`).waitFor();
    await closePage(watched);
  });

  test('requires the key once, and uses it for every request', async () => {
    const key = 'correct-horse-battery';
    const openRpc = (): string => encodeOpenRpc(METHODS, '0.1.0');
    const locked = await startAdmin({ key, sources: { openRpc } });
    const watched = await openPage(browser, `http://127.0.0.1:${locked.port}/status`, DESKTOP, key);
    await waitUntilLive(watched.page);
    await watched.page.getByLabel('Method').selectOption('eth_call');
    await watched.page.getByRole('button', { name: 'Send' }).click();
    // Nothing listens at the console's target: only the attempt matters.
    await watched.page.getByText('the service did not answer').waitFor();
    await watched.page.context().close();
    await locked.server.close();
    assert.deepEqual(
      watched.faults.filter((fault) => !fault.includes('502')),
      [],
    );
  });

  test('truncates a long list and shows the number of omitted rows', async () => {
    const { keys } = createStatus();
    const many = Array.from(
      { length: 130 },
      (_, i) => ({ ...keys[0], id: `k${i}`, calls: i }) as (typeof keys)[number],
    );
    const long = await startAdmin({ sources: { status: () => ({ ...createStatus(), keys: many }) } });
    const watched = await openPage(browser, `http://127.0.0.1:${long.port}/status`, DESKTOP);
    await watched.page.getByText('… and 30 more').waitFor();
    const rows = watched.page.getByRole('table', { name: 'Usage by key' }).getByRole('row');
    assert.equal(await rows.count(), 101);
    assert.match(await readText(rows.nth(1)), /k129/);
    await closePage(watched);
    await long.server.close();
  });
});
