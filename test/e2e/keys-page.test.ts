/** Keys that an operator manages on the status page of the program, in a real browser, and requests with them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, NO_BROWSER, openPage } from '../admin/browser.ts';
import { CHAIN_ID, DEVNET } from '../support/ask-program.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const TOKEN = 'token-of-a-writer-0123';
const ADMIN = { port: 0, api: { operator: { role: 'write', token: TOKEN } } };

async function openKeys(t: TestContext): Promise<{ readonly program: Program; readonly page: Page }> {
  // The test sends wrong keys while it waits.
  const access = { failures: { perSecond: 10_000, burst: 100_000 } };
  const program = new Program({ admin: ADMIN, networks: DEVNET, access });
  t.after(() => program.dispose());
  await program.start();
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const { page } = await openPage(browser, `${program.adminUrl}/status`, {
    size: 'desktop',
    scheme: 'light',
  });
  await page.getByLabel('Credential of the Admin API').fill(TOKEN);
  await page.getByRole('button', { name: 'Show the keys' }).click();
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  return { program, page };
}

type Reply = { readonly status: number; readonly body: { readonly result?: unknown } };

async function call({ port }: Program, key: string, secret?: string): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${port}/devnet/v3/${key}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(secret !== undefined && { Authorization: `Basic ${btoa(`:${secret}`)}` }),
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

/** Reads a value of the dialog that shows a new key. */
async function readNew(page: Page, name: 'Key' | 'Secret'): Promise<string> {
  return (await page.getByRole('group', { name, exact: true }).locator('code').textContent()) ?? '';
}

test('a key of the page works at once, with its secret, until the page revokes it', {
  skip: NO_BROWSER,
}, async (t) => {
  const { program, page } = await openKeys(t);
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('wallet');
  await page.getByLabel('Requests must carry a secret').check();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const [key, secret] = [await readNew(page, 'Key'), await readNew(page, 'Secret')];
  const answer = await call(program, key, secret);
  assert.deepEqual([answer.status, answer.body.result], [200, CHAIN_ID]);
  assert.equal((await call(program, key)).status, 401);
  await page.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Revoke wallet' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.equal((await call(program, key, secret)).status, 200);
  await page.getByRole('button', { name: 'Revoke wallet' }).click();
  await page.getByRole('button', { name: 'Revoke for ever' }).click();
  await page.getByText('The key wallet is revoked.').waitFor();
  await waitUntil(async () => (await call(program, key, secret)).status === 401);
});

test('limits and rotations of the page apply to requests, by keyboard alone', {
  skip: NO_BROWSER,
}, async (t) => {
  const { program, page } = await openKeys(t);
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.getByRole('button', { name: 'Create a key' }).focus();
  await press('Enter');
  await page.keyboard.type('robot');
  await press('Enter');
  const first = await readNew(page, 'Key');
  assert.equal((await call(program, first)).status, 200);
  await page.getByRole('button', { name: 'Done' }).focus();
  await press('Enter');

  await page.getByRole('button', { name: 'Change robot' }).focus();
  await press('Enter');
  await page.getByRole('dialog').getByLabel('Methods').focus();
  await page.keyboard.type('eth_blockNumber');
  await press('Enter');
  await page.getByText('The key robot is changed').waitFor();
  await waitUntil(async () => (await call(program, first)).status === 403);
  await page.getByRole('button', { name: 'Change robot' }).focus();
  await press('Enter');
  await page.getByRole('dialog').getByLabel('Methods').focus();
  await press('Control+a', 'Delete', 'Enter');
  await waitUntil(async () => (await call(program, first)).status === 200);

  await page.getByRole('button', { name: 'Rotate robot' }).focus();
  await press('Enter');
  await page.getByRole('textbox', { name: /^Earlier value/ }).focus();
  await press('Control+a');
  await page.keyboard.type('0s');
  await press('Enter');
  const second = await readNew(page, 'Key');
  assert.notEqual(second, first);
  await waitUntil(async () => (await call(program, first)).status === 401);
  assert.equal((await call(program, second)).status, 200);
});
