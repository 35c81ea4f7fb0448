/** Journeys through the console without a mouse: every control is reached by Tab, and used by keys. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { REVERTER_ABI } from '../../scripts/contracts/reverter.ts';
import { addressOf, FACTS } from '../support/development.ts';
import { FakeFeed, makeLog, makeStep } from '../support/fake-feed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { DESKTOP, keepScreenshot, NO_BROWSER, openPage, readText } from './browser.ts';
import { type ConsoleSite, readBadge, useFeedConsole, VIEW_LOOKS } from './console-page.ts';
import { chooseByArrows, hasFocus, tabTo } from './keyboard.ts';

const { erc20, reverter, everyTypeBlock } = FACTS.devnet;

describe('the console by the keyboard alone', { skip: NO_BROWSER }, () => {
  const feed = new FakeFeed();
  const site = useFeedConsole(feed);

  for (const look of VIEW_LOOKS) {
    test(`calls a function by its signature, and corrects a wrong argument: ${look.size}`, async (t) => {
      const page = await open(t, site(), look);
      const link = page.getByRole('link', { name: 'Console', exact: true });
      await tabTo(page, link);
      await page.keyboard.press('Enter');
      assert.match(page.url(), /#console-part$/);
      await enterInterface(page, 'balanceOf(address owner)(uint256)');
      const owner = page.getByRole('textbox', { name: /^owner/ });
      await tabTo(page, owner);
      await page.keyboard.insertText('0x12');
      const recipient = page.getByRole('textbox', { name: /^to / });
      await tabTo(page, recipient);
      await page.keyboard.insertText(erc20);
      await page.keyboard.press('Enter');
      await page.getByText(/^owner: expected/).waitFor();
      assert.ok(await hasFocus(owner), 'the wrong argument has the focus');
      assert.equal(await owner.getAttribute('aria-invalid'), 'true');
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(addressOf('alice'));
      await page.keyboard.press('Enter');
      assert.match(await waitForAnswer(page), /^9,931,0+[\d,]*\n+balanceOf\(address\)/);
      assert.ok(await hasFocus(owner), 'the focus stays in the form');
      await keepScreenshot(page.locator('#console-part'), `console-keyboard-${look.size}`);
    });
  }

  test('pastes an ABI, and decodes a revert by it', async (t) => {
    const page = await open(t, site());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const artifact = JSON.stringify({ contractName: 'Reverter', abi: REVERTER_ABI }, null, 2);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(artifact)})`);
    await enterInterface(page);
    await page.keyboard.press('Control+V');
    const choice = page.getByLabel('Function', { exact: true });
    await tabTo(page, choice);
    await chooseByArrows(page, choice, 'revertCustom()');
    await tabTo(page, page.getByRole('textbox', { name: /^to / }));
    await page.keyboard.insertText(reverter);
    await page.keyboard.press('Control+Enter');
    assert.match(await waitForAnswer(page), /Refused\(address,uint256\)/);
    assert.match(await readBadge(page), /^✕ error 3: execution reverted/);
  });

  test('opens decoded logs, and closes them by Escape', async (t) => {
    const page = await open(t, site());
    await chooseMethod(page, 'eth_getLogs');
    await tabTo(page, page.getByRole('textbox', { name: /^fromBlock/ }));
    await page.keyboard.insertText('0');
    await page.keyboard.press('Enter');
    assert.match(await waitForAnswer(page), /^\d+ logs\n+\d+ logs decoded/);
    const opener = page.getByRole('row').filter({ hasText: 'Transfer' }).first().getByRole('button');
    await tabTo(page, opener);
    await page.keyboard.press('Enter');
    assert.match(await readText(page.locator('.opened')), /Transfer\(address,address,uint256\)/);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.opened').count(), 0);
    assert.ok(await hasFocus(opener), 'the row that was open has the focus');
    assert.equal(await opener.getAttribute('aria-expanded'), 'false');
    const json = page.locator('.answer summary', { hasText: 'JSON' });
    await tabTo(page, json);
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('.answer pre').first());
  });

  test('Escape closes the innermost opened row', async (t) => {
    const page = await open(t, site());
    await chooseMethod(page, 'eth_getBlockReceipts');
    await tabTo(page, page.getByRole('textbox', { name: 'block' }));
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(String(everyTypeBlock));
    await page.keyboard.press('Enter');
    assert.match(await waitForAnswer(page), /^6 receipts/);
    const receipt = page.locator('.opener').first();
    await tabTo(page, receipt);
    await page.keyboard.press('Enter');
    const log = page.locator('.opened .opener').first();
    await tabTo(page, log);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.opened').count(), 2);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.opened').count(), 1);
    assert.ok(await hasFocus(log));
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.opened').count(), 0);
    assert.ok(await hasFocus(receipt));
  });

  test('watches heads and logs, and stops by the button or by Escape', async (t) => {
    const page = await open(t, site());
    await chooseMethod(page, 'eth_subscribe');
    await tabTo(page, page.getByRole('textbox', { name: /^kind/ }));
    await page.keyboard.insertText('newHeads');
    await page.keyboard.press('Enter');
    await page.getByText('● live').waitFor();
    feed.send(makeStep('added', 0xabc));
    feed.send(makeStep('removed', 0xabc));
    feed.send(makeStep('added', 0xabd), [makeLog(0xabd)]);
    await page.locator('.message', { hasText: 'Block 2,749' }).waitFor();
    const stop = page.getByRole('button', { name: 'Stop' });
    await tabTo(page, stop);
    await page.keyboard.press('Enter');
    await page.getByText('■ stopped').waitFor();
    await waitUntil(() => feed.joined.size === 0);
    assert.ok(await hasFocus(page.getByRole('region', { name: 'Notifications' })));
    const message = page.locator('.message').first();
    await tabTo(page, message.locator('summary').first());
    await page.keyboard.press('Enter');
    await message.getByText('number', { exact: true }).waitFor();
    await keepScreenshot(page.locator('#console-part'), 'console-watch-keyboard');
    await page.getByRole('textbox', { name: /^kind/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('● live').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('■ stopped').waitFor();
    await waitUntil(() => feed.joined.size === 0);
  });

  test('copies code in each language', async (t) => {
    const page = await open(t, site());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await chooseMethod(page, 'eth_chainId');
    await tabTo(page, page.getByText('As code', { exact: true }));
    await page.keyboard.press('Enter');
    for (const language of ['curl', 'viem', 'ethers']) {
      const chip = page.getByRole('button', { name: language, exact: true });
      await tabTo(page, chip);
      await page.keyboard.press('Space');
      assert.equal(await chip.getAttribute('aria-pressed'), 'true');
      await tabTo(page, page.getByRole('button', { name: /^(Copy|Copied)$/ }));
      await page.keyboard.press('Enter');
      const code = await readText(page.locator('pre.code'));
      await waitUntil(async () => (await page.evaluate('navigator.clipboard.readText()')) === code);
      await page.getByText('As code', { exact: true }).focus();
    }
  });
});

async function open(
  t: TestContext,
  { browser, url }: ConsoleSite,
  look = DESKTOP as (typeof VIEW_LOOKS)[number],
): Promise<Page> {
  const { page, faults } = await openPage(browser, url, look);
  t.after(async () => {
    await page.context().close();
    assert.deepEqual(faults, []);
  });
  await page.locator('#console-method option').first().waitFor({ state: 'attached' });
  return page;
}

async function chooseMethod(page: Page, method: string): Promise<void> {
  const select = page.getByLabel('Method');
  await tabTo(page, select);
  await chooseByArrows(page, select, method);
}

/** Chooses an interface of one's own, and moves to its text. */
async function enterInterface(page: Page, text = ''): Promise<void> {
  const select = page.getByLabel('Contract interface');
  await tabTo(page, select);
  await chooseByArrows(page, select, 'own');
  await tabTo(page, page.getByLabel('Signature or ABI'));
  await page.keyboard.insertText(text);
}

async function waitForAnswer(page: Page): Promise<string> {
  await page.locator('.answer:not([aria-busy]) .outcome .pill').waitFor();
  return readText(page.locator('.words'));
}
