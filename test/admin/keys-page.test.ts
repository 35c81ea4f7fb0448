/** The view of keys in a real browser, over an Admin API on keys in a folder. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { API_ROUTES } from '../../src/admin/api/api-routes.ts';
import { type RunningApi, startApi, TOKENS } from './api-support.ts';
import {
  findObstacles,
  keepScreenshot,
  LOOKS,
  type Look,
  launchBrowser,
  measureOverflow,
  NO_BROWSER,
  readText,
} from './browser.ts';
import { openStatusPage } from './open-status-page.ts';
import { startAdmin } from './support.ts';

/** The browser logs each refused request, for example of a route that does not exist. */
const REFUSED = /Failed to load resource/;

let browser: Browser;
before(async () => {
  if (NO_BROWSER === false) browser = await launchBrowser();
});
after(() => browser?.close());

const open = (t: TestContext, admin: { readonly port: number }, look?: Look): Promise<Page> =>
  openStatusPage(t, browser, admin, { look, expected: REFUSED });

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Credential of the Admin API').fill(token);
  await page.getByRole('button', { name: 'Show the keys' }).click();
}

async function unlock(page: Page, token: string = TOKENS.write): Promise<void> {
  await enter(page, token);
  await page.getByText(/^Credential (operator|auditor) with the role/).waitFor();
}

/** Opens the page and enters the credential of the writer. */
async function openUnlocked(t: TestContext, api: RunningApi, look?: Look): Promise<Page> {
  const page = await open(t, api, look);
  await unlock(page);
  return page;
}

const says = (page: Page): Promise<string> => readText(page.locator('.says'));
const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Keys', exact: true }).getByRole('row').filter({ hasText: name });

/** Reads a value of the dialog that shows a new key. */
async function readNew(page: Page, name: 'Key' | 'Secret'): Promise<string> {
  return (await page.getByRole('group', { name, exact: true }).locator('code').textContent()) ?? '';
}

/** Whether the document or a storage of the tab contains a text. */
async function isAnywhere(page: Page, text: string): Promise<boolean> {
  const everything = `document.documentElement.outerHTML
    + [...document.querySelectorAll('input')].map(({ value }) => value).join()
    + location.href + JSON.stringify(sessionStorage) + JSON.stringify(localStorage) + document.cookie`;
  return (await page.evaluate<string>(everything)).includes(text);
}

describe('the view of keys', { skip: NO_BROWSER }, () => {
  test('says what to configure if there is no Admin API', async (t) => {
    const admin = await startAdmin();
    t.after(() => admin.server.close());
    const page = await open(t, admin);
    const part = page.locator('#keys-part');
    await part.getByText('Keys can be managed here if the Admin API is on').waitFor();
    assert.match(await readText(part), /role: write, token:/);
    assert.equal(await part.getByRole('button').count(), 0);
    assert.equal(await part.getByRole('textbox').count(), 0);
    await keepScreenshot(part, 'keys-off');
  });

  test('opens with a valid credential only, which stays in memory and never in a URL', async (t) => {
    const api = await startApi(t);
    const page = await open(t, api);
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.getByRole('button', { name: 'Show the keys' }).click();
    await page.getByText('enter a token of admin.api').waitFor();
    await enter(page, TOKENS.wrong);
    await page.getByText('this is no token of admin.api').waitFor();
    const input = page.getByLabel('Credential of the Admin API');
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    await enter(page, 'with a blank');
    await page.getByText('this is no token of admin.api').waitFor();
    await unlock(page);
    await page.getByText('There are no keys yet.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'keys-title');
    assert.ok(!(await isAnywhere(page, TOKENS.write)));
    assert.ok(urls.some((url) => url.endsWith('/admin/v1/keys')));
    assert.ok(urls.every((url) => !url.includes('token-of')));
    await page.reload();
    await input.waitFor();
    assert.equal(await input.inputValue(), '');
    await unlock(page);
    await page.getByRole('button', { name: 'Lock' }).click();
    assert.equal(await input.inputValue(), '');
    assert.equal(await page.getByRole('table', { name: 'Keys', exact: true }).count(), 0);
  });

  test('with the role read offers no change, and says why', async (t) => {
    const api = await startApi(t);
    await api.call('POST', '/keys', { name: 'wallet' });
    const page = await open(t, api);
    await unlock(page, TOKENS.read);
    await page.getByText('Credential auditor with the role read: it may not change keys').waitFor();
    await rowOf(page, 'wallet').waitFor();
    for (const name of [/^Create/, /^Change/, /^Rotate/, /^Revoke/])
      assert.equal(await page.locator('#keys-part').getByRole('button', { name }).count(), 0, String(name));
    assert.deepEqual(await findObstacles(page), []);
  });

  test('creates a key with limits by mouse, and shows key and secret once', async (t) => {
    const api = await startApi(t);
    const page = await openUnlocked(t, api);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Name: a value is required').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('wallet backend');
    await page.getByRole('dialog').getByLabel('Calls per second').fill('fast');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Calls per second: expected a number above 0').waitFor();
    await page.getByRole('dialog').getByLabel('Calls per second').fill('50');
    await page.getByRole('dialog').getByLabel('Credits per day').fill('5,000,000');
    await page.getByRole('dialog').getByLabel('Networks').fill('mainnet, nowhere');
    await page.getByLabel('Requests must carry a secret').check();
    await page.getByText('More limits').click();
    await page.getByRole('dialog').getByLabel('Valid until').fill('2990-01-31');
    await page.getByRole('dialog').getByLabel('May not send transactions').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('there is no network nowhere').waitFor();
    assert.deepEqual(await api.book.list(), []);
    await page.getByRole('dialog').getByLabel('Networks').fill('mainnet, sepolia');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('they cannot be shown again').waitFor();
    const key = await readNew(page, 'Key');
    const secret = await readNew(page, 'Secret');
    assert.match(key, /^[0-9a-f]{32}$/);
    assert.match(secret, /^[0-9a-f]{32}$/);
    for (const [name, value] of [
      ['Copy the key', key],
      ['Copy the secret', secret],
    ] as const) {
      await page.getByRole('button', { name }).click();
      await page.getByText('Copied').first().waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), value);
    }
    // Escape does not remove a key that was not copied yet.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    assert.ok(await isAnywhere(page, key));
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await says(page), 'The key wallet backend is created.');
    assert.ok(!(await isAnywhere(page, key)) && !(await isAnywhere(page, secret)));
    assert.match(
      await readText(rowOf(page, 'wallet backend')),
      /● open[\s\S]*50 calls\/s · 5M credits\/day · mainnet, sepolia · no sending · secret · until 2990-01-31/,
    );
    const [stored] = await api.book.list();
    const { secretHash, ...settings } = stored?.settings ?? {};
    assert.equal(secretHash?.length, 64);
    assert.deepEqual(settings, {
      rate: { perSecond: 50, burst: 50 },
      dailyCredits: 5_000_000,
      networks: ['mainnet', 'sepolia'],
      send: false,
      expiresAt: '2990-01-31T00:00:00.000Z',
    });
  });

  test('a key that is shown is gone after the page was left, also on the way back', async (t) => {
    const api = await startApi(t);
    const page = await openUnlocked(t, api);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('wallet');
    await page.keyboard.press('Enter');
    const key = await readNew(page, 'Key');
    await page.goto('about:blank');
    await page.goBack();
    await page.getByLabel('Credential of the Admin API').waitFor();
    assert.ok(!(await isAnywhere(page, key)));
    await unlock(page);
    await rowOf(page, 'wallet').waitFor();
    assert.ok(!(await isAnywhere(page, key)));
  });

  test('is used with the keyboard alone: create, change, rotate, revoke', async (t) => {
    const api = await startApi(t);
    const page = await open(t, api);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    /** Moves the focus with Tab to the element whose name begins with a text. */
    const reach = async (name: string): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        const focused = await page.evaluate<string>(
          '(document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent).trim()',
        );
        if (focused.startsWith(name)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`${name} cannot be reached with Tab`);
    };
    await page.getByRole('link', { name: 'Keys', exact: true }).focus();
    await press('Enter');
    await reach('Credential of the Admin API');
    await page.keyboard.type(TOKENS.write);
    await press('Enter');
    await page.getByText(/^Credential operator/).waitFor();
    await reach('Create a key');
    await press('Enter');
    await reach('Name');
    await page.keyboard.type('robot');
    await press('Enter');
    await page.getByRole('group', { name: 'Key' }).waitFor();
    await reach('Done');
    await press('Enter');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Create a key');

    await reach('Change robot');
    await press('Enter');
    await reach('Calls per second');
    await page.keyboard.type('7');
    await press('Enter');
    await page.getByText('The key robot is changed').waitFor();
    const [changed] = await api.book.list();
    assert.deepEqual(changed?.settings, { rate: { perSecond: 7, burst: 7 } });
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Change robot');
    await press('Enter');
    await page.getByRole('heading', { name: 'Change robot' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await reach('Rotate robot');
    await press('Enter');
    await reach('1h');
    await press('Space');
    await reach('Rotate');
    await press('Enter');
    await page.getByRole('group', { name: 'Key' }).waitFor();
    await reach('Done');
    await press('Enter');
    await page.getByText(/earlier value until/).waitFor();
    const [rotated] = await api.book.list();
    assert.equal(rotated?.hashes.length, 2);

    await reach('Revoke robot');
    await press('Enter');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal((await api.book.list())[0]?.revokedAt, undefined);
    await reach('Revoke robot');
    await press('Enter', 'Shift+Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Revoke for ever');
    await press('Enter');
    await page.getByText('The key robot is revoked.').waitFor();
    assert.notEqual((await api.book.list())[0]?.revokedAt, undefined);
    await page.locator('#keys-title:focus').waitFor();
    assert.equal(await rowOf(page, 'robot').count(), 0);
    await reach('Show revoked keys');
    await press('Space');
    assert.match(await readText(rowOf(page, 'robot')), /✕ revoked/);
    assert.equal(await page.getByRole('button', { name: 'Revoke robot' }).count(), 0);
  });

  test('changes only what was edited, and removes an emptied limit', async (t) => {
    const api = await startApi(t);
    const settings = {
      userAgents: ['Mozilla, like Gecko'],
      rate: { perSecond: 5, burst: 10 },
      dailyCredits: 1_000,
      expiresAt: '2990-01-01T00:00:00.123Z',
    };
    const { record } = await api.call<{ record: { id: string } }>('POST', '/keys', {
      name: 'wallet',
      settings,
    });
    const page = await openUnlocked(t, api);
    const bodies: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') bodies.push(request.postDataJSON());
    });
    await page.getByRole('button', { name: 'Change wallet' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nothing changed in wallet.').waitFor();
    await page.getByRole('button', { name: 'Change wallet' }).click();
    await page.getByRole('dialog').getByLabel('Credits per day').fill('');
    await page.getByRole('dialog').getByLabel('Burst').fill('20');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The key wallet is changed').waitFor();
    assert.deepEqual(bodies, [{ settings: { rate: { perSecond: 5, burst: 20 }, dailyCredits: null } }]);
    const stored = await api.book.find(record.id);
    const { dailyCredits: _, ...rest } = settings;
    assert.deepEqual(stored?.settings, { ...rest, rate: { perSecond: 5, burst: 20 } });
  });

  test('finds keys by name and id, and says how many are not displayed', async (t) => {
    const api = await startApi(t);
    for (let i = 0; i < 103; i++) await api.book.create(`client ${i}`, {}, false);
    const page = await openUnlocked(t, api);
    await page.getByText('… and 3 more: find them by name or id').waitFor();
    const rows = page.getByRole('table', { name: 'Keys', exact: true }).getByRole('row');
    assert.equal(await rows.count(), 101);
    await page.getByLabel('Find').fill('CLIENT 77');
    await page.getByText('more: find them').waitFor({ state: 'hidden' });
    assert.equal(await rows.count(), 2);
    const [oldest] = await api.book.list();
    await page.getByLabel('Find').fill(oldest?.id ?? '');
    await rows.filter({ hasText: oldest?.name ?? '' }).waitFor();
    await page.getByLabel('Find').fill('nobody');
    await page.getByText('No key matches.').waitFor();
  });

  test('says that a change may have been made if its answer is lost, and locks if the credential is refused', async (t) => {
    const api = await startApi(t);
    const page = await openUnlocked(t, api);
    await page.route('**/admin/v1/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('lost');
    await page.keyboard.press('Enter');
    await page
      .getByText('the Admin API does not answer. The list shows whether the change was made')
      .waitFor();
    await rowOf(page, 'lost').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.route('**/admin/v1/**', (route) =>
      route.fulfill({ status: 401, json: { detail: 'a Bearer token of admin.api is required' } }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('the credential is no longer accepted').waitFor();
    assert.equal(await rowOf(page, 'lost').count(), 0);
  });

  test('shows calls by day if the service counts them, and claims nothing otherwise', async (t) => {
    const api = await startApi(t);
    await api.call('POST', '/keys', { name: 'wallet' });
    const page = await open(t, api);
    const today = new Date().toISOString().slice(0, 10);
    const asked: URL[] = [];
    await page.route('**/admin/v1/usage?*', (route) => {
      asked.push(new URL(route.request().url()));
      return route.fulfill({ json: { rows: [{ day: today, calls: 1_234, refused: 5, credits: 99 }] } });
    });
    await unlock(page);
    const label = `Calls per day from ${today} to ${today}: 1,234 in total, at most 1,234 on a day, 1,234 today`;
    await page.getByRole('img', { name: label }).waitFor();
    assert.match(await readText(rowOf(page, 'wallet')), /1\.2K/);
    const [{ id = '' } = {}] = await api.book.list();
    assert.equal(asked.length, 1);
    assert.deepEqual(
      ['key', 'by', 'to'].map((name) => asked[0]?.searchParams.get(name)),
      [id, 'day', today],
    );
    await page.unroute('**/admin/v1/usage?*');

    if (API_ROUTES.some(({ path }) => path === '/usage')) return;
    const answered = page.waitForResponse('**/admin/v1/usage?*');
    await page.reload();
    await unlock(page);
    assert.equal((await answered).status(), 404);
    await rowOf(page, 'wallet').waitFor();
    const part = page.locator('#keys-part');
    assert.equal(await part.getByRole('img').count(), 0);
    assert.doesNotMatch(await readText(part), /calls/i);
  });

  for (const look of LOOKS) {
    test(`has no obstacle and fits a ${look.size} in the ${look.scheme} scheme`, async (t) => {
      const api = await startApi(t);
      const rate = { perSecond: 50, burst: 100 };
      await api.book.create('wallet-backend', { rate, dailyCredits: 5_000_000, networks: ['mainnet'] }, true);
      await api.book.create('indexer', { methods: ['eth_getLogs', 'eth_blockNumber'], send: false }, false);
      await api.book.create('old-app', { expiresAt: '2020-01-01T00:00:00.000Z' }, false);
      const { record } = await api.book.create('dapp', { origins: ['https://*.example.org'] }, false);
      await api.book.rotate(record.id, 86_400_000);
      const page = await open(t, api, look);
      const part = page.locator('#keys-part');
      await keepScreenshot(part, `keys-locked-${look.size}-${look.scheme}`);
      const check = async (name: string): Promise<void> => {
        assert.equal(await measureOverflow(page), 0, name);
        assert.deepEqual(await findObstacles(page, '#keys-part'), [], name);
      };
      await page.route('**/admin/v1/usage?*', (route) => {
        const seed = Number.parseInt(new URL(route.request().url()).searchParams.get('key') ?? '', 16) % 7;
        const rows = Array.from({ length: 30 }, (_, i) => ({
          day: new Date(Date.now() - i * 86_400_000).toISOString().slice(0, 10),
          calls: Math.round(1_000 * (seed + 1) * (1.5 + Math.sin(i / (seed + 2)))),
        }));
        return route.fulfill({ json: { rows } });
      });
      await check('locked');
      await unlock(page);
      await part.getByRole('img').nth(3).waitFor();
      await check('list');
      await keepScreenshot(part, `keys-${look.size}-${look.scheme}`);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('More limits').click();
      await page.getByRole('dialog').getByLabel('Name').fill('mobile');
      await check('form');
      await keepScreenshot(page.getByRole('dialog'), `keys-create-${look.size}-${look.scheme}`);
      await page.getByLabel('Requests must carry a secret').check();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('they cannot be shown again').waitFor();
      await check('new key');
      await keepScreenshot(page.getByRole('dialog'), `keys-new-${look.size}-${look.scheme}`);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Revoke mobile' }).click();
      await check('revocation');
      await keepScreenshot(page.getByRole('dialog'), `keys-revoke-${look.size}-${look.scheme}`);
    });
  }
});
