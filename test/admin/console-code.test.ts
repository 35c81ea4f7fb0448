/** Code that a user copies from the console runs as it is, with the placeholders replaced, and prints the answer of the console. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { ROOT } from '../../scripts/program-files.ts';
import { addressOf, FACTS } from '../support/development.ts';
import { FakeFeed, makeStep } from '../support/fake-feed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { DESKTOP, NO_BROWSER, openPage, readText } from './browser.ts';
import { linkOf, openLink, sendForm, useFeedConsole } from './console-page.ts';

const { erc20, calls } = FACTS.devnet;
/** Time limit of a program, ms: longer than a busy machine stalls. */
const PATIENCE_MS = 60_000;
const BALANCE = '9931000000000000000000';

/** Requests, with the text that their programs print. */
const REQUESTS: readonly {
  readonly name: string;
  readonly link: string;
  readonly curl: RegExp;
  readonly printed: RegExp;
}[] = [
  {
    name: 'a call by a signature',
    link: linkOf(
      'eth_call',
      [{ to: erc20, data: calls.tokenBalance.data }, 'latest'],
      'balanceOf(address owner)(uint256)',
    ),
    curl: new RegExp(BigInt(BALANCE).toString(16).padStart(64, '0')),
    printed: new RegExp(`^${BALANCE}n$`, 'm'),
  },
  {
    name: 'a raw request, with quotes for the shell',
    link: linkOf('web3_sha3', [`0x${Buffer.from("it's").toString('hex')}`]),
    curl: /"result":"0x[0-9a-f]{64}"/,
    printed: /^0x[0-9a-f]{64}$/m,
  },
  {
    name: 'a request with an object',
    link: linkOf('eth_getLogs', [{ fromBlock: '0x20', toBlock: '0x20', address: erc20 }]),
    curl: /"blockNumber":"0x20"/,
    printed: /blockNumber: '0x20'/,
  },
];

describe('code that is copied from the console', { skip: NO_BROWSER }, () => {
  const feed = new FakeFeed();
  const site = useFeedConsole(feed);
  // The folder is inside of the repository, so that the code finds the packages.
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(ROOT, 'build/console-code-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const open = async (t: TestContext, link: string): Promise<Page> => {
    const { browser, url } = site();
    const { page, faults } = await openPage(browser, `${url}${link}`, DESKTOP);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    t.after(async () => {
      await page.context().close();
      assert.deepEqual(faults, []);
    });
    await page.getByText('As code', { exact: true }).click();
    return page;
  };

  const place = (name: string, code: string): string => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code.replaceAll('YOUR_KEY', 'demo'));
    return file;
  };

  for (const [i, { name, link, curl, printed }] of REQUESTS.entries()) {
    test(`${name} prints the answer of the console`, async (t) => {
      const page = await open(t, link);
      await sendForm(page);
      assert.match(await readText(page.locator('.outcome .pill')), /^✓ result/);
      const options = { timeout: PATIENCE_MS };
      const line = await copyCode(page, 'curl');
      assert.match((await promisify(execFile)('sh', ['-c', line], options)).stdout, curl);
      for (const language of ['viem', 'ethers'] as const) {
        const code = await copyCode(page, language);
        assert.doesNotMatch(code, /demo/, 'only the curl command has the key');
        const file = place(`${language}-${i}`, code);
        assert.match((await promisify(execFile)(process.execPath, [file], options)).stdout, printed);
      }
    });
  }

  test('a subscription prints the heads that arrive, with viem and ethers, and has no curl command', async (t) => {
    const page = await open(t, linkOf('eth_subscribe', ['newHeads']));
    await chooseLanguage(page, 'curl');
    await page.getByText('curl does not receive notifications. Choose viem or ethers.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Copy', exact: true }).isDisabled(), true);
    for (const language of ['viem', 'ethers'] as const) {
      const child = spawn(process.execPath, [place(`${language}-heads`, await copyCode(page, language))]);
      t.after(() => stop(child));
      const output: string[] = [];
      child.stdout.on('data', (chunk) => output.push(String(chunk)));
      child.stderr.on('data', (chunk) => output.push(String(chunk)));
      await waitUntil(() => feed.joined.size === 1 || child.exitCode !== null);
      assert.equal(child.exitCode, null, output.join(''));
      feed.send(makeStep('added', 0xabc));
      await waitUntil(() => /0xabc|2748/.test(output.join('')) || child.exitCode !== null);
      assert.match(output.join(''), /0xabc|2748/);
      await stop(child);
      await waitUntil(() => feed.joined.size === 0);
    }
  });

  test('the copied link opens the same request, without the key', async (t) => {
    const page = await open(t, linkOf('eth_getBalance', [addressOf('alice'), 'latest']));
    await page.getByLabel('API key').fill('key-of-somebody');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.doesNotMatch(link, /somebody/);
    await openLink(page, '#console-part');
    await page.getByLabel('Method').selectOption('eth_chainId');
    await page.goto(link);
    const address = page.getByRole('textbox', { name: 'address' });
    assert.equal(await address.inputValue(), addressOf('alice'));
  });
});

type Language = 'curl' | 'viem' | 'ethers';

async function chooseLanguage(page: Page, language: Language): Promise<void> {
  await page.getByRole('button', { name: language, exact: true }).click();
}

/** Copies the code by its button. @returns the text of the clipboard */
async function copyCode(page: Page, language: Language): Promise<string> {
  await chooseLanguage(page, language);
  await page.evaluate("navigator.clipboard.writeText('')");
  await page.getByRole('button', { name: /^(Copy|Copied)$/ }).click();
  let text = '';
  await waitUntil(async () => {
    text = String(await page.evaluate('navigator.clipboard.readText()'));
    return text !== '';
  });
  return text;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}
