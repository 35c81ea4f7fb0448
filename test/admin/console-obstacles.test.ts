/** axe finds no obstacle in any state of the console. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { REVERTER_ABI } from '../../scripts/contracts/reverter.ts';
import { FACTS } from '../support/development.ts';
import { FakeFeed, makeLog, makeStep } from '../support/fake-feed.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  findObstacles,
  keepScreenshot,
  type Look,
  measureOverflow,
  NO_BROWSER,
  openPage,
} from './browser.ts';
import {
  type ConsoleSite,
  linkOf,
  openLink,
  sendForm,
  useFeedConsole,
  useScriptedConsole,
  VIEW_LOOKS,
} from './console-page.ts';

const { erc20, reverter, calls, everyTypeBlock } = FACTS.devnet;
const BLOCK = `0x${everyTypeBlock.toString(16)}`;

/** Requests for each kind of result. */
const KINDS: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_getBlockReceipts', [BLOCK]],
  ['eth_getBlockByNumber', [BLOCK, true]],
  ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x47' }]],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [calls.tokenTransfer, calls.revert] }] }, 'latest']],
  ['eth_getProof', [erc20, ['0x0'], 'latest']],
  ['eth_feeHistory', ['0x3', 'latest', [25, 75]]],
];

describe('obstacles in the console', { skip: NO_BROWSER }, () => {
  const feed = new FakeFeed();
  const site = useFeedConsole(feed);

  for (const look of VIEW_LOOKS) {
    const check = async (page: Page, state: string): Promise<void> => {
      assert.deepEqual(await findObstacles(page, '#console-part'), [], state);
      assert.equal(await measureOverflow(page), 0, state);
      await keepScreenshot(page.locator('#console-part'), `state-${state}-${look.size}`);
    };

    test(`forms and errors have none on a ${look.size}`, async (t) => {
      const page = await open(t, site(), look);
      await check(page, 'empty');
      await page.getByLabel('Contract interface').selectOption('own');
      await page.getByLabel('Signature or ABI').fill('balanceOf(addres)');
      await page.getByText(/expected a signature such as/).waitFor();
      await check(page, 'wrong-interface');
      await page.getByLabel('Signature or ABI').fill(JSON.stringify(REVERTER_ABI));
      await page.getByLabel('Function', { exact: true }).selectOption('revertCustom()');
      await page.getByRole('textbox', { name: /^to / }).fill(reverter);
      for (const summary of ['Secret or token', 'As code', 'More about eth_call', '11 more fields'])
        await page.getByText(summary, { exact: true }).click();
      await check(page, 'filled');
      await sendForm(page);
      await check(page, 'revert');
      await page.getByRole('textbox', { name: /^from / }).fill('0x12');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText(/^from: expected/).waitFor();
      await check(page, 'wrong-argument');
      await page.getByLabel('Contract interface').selectOption('Multicall3');
      await page.getByLabel('Function', { exact: true }).selectOption('tryAggregate(bool,(address,bytes)[])');
      await page.getByRole('button', { name: 'Add to calls' }).click();
      await check(page, 'array');
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      await check(page, 'json');
    });

    test(`answers have none on a ${look.size}`, async (t) => {
      const page = await open(t, site(), look);
      for (const [method, params] of KINDS) {
        await openLink(page, linkOf(method, params));
        await sendForm(page);
        await page.locator('.opener').first().click();
        await page.getByText('JSON', { exact: true }).click();
        await page.getByText('Headers', { exact: true }).click();
        await check(page, `answer-${method}`);
      }
      await page.getByLabel('API key').fill('wrong');
      await page.getByText('Old answer: the request has changed since.').waitFor();
      assert.ok(
        await isWithin(page, '.answer .old', '.side'),
        'the mark remains visible in a scrolled answer',
      );
      await check(page, 'old');
      await sendForm(page);
      await check(page, 'refused');
    });

    test(`a subscription has none on a ${look.size}`, async (t) => {
      const page = await open(t, site(), look);
      await openLink(page, linkOf('eth_subscribe', ['logs', {}]));
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('● live').waitFor();
      await check(page, 'watch-empty');
      feed.send(makeStep('added', 0xabc), [makeLog(0xabc)]);
      feed.send(makeStep('removed', 0xabc), [makeLog(0xabc, true)]);
      await page.getByText('2 notifications', { exact: true }).waitFor();
      const message = page.locator('.message').first();
      await message.locator('summary').first().click();
      await message.getByText('JSON', { exact: true }).click();
      await check(page, 'watch-running');
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('■ stopped').waitFor();
      await waitUntil(() => feed.joined.size === 0);
      await check(page, 'watch-stopped');
      await openLink(page, linkOf('eth_subscribe', ['logs', { address: 'nobody' }]));
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('✕ ended').waitFor();
      await page.getByText(/^error -326/).waitFor();
      await check(page, 'watch-refused');
    });
  }
});

describe('obstacles while the console waits', { skip: NO_BROWSER }, () => {
  let waiting: ServerResponse[] = [];
  const site = useScriptedConsole((_, response) => void waiting.push(response));

  for (const look of VIEW_LOOKS) {
    test(`a running and a cancelled request have none on a ${look.size}`, async (t) => {
      waiting = [];
      const page = await open(t, site(), look);
      await page.getByLabel('Method').selectOption('eth_chainId');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Waiting for the answer of eth_chainId on devnet').waitFor();
      await waitUntil(() => waiting.length === 1);
      assert.deepEqual(await findObstacles(page, '#console-part'), [], 'waiting');
      await page.keyboard.press('Escape');
      await page.getByText(/^eth_chainId on devnet was cancelled/).waitFor();
      assert.deepEqual(await findObstacles(page, '#console-part'), [], 'cancelled');

      // After a cancellation, the same request is sent again.
      await page.keyboard.press('Enter');
      await waitUntil(() => waiting.length === 2);
      waiting[1]?.end('busy');
      await page.getByText('The body is not JSON.').waitFor();
      assert.deepEqual(await findObstacles(page, '#console-part'), [], 'no JSON-RPC answer');
      await page.keyboard.press('Enter');
      await page.getByText('Old answer. The request eth_chainId on devnet is running.').waitFor();
      assert.deepEqual(await findObstacles(page, '#console-part'), [], 'old');
      await keepScreenshot(page.locator('#console-part'), `state-old-${look.size}`);
      await page.keyboard.press('Escape');
      await page.getByText(/^Old answer. The request eth_chainId on devnet was cancelled/).waitFor();
    });
  }
});

async function open(t: TestContext, { browser, url }: ConsoleSite, look: Look): Promise<Page> {
  const { page, faults } = await openPage(browser, url, look);
  t.after(async () => {
    await page.context().close();
    assert.deepEqual(faults, []);
  });
  await page.locator('#console-method option').first().waitFor({ state: 'attached' });
  return page;
}

/** Whether a part is inside of the visible area of another one. */
async function isWithin(page: Page, part: string, whole: string): Promise<boolean> {
  const [inner, outer] = [
    await page.locator(part).first().boundingBox(),
    await page.locator(whole).first().boundingBox(),
  ];
  if (inner === null || outer === null) return false;
  return inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
}
