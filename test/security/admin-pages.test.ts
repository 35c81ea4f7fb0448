/** Pages of other sites in a real browser, whose user has the status page and its credential open, cannot use the Admin API. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startApi, TOKENS } from '../admin/api-support.ts';
import { launchBrowser, NO_BROWSER } from '../admin/browser.ts';

const KEY = 'correct-horse-battery';

let browser: Browser;
before(async () => {
  // The name is that of a site whose DNS answers with the address of this machine.
  const options = ['--host-resolver-rules=MAP rebound.example 127.0.0.1'];
  if (NO_BROWSER === false) browser = await launchBrowser(options);
});
after(() => browser?.close());

/** Serves an empty page on another port: another origin, of the same site. */
async function startForeignSite(t: TestContext): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>foreign</title><iframe name="hidden"></iframe>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Opens a page in a browser that has stored the key of the admin server, and sends it by itself. */
async function openWithKey(t: TestContext, url: string): Promise<Page> {
  const context = await browser.newContext({ httpCredentials: { username: 'any', password: KEY } });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Sends a request from a page. @returns the status and the text, or `unreadable` */
function fetchFrom(page: Page, url: string, init: Readonly<Record<string, unknown>>): Promise<unknown> {
  return page.evaluate(
    `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
      .then(async (response) => response.type === 'opaque' ? 'unreadable' : response.status)
      .catch(() => 'unreadable')`,
  );
}

describe('the Admin API', { skip: NO_BROWSER }, () => {
  for (const key of [undefined, KEY]) {
    const setting = key === undefined ? 'without' : 'with';
    test(`${setting} admin.key answers no page of another origin, whatever it sends`, async (t) => {
      const api = await startApi(t, key === undefined ? {} : { key });
      const { record } = await api.call<{ record: { id: string } }>('POST', '/keys', { name: 'wallet' });
      const root = `http://127.0.0.1:${api.port}/admin/v1`;
      const page = await openWithKey(t, `http://127.0.0.1:${api.port}/status`);
      await page.goto(await startForeignSite(t));
      const json = { 'Content-Type': 'application/json' };
      const token = { Authorization: `Bearer ${TOKENS.write}` };
      for (const init of [
        { headers: token },
        { credentials: 'include' },
        { mode: 'no-cors', credentials: 'include' },
        { method: 'POST', headers: { ...json, ...token }, body: '{"name":"evil"}' },
        { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name":"evil"}' },
        {
          method: 'POST',
          credentials: 'include',
          headers: { 'Content-Type': 'text/plain' },
          body: '{"name":"evil"}',
        },
      ])
        assert.equal(await fetchFrom(page, `${root}/keys`, init), 'unreadable', JSON.stringify(init));
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        const answered = page.waitForResponse(`${root}/keys/${record.id}/revoke`);
        await page.evaluate(
          `(() => {
            const form = document.createElement('form');
            Object.assign(form, { method: 'post', enctype: '${type}', target: 'hidden', action: '${root}/keys/${record.id}/revoke' });
            document.body.append(form);
            form.submit();
          })()`,
        );
        assert.equal((await answered).status(), 403, type);
      }
      const keys = await api.book.list();
      assert.deepEqual(
        keys.map(({ name, revokedAt }) => [name, revokedAt]),
        [['wallet', undefined]],
      );
    });
  }

  test('answers no page whose name was pointed at this machine', async (t) => {
    const api = await startApi(t);
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    const rebound = `http://rebound.example:${api.port}`;
    const shown = await page.goto(`${rebound}/status`);
    assert.equal(shown?.status(), 403);
    const headers = { Authorization: `Bearer ${TOKENS.write}`, 'Content-Type': 'application/json' };
    assert.equal(await fetchFrom(page, '/admin/v1/keys', { headers }), 403);
    const create = { method: 'POST', headers, body: '{"name":"evil"}' };
    assert.equal(await fetchFrom(page, '/admin/v1/keys', create), 403);
    assert.deepEqual(await api.book.list(), []);
  });

  test('with admin.key, a page whose name was pointed at this machine still needs a token', async (t) => {
    const api = await startApi(t, { key: KEY });
    const page = await openWithKey(t, `http://rebound.example:${api.port}/status`);
    const headers = { 'Content-Type': 'application/json' };
    const create = { method: 'POST', headers, body: '{"name":"evil"}', credentials: 'include' };
    assert.equal(await fetchFrom(page, '/admin/v1/keys', create), 401);
    assert.equal(await fetchFrom(page, '/admin/v1/keys', { credentials: 'include' }), 401);
    assert.deepEqual(await api.book.list(), []);
  });
});
