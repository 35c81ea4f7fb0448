import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { DESKTOP, type Look, openPage } from './browser.ts';

/**
 * Opens the page of an admin server, and closes it after the test. A fault of the page fails the test.
 * @param expected faults that the test provokes
 */
export async function openStatusPage(
  t: TestContext,
  browser: Browser,
  { port }: { readonly port: number },
  { look = DESKTOP, expected }: { readonly look?: Look | undefined; readonly expected?: RegExp } = {},
): Promise<Page> {
  const { page, faults } = await openPage(browser, `http://127.0.0.1:${port}/status`, look);
  t.after(async () => {
    await page.context().close();
    assert.deepEqual(
      faults.filter((fault) => expected?.test(fault) !== true),
      [],
    );
  });
  await page.locator('body[data-state=live]').waitFor();
  return page;
}
