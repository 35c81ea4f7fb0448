/** Journeys with interfaces of contracts: calls by signature, decoded results, logs, errors, traces. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REVERTER_ABI } from '../../scripts/contracts/reverter.ts';
import { addressOf, FACTS } from '../support/development.ts';
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

const { erc20, reverter, factory, calls } = FACTS.devnet;

describe('the console with interfaces of contracts', { skip: NO_BROWSER }, () => {
  const site = useDevnetConsole();

  test('calls a function by its signature, and decodes the result', async () => {
    const { browser, url } = site();
    const { page, faults } = await openPage(browser, url, DESKTOP);
    await page.getByLabel('Contract interface').selectOption('own');
    const signature = page.getByLabel('Signature or ABI');
    await signature.fill('balanceOf(addres)');
    await page.getByText(/expected a signature such as/).waitFor();
    await signature.fill('balanceOf(address owner)(uint256)');
    assert.equal(await page.getByLabel('Function', { exact: true }).inputValue(), 'balanceOf(address)');
    const owner = page.getByRole('textbox', { name: /^owner/ });
    await owner.fill('0x12');
    await page.getByRole('button', { name: 'Send' }).click();
    assert.equal(await owner.getAttribute('aria-invalid'), 'true');
    await owner.fill(addressOf('alice'));
    await page.getByRole('textbox', { name: /^to / }).fill(erc20);
    const data = page.getByRole('textbox', { name: /^data / });
    assert.equal(await data.inputValue(), calls.tokenBalance.data);
    assert.match(await sendForm(page), /^9,931,0+[\d,]*\n+balanceOf\(address\)\n+returned uint256/);
    assert.equal(await readBadge(page), '✓ result');
    await keepScreenshot(page.locator('#console-part'), 'console-abi');
    // Calldata of the earlier function does not remain when the signature changes, even by way of a wrong one.
    await signature.fill('symbol(');
    await signature.fill('symbol()(string)');
    assert.equal(await page.getByLabel('Function', { exact: true }).inputValue(), 'symbol()');
    assert.equal(await data.inputValue(), '0x95d89b41');
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test('writes arguments of every kind, and reads them back from calldata', async () => {
    const { browser, url } = site();
    const { page, faults } = await openPage(browser, url, DESKTOP);
    await page.getByLabel('Contract interface').selectOption('Multicall3');
    const recipient = page.getByRole('textbox', { name: /^to / });
    assert.equal(await recipient.inputValue(), '0xca11bde05977b3631167028862be2a173976ca11');
    await page.getByLabel('Function', { exact: true }).selectOption('tryAggregate(bool,(address,bytes)[])');
    await page.getByLabel('requireSuccess').selectOption('true');
    for (const position of [0, 1]) {
      await page.getByRole('button', { name: 'Add to calls' }).click();
      const fields = page.getByRole('group', { name: `calls[${position}]`, exact: true });
      await fields.getByLabel(/^target/).fill(position === 0 ? reverter : erc20);
      await fields.getByLabel(/^callData/).fill(calls.tokenBalance.data);
    }
    await page.getByRole('button', { name: 'Remove calls[0]' }).click();
    const data = await page.getByRole('textbox', { name: /^data / }).inputValue();
    await openLink(page, linkOf('eth_call', [{ to: erc20, data }, 'latest'], 'Multicall3'));
    const only = page.getByRole('group', { name: 'calls[0]', exact: true });
    assert.equal(await only.getByLabel(/^target/).inputValue(), erc20);
    assert.equal(await page.getByRole('group', { name: 'calls[1]', exact: true }).count(), 0);
    assert.equal(await page.getByLabel('requireSuccess').inputValue(), 'true');
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test('decodes reverts: reasons, panics, and errors of the interface', async () => {
    const { browser, url } = site();
    const { page, faults } = await openPage(browser, url, DESKTOP);
    await page.getByLabel('Contract interface').selectOption('own');
    await page.getByLabel('Signature or ABI').fill(JSON.stringify(REVERTER_ABI));
    await page.getByRole('textbox', { name: /^to / }).fill(reverter);
    const call = async (signature: string): Promise<string> => {
      await page.getByLabel('Function', { exact: true }).selectOption(signature);
      return sendForm(page);
    };
    assert.match(await call('revertString()'), /Error\(string\)\s+refused on purpose/);
    assert.match(await readBadge(page), /^✕ error 3: execution reverted/);
    assert.match(await call('panicDivision()'), /Panic\(uint256\)\s+division or modulo by zero \(0x12\)/);
    assert.match(
      await call('revertCustom()'),
      /Refused\(address,uint256\)\s+Refused\(caller 0x0{40}, code \d+\)[\s\S]*caller address\s+0x0{40}/,
    );
    await keepScreenshot(page.locator('#console-part'), 'console-custom-error');
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test('decodes logs in rows that open by keyboard', async () => {
    const { browser, url } = site();
    const fragment = linkOf('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x47' }]);
    const { page, faults } = await openPage(browser, `${url}${fragment}`, DESKTOP);
    await page.getByRole('textbox', { name: /^toBlock/ }).waitFor();
    assert.match(await sendForm(page), /^\d+ logs\n+\d+ logs decoded/);
    const rows = page.getByRole('table', { name: 'Logs' }).getByRole('row');
    const transfer = rows.filter({ hasText: 'Transfer' }).first();
    assert.match(await readText(transfer), /from 0x\w{4}…\w{4}, to 0x\w{4}…\w{4}, value [\d,]+/);
    const opener = transfer.getByRole('button');
    await opener.focus();
    await page.keyboard.press('Enter');
    assert.equal(await opener.getAttribute('aria-expanded'), 'true');
    const opened = await readText(page.locator('.opened'));
    assert.match(
      opened,
      /Transfer\(address,address,uint256\)[\s\S]*All fields[\s\S]*transactionHash\s+0x\w{64}/,
    );
    await keepScreenshot(page.locator('#console-part'), 'console-logs');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.opened').count(), 0);

    // An interface that is chosen later decodes the answer that is there.
    const created = rows.filter({ hasText: factory.slice(0, 6) }).first();
    assert.match(await readText(created), /unknown/);
    await page.getByLabel('Contract interface').selectOption('own');
    await page.getByLabel('Signature or ABI').fill('event Created(address indexed created)');
    await created.getByText('Created', { exact: true }).waitFor();
    assert.equal(await page.locator('.old:visible').count(), 0);
    await page.context().close();
    assert.deepEqual(faults, []);
  });
});

/** Output of geth's callTracer: a call that delegates, and a call that reverts. */
function createTrace(): object {
  const account = addressOf('alice');
  const transfer = { type: 'CALL', from: account, to: erc20, gas: '0x9000', gasUsed: '0x5208', value: '0x0' };
  const message = Buffer.from('not enough').toString('hex').padEnd(64, '0');
  const reason = `0x08c379a0${'20'.padStart(64, '0')}${'a'.padStart(64, '0')}${message}`;
  return {
    ...transfer,
    input: calls.tokenTransfer.data,
    output: `0x${'1'.padStart(64, '0')}`,
    calls: [
      {
        ...transfer,
        type: 'DELEGATECALL',
        input: calls.tokenBalance.data,
        output: `0x${'7'.padStart(64, '0')}`,
      },
      { ...transfer, type: 'STATICCALL', input: '0x', output: reason, error: 'execution reverted' },
    ],
  };
}

describe('the console with traces', { skip: NO_BROWSER }, () => {
  const site = useScriptedConsole(({ method }, response) => {
    const trace = createTrace();
    const result =
      method === 'debug_traceBlockByNumber' ? [{ txHash: `0x${'ab'.repeat(32)}`, result: trace }] : trace;
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  });

  for (const look of VIEW_LOOKS) {
    test(`decodes the frames of a trace: ${look.size}, ${look.scheme}`, async () => {
      const { browser, url } = site();
      const fragment = linkOf('debug_traceTransaction', [`0x${'ab'.repeat(32)}`, { tracer: 'callTracer' }]);
      const { page, faults } = await openPage(browser, `${url}${fragment}`, look);
      // The service only forwards this method, so the request is edited as JSON.
      await page.getByLabel('Request').waitFor();
      const text = await sendForm(page);
      assert.match(text, /^3 call frames, 21,000 gas/);
      assert.match(text, /CALL 0xcabe…a842 transfer\(to 0x6f61…0b2b, value 1,0+/);
      assert.match(text, /STATICCALL[\s\S]*✕ execution reverted/);
      await page.getByText('Fields', { exact: true }).nth(2).click();
      assert.match(await readText(page.locator('.words')), /Error\(string\)\s+not enough/);
      await page.getByText('Fields', { exact: true }).nth(0).click();
      assert.match(await readText(page.locator('.words')), /Returned\s+returned bool\s+true/);
      assert.equal(await measureOverflow(page), 0);
      await keepScreenshot(page.locator('#console-part'), `console-trace-${look.size}-${look.scheme}`);
      await openLink(page, linkOf('debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }]));
      assert.match(await sendForm(page), /^3 call frames[\s\S]*Transaction 0xabab/);
      await page.context().close();
      assert.deepEqual(faults, []);
    });
  }
});
