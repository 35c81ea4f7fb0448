/** The status page with its console, in a real browser: over the devnet, or over a service that a test scripts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { METHODS } from '../../src/methods/table.ts';
import { mergeStatus } from '../../src/observe/merge-status.ts';
import type { ServiceStatus } from '../../src/observe/status.ts';
import { encodeOpenRpc } from '../../src/rpc/openrpc.ts';
import type { FakeFeed } from '../support/fake-feed.ts';
import { startService } from '../support/service.ts';
import { type Look, launchBrowser, NO_BROWSER, readText } from './browser.ts';
import { createService, type RunningAdmin, startAdmin } from './support.ts';

/** Windows in which views are tested: each size and each scheme once. */
export const VIEW_LOOKS: readonly Look[] = [
  { size: 'desktop', scheme: 'light' },
  { size: 'phone', scheme: 'dark' },
];

/** The call timeout is longer than the default, because the machine may be busy. */
const DEVNET = { builtin: 'devnet', hosts: ['devnet.localhost'], callTimeout: '60s' } as const;

export type ConsoleSite = { readonly browser: Browser; readonly url: string; readonly servicePort: number };

/** A service for the page. Without `readStatus`, the page shows the status of `status-fixture`. */
type PageService = {
  readonly port: number;
  readonly readStatus?: () => Promise<ServiceStatus>;
  close(): Promise<void>;
};

/** Starts an admin server over a service. */
function startConsole({ port, readStatus }: PageService): Promise<RunningAdmin> {
  return startAdmin({
    sources: {
      service: createService('127.0.0.1', port),
      openRpc: () => encodeOpenRpc(METHODS, '0.1.0'),
      ...(readStatus !== undefined && { status: readStatus }),
    },
  });
}

/** Serves the page over a service while the enclosing suite runs. */
function useSite(start: () => Promise<PageService>): () => ConsoleSite {
  let site: ConsoleSite | undefined;
  const closing: (() => Promise<unknown>)[] = [];
  before(async () => {
    if (NO_BROWSER !== false) return;
    const service = await start();
    closing.push(() => service.close());
    const admin = await startConsole(service);
    closing.push(() => admin.server.close());
    const browser = await launchBrowser();
    closing.push(() => browser.close());
    site = { browser, url: `http://127.0.0.1:${admin.port}/status`, servicePort: service.port };
  });
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });
  return () => site as ConsoleSite;
}

/** Serves the page over a service with this configuration, with the status of the service. */
export function useServiceConsole(
  config: () => Promise<Readonly<Record<string, unknown>>>,
  parts?: Parameters<typeof startService>[2],
): () => ConsoleSite {
  return useSite(async () => {
    const running = await startService(await config(), 'error', parts);
    return { ...running, readStatus: async () => mergeStatus([await running.service.readStatus()]) };
  });
}

/** Serves the page over the devnet, with blocks that a test sends. */
export function useFeedConsole(feed: FakeFeed): () => ConsoleSite {
  return useServiceConsole(async () => ({ networks: { devnet: DEVNET } }), { openFeed: () => feed });
}

/** Serves the page over the devnet. */
export function useDevnetConsole(): () => ConsoleSite {
  return useSite(() => startService({ networks: { devnet: DEVNET } }));
}

/** Writes the response to a request of the console. */
export type ScriptedAnswer = (
  request: { readonly method: string; readonly params: readonly unknown[] },
  response: ServerResponse,
) => void;

/** Serves the page over a service whose answers a test writes. */
export function useScriptedConsole(answer: ScriptedAnswer): () => ConsoleSite {
  return useSite(async () => {
    const server = createServer((request: IncomingMessage, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (piece: string) => {
        body += piece;
      });
      request.on('end', () => answer(JSON.parse(body), response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      port: (server.address() as AddressInfo).port,
      close: () => {
        server.closeAllConnections();
        return new Promise<void>((resolve) => server.close(() => resolve()));
      },
    };
  });
}

/** Formats the fragment of a request. */
export function linkOf(method: string, params: readonly unknown[], abi?: string): string {
  const fields = {
    network: 'devnet',
    method,
    params: JSON.stringify(params),
    ...(abi !== undefined && { abi }),
  };
  return `#${new URLSearchParams(fields)}`;
}

/** Opens a request by its link, in the page that is open. */
export async function openLink(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
}

/** Sends the request of the form. @returns the answer in words */
export async function sendForm(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.answer:not([aria-busy]) .outcome .pill').waitFor();
  return readText(page.locator('.words'));
}

/** Returns the text of the outcome badge. */
export function readBadge(page: Page): Promise<string> {
  return readText(page.locator('.outcome .pill'));
}
