/** Answers of the console: views by the kind of result, old answers, outcomes, and requests in the URL. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { addressOf, FACTS } from '../support/development.ts';
import { waitUntil } from '../support/wait-until.ts';
import { DESKTOP, keepScreenshot, measureOverflow, NO_BROWSER, openPage, readText } from './browser.ts';
import {
  linkOf,
  openLink,
  readBadge,
  sendForm,
  useDevnetConsole,
  useScriptedConsole,
  VIEW_LOOKS,
} from './console-page.ts';

const { erc20, reverter, calls } = FACTS.devnet;

/** Requests whose results have views of their own, with the text of each view. */
const VIEWS: readonly {
  readonly name: string;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly text: RegExp;
  /** Text of the first row once it is open. */
  readonly opened?: RegExp;
}[] = [
  {
    name: 'simulation',
    method: 'eth_simulateV1',
    params: [
      {
        blockStateCalls: [
          { calls: [calls.tokenTransfer, calls.revert] },
          { blockOverrides: { number: '0x50' }, calls: [calls.tokenBalance] },
        ],
      },
      'latest',
    ],
    text: /^3 simulated calls in \d+ blocks\n+1 failed call[\s\S]*transfer\s+true[\s\S]*failed[\s\S]*refused on purpose[\s\S]*balanceOf\s+9,93/,
    opened: /transfer\(address,uint256\)[\s\S]*Returned[\s\S]*returned bool\s+true[\s\S]*Logs/,
  },
  {
    name: 'proof',
    method: 'eth_getProof',
    params: [erc20, ['0x0', '0x1'], 'latest'],
    text: /^Proof of a contract[\s\S]*2 slots[\s\S]*Storage slots[\s\S]*Trie nodes of the account\s+root/,
    opened: /slot\s+0x0[\s\S]*root\s+[\d,]+ bytes/,
  },
  {
    name: 'block',
    method: 'eth_getBlockByNumber',
    params: [`0x${FACTS.devnet.everyTypeBlock.toString(16)}`, true],
    text: /^Block \d+, 6 transactions\n+2023-[\s\S]*transfer of ether[\s\S]*Header[\s\S]*parentHash/,
    opened: /nonce\s+\d+ 0x/,
  },
  {
    name: 'receipts',
    method: 'eth_getBlockReceipts',
    params: [`0x${FACTS.devnet.everyTypeBlock.toString(16)}`],
    text: /^6 receipts, [\d,]+ gas/,
    opened: /cumulativeGasUsed\s+[\d,]+ 0x/,
  },
  {
    name: 'fees',
    method: 'eth_feeHistory',
    params: ['0x3', 'latest', [25, 75]],
    text: /^Next base fee: [\d.]+ gwei\n+3 blocks from 69 on[\s\S]*Tip 75%[\s\S]*72 \(next\)/i,
    opened: /reward at 75%\s+[\d.]+ gwei/,
  },
  {
    name: 'no-logs',
    method: 'eth_getLogs',
    params: [{ address: reverter }],
    text: /^0 logs\n+No log matches/,
  },
  { name: 'accounts', method: 'eth_accounts', params: [], text: /^Empty list/ },
  {
    name: 'number',
    method: 'eth_getBalance',
    params: [addressOf('alice'), 'latest'],
    text: /^[\d,]+\n+[\d,.]+ ether/,
  },
];

describe('views of results', { skip: NO_BROWSER }, () => {
  const site = useDevnetConsole();

  for (const look of VIEW_LOOKS) {
    test(`each kind of result has its view, which fits a ${look.size}`, async () => {
      const { browser, url } = site();
      const { page, faults } = await openPage(browser, url, look);
      await page.locator('#console-method option').first().waitFor({ state: 'attached' });
      for (const { name, method, params, text, opened } of VIEWS) {
        await openLink(page, linkOf(method, params));
        assert.match(await sendForm(page), text, method);
        if (opened !== undefined) {
          await page.locator('.opener').first().click();
          assert.match(await readText(page.locator('.opened').first()), opened, method);
        }
        assert.equal(await measureOverflow(page), 0, method);
        await keepScreenshot(page.locator('#console-part'), `console-${name}-${look.size}`);
      }
      await page.context().close();
      assert.deepEqual(faults, []);
    });
  }

  test('the URL holds the request, never the key, and the browser goes back and forward', async () => {
    const { browser, url } = site();
    const { page, faults } = await openPage(browser, url, DESKTOP);
    await page.getByText('Secret or token', { exact: true }).click();
    await page.getByLabel('Secret of the key').fill('sesame');
    await page.getByLabel('API key').fill('key-of-somebody');
    await page.getByLabel('Method').selectOption('eth_getBalance');
    await page.getByRole('textbox', { name: 'address' }).fill(addressOf('alice'));
    await sendForm(page);
    const first = page.url();
    assert.equal(first, `${url}${linkOf('eth_getBalance', [addressOf('alice')])}`);
    await page.getByLabel('Method').selectOption('eth_call');
    await page.getByLabel('Contract interface').selectOption('ERC-20');
    await page.getByRole('textbox', { name: /^to / }).fill(erc20);
    await page.getByLabel('Function', { exact: true }).selectOption('symbol()');
    await sendForm(page);
    assert.notEqual(page.url(), first);
    assert.doesNotMatch(page.url(), /sesame|somebody/);
    await page.goBack();
    assert.equal(await page.getByLabel('Method').inputValue(), 'eth_getBalance');
    assert.match(await readText(page.locator('.old:visible')), /^Old answer/);
    await page.goForward();
    assert.equal(await page.getByLabel('Function', { exact: true }).inputValue(), 'symbol()');

    // A request that contains a credential gets no URL.
    const before = page.url();
    await page.getByLabel('Method').selectOption('web3_sha3');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page
      .getByLabel('Request')
      .fill('{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["sesame"]}');
    await sendForm(page);
    assert.equal(page.url(), `${url}#console-part`);
    await page.context().close();
    assert.deepEqual(faults, []);

    // A link restores a request without sending it.
    const restored = await openPage(browser, before, DESKTOP);
    await restored.page.getByLabel('Function', { exact: true }).waitFor();
    assert.equal(await restored.page.getByRole('textbox', { name: /^to / }).inputValue(), erc20);
    assert.equal(await restored.page.locator('.outcome .pill').count(), 0);
    await restored.page.context().close();
    assert.deepEqual(restored.faults, []);
  });
});

describe('old answers and outcomes', { skip: NO_BROWSER }, () => {
  const waiting: { readonly params: readonly unknown[]; readonly response: ServerResponse }[] = [];
  const site = useScriptedConsole(({ method, params }, response) => {
    if (method === 'eth_getBalance') waiting.push({ params, response });
    else if (method === 'eth_gasPrice') response.writeHead(503).end('busy');
    else
      response
        .writeHead(429)
        .end('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"too many calls"}}');
  });
  const answer = (position: number, result: string): void => {
    waiting[position]?.response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  };

  test('an old answer never looks like the present one', async () => {
    const { browser, url } = site();
    const { page, faults } = await openPage(browser, url, DESKTOP);
    await page.getByLabel('Method').selectOption('eth_getBalance');
    const address = page.getByRole('textbox', { name: 'address' });
    const send = page.getByRole('button', { name: 'Send' });
    await address.fill(addressOf('alice'));
    await send.click();
    await waitUntil(() => waiting.length === 1);
    await send.click();
    answer(0, '0x1');
    await page.getByText('✓ result').waitFor();
    assert.equal(waiting.length, 1, 'a running request is not sent again');

    await address.fill(addressOf('bob'));
    assert.match(await readText(page.locator('.old:visible')), /^Old answer: the request has changed/);
    await keepScreenshot(page.locator('#console-part'), 'console-old');
    await address.fill(addressOf('alice'));
    assert.equal(await page.locator('.old:visible').count(), 0);

    await address.fill(addressOf('bob'));
    await send.click();
    await page.getByText('Old answer. The request eth_getBalance on devnet is running.').waitFor();
    await waitUntil(() => waiting.length === 2);
    await address.fill(addressOf('carol'));
    await send.click();
    await waitUntil(() => waiting.length === 3);
    answer(2, '0x3');
    await page.locator('.answer:not([aria-busy]) .outcome .pill').waitFor();
    answer(1, '0x2');
    // Without cancellation, the answer of the earlier request would arrive before the answer of this one.
    await address.fill(addressOf('dave'));
    await send.click();
    await waitUntil(() => waiting.length === 4);
    assert.match(await readText(page.locator('.words')), /^3\n/);
    answer(3, '0x4');
    await page.locator('.words').getByText('4', { exact: true }).waitFor();
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test('the badge has the JSON-RPC outcome', async () => {
    const { browser, url } = site();
    const { page } = await openPage(browser, url, DESKTOP);
    await page.getByLabel('Method').selectOption('eth_chainId');
    await sendForm(page);
    assert.equal(await readBadge(page), '✕ error -32005: too many calls');
    assert.match(await readText(page.locator('.outcome')), /HTTP 429/);
    await page.getByLabel('Method').selectOption('eth_gasPrice');
    assert.match(await sendForm(page), /not JSON/);
    assert.equal(await readBadge(page), '✕ no JSON-RPC answer: HTTP 503');
    await page.route('**/console', (route) => route.abort());
    await page.getByLabel('Method').selectOption('eth_blockNumber');
    assert.match(await sendForm(page), /the admin server does not answer/);
    assert.equal(await readBadge(page), '✕ not sent');
    await page.context().close();
  });
});
