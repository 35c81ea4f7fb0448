import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { JSON_TYPE, sendText } from './answers.ts';
import type { Console } from './console.ts';
import type { ServiceAddress } from './page/console/wire.ts';
import { createPageHtml } from './page/document.ts';
import { KEYS_CSS } from './page/keys/keys-style.ts';
import { PAGE_CSS } from './page/stylesheet.ts';
import { VERDICT_CSS } from './page/verdict-style.ts';
import { AdminRefusal, BoundRefusal } from './refusal.ts';
import type { AdminSources } from './sources.ts';
import type { StatusFeed } from './status-feed.ts';

type PageFile = { readonly contentType: string; readonly text: string };

/** Modules of the page as `scripts/bundle-page.ts` writes them. */
const FOLDER = join(import.meta.dirname, 'page-bundle');

/** Reads the page and its modules once, into a map by path. The path of a request is only looked up in this map, never on the disk. */
function readPageFiles(hasAdminApi: boolean): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>([
    ['/status', { contentType: 'text/html; charset=utf-8', text: createPageHtml(hasAdminApi) }],
    ['/status/page.css', { contentType: 'text/css; charset=utf-8', text: PAGE_CSS + VERDICT_CSS + KEYS_CSS }],
  ]);
  for (const name of readdirSync(FOLDER)) {
    files.set(`/status/${name}`, {
      contentType: 'text/javascript; charset=utf-8',
      text: readFileSync(join(FOLDER, name), 'utf8'),
    });
  }
  return files;
}

type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export type RouteParts = {
  readonly sources: AdminSources;
  readonly feed: StatusFeed;
  readonly console: Console;
  /** Whether the admin server serves the Admin API. */
  readonly hasAdminApi: boolean;
};

/** Routes of the admin server, matched by exact path. */
export class Routes {
  readonly #get: ReadonlyMap<string, Route>;
  readonly #post: ReadonlyMap<string, Route>;
  readonly #hasAdminApi: boolean;
  /** Page files by path. The files are read at the first request whose path has no fixed GET route. */
  #files: ReadonlyMap<string, PageFile> | undefined;

  constructor({ sources, feed, console, hasAdminApi }: RouteParts) {
    this.#hasAdminApi = hasAdminApi;
    const { metrics } = sources;
    const { scheme, host, port } = sources.service;
    const address: ServiceAddress = { scheme, host, port };
    this.#get = new Map<string, Route>([
      ['/', (_, response) => sendText(response, 302, 'text/plain', '', { Location: 'status' })],
      ['/status/events', (request, response) => watch(feed, request, response)],
      [
        '/status.json',
        async (_, response) => sendText(response, 200, JSON_TYPE, JSON.stringify(await feed.read())),
      ],
      // Address of the service, for the console's curl command.
      ['/console', (_, response) => sendText(response, 200, JSON_TYPE, JSON.stringify(address))],
      ['/openrpc.json', (_, response) => sendText(response, 200, JSON_TYPE, sources.openRpc())],
      ...(metrics === undefined ? [] : [['/metrics', serveMetrics(metrics)] as const]),
    ]);
    this.#post = new Map<string, Route>([
      ['/console', (request, response) => console.serve(request, response)],
      ['/console/watch', (request, response) => console.watch(request, response)],
    ]);
  }

  /** @throws AdminRefusal (by rejection) for requests that are not served */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const post = this.#post.get(path);
    const get = this.#get.get(path) ?? this.#findFile(path);
    if (post === undefined && get === undefined) throw new AdminRefusal(404, 'not found');
    const route = method === 'POST' ? post : method === 'GET' || method === 'HEAD' ? get : undefined;
    if (route === undefined) {
      throw new AdminRefusal(405, 'method not allowed', {
        Allow: post === undefined ? 'GET, HEAD' : 'GET, HEAD, POST',
      });
    }
    await route(request, response);
  }

  #findFile(path: string): Route | undefined {
    this.#files ??= readPageFiles(this.#hasAdminApi);
    const file = this.#files.get(path);
    return file && ((_, response) => sendText(response, 200, file.contentType, file.text));
  }
}

function watch(feed: StatusFeed, request: IncomingMessage, response: ServerResponse): void {
  // A HEAD request does not count as a watching page.
  if (request.method === 'HEAD') sendText(response, 200, 'text/event-stream; charset=utf-8', '');
  else if (!feed.watch(response)) {
    throw new BoundRefusal(503, 'admin.pages', { 'Retry-After': '10' });
  }
}

function serveMetrics(metrics: NonNullable<AdminSources['metrics']>): Route {
  return async (_, response) => {
    const { contentType, text } = await metrics();
    sendText(response, 200, contentType, text);
  };
}
