/** A real browser, where the machine has one. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'] as const;

function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
}

const PATH: string | undefined = findBrowser();

/** Reason for skipping tests with a browser, or false. */
export const NO_BROWSER: string | false =
  PATH === undefined && `none of ${NAMES.join(', ')} is in PATH: the page is not tested in a browser`;

/** @param options further options of the command line */
export function launchBrowser(options: readonly string[] = []): Promise<Browser> {
  const args = ['--no-sandbox', ...options];
  return chromium.launch({ ...(PATH !== undefined && { executablePath: PATH }), args });
}

export type Look = { readonly size: 'desktop' | 'phone'; readonly scheme: 'light' | 'dark' };
export const LOOKS: readonly Look[] = (['desktop', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).map((scheme) => ({ size, scheme })),
);
export const DESKTOP = { size: 'desktop', scheme: 'light' } as const;
/** Longer than a busy machine stalls. */
const PATIENCE_MS = 60_000;
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** A page with its faults: errors, and requests that left its origin. */
export type WatchedPage = { readonly page: Page; readonly faults: readonly string[] };

export async function openPage(
  browser: Browser,
  url: string,
  look: Look,
  password?: string,
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: SIZES[look.size],
    colorScheme: look.scheme,
    ...(password !== undefined && { httpCredentials: { username: 'any', password } }),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('request', (request) => {
    const requested = request.url();
    if (!requested.startsWith('data:') && new URL(requested).origin !== new URL(url).origin)
      faults.push(`asked ${requested}`);
  });
  await page.goto(url);
  return { page, faults };
}

/** Writes a screenshot to the folder in PORTCULLIS_SCREENSHOTS, if it is set. */
export async function keepScreenshot(part: Locator, name: string): Promise<void> {
  const folder = process.env['PORTCULLIS_SCREENSHOTS'];
  if (folder) await part.screenshot({ path: join(folder, `${name}.png`) });
}

/** Returns the number of pixels by which the page is wider than its window. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Returns the visible text. */
export async function readText(part: Locator): Promise<string> {
  return (await part.allInnerTexts()).join('\n');
}

/**
 * Lists the obstacles that axe finds, with the elements that have them. Contrast is checked in both colour schemes.
 * @param part selector of the part of the page that is examined
 */
export async function findObstacles(page: Page, part = 'html'): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  const found = await runAxe(page, part, '{}');
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' });
  found.push(...(await runAxe(page, part, "{ runOnly: ['color-contrast'] }")));
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  return found;
}

async function runAxe(page: Page, part: string, options: string): Promise<string[]> {
  const { violations, passes } = (await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${options})`,
  )) as AxeResults;
  assert.ok(passes.length > 0, 'rules were applied');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
