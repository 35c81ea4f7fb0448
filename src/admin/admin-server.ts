import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../observe/logger.ts';
import { type BoundName, limitOf } from '../util/bounds.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import { OpenedOnce } from '../util/opened-once.ts';
import { AdminAccess } from './access.ts';
import { sendRefusal } from './answers.ts';
import type { ApiServer } from './api/api-server.ts';
import type { ApiSources } from './api/api-sources.ts';
import type { AuditLog } from './api/audit-log.ts';
import { sendProblem } from './api/problem.ts';
import type { Backstage } from './backstage.ts';
import { Guesses } from './guesses.ts';
import type { AdminOptions } from './options.ts';
import { AdminRefusal, BoundRefusal } from './refusal.ts';
import type { AdminSources } from './sources.ts';

export type AdminParts = {
  readonly options: { readonly host: string; readonly port: number } & Pick<AdminOptions, 'key' | 'api'>;
  readonly sources: AdminSources;
  /** Parts of the Admin API. The Admin API is off if they or `options.api` are absent. */
  readonly api?: AdminApiParts;
  readonly log: Logger;
  readonly clock?: Clock;
};

export type AdminApiParts = {
  readonly sources: ApiSources;
  readonly audit: AuditLog;
  /** Version of the service. */
  readonly version: string;
};

/** Serves status page, console, metrics and Admin API on a separate listener, see ADR 10. */
export interface AdminServer {
  /** Resolves to the bound address; rejects with Node's error when the address cannot be bound. */
  listen(): Promise<{ readonly host: string; readonly port: number }>;
  /** Ends streams and connections immediately, without draining. Always resolves. */
  close(): Promise<void>;
}

/** Path of the Admin API, without a version. */
const API_ROOT = '/admin/';
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Creates an admin server that is not listening yet. */
export function createAdminServer(parts: AdminParts): AdminServer {
  return new NodeAdminServer(parts);
}

class NodeAdminServer implements AdminServer {
  readonly #options: AdminParts['options'];
  readonly #log: Logger;
  readonly #access: AdminAccess;
  readonly #audit: AuditLog | undefined;
  readonly #api: OpenedOnce<ApiServer> | undefined;
  readonly #backstage: OpenedOnce<Backstage>;
  readonly #http: HttpServer;

  constructor({ options, sources, api, log, clock = systemClock }: AdminParts) {
    this.#options = options;
    this.#log = log;
    const guesses = new Guesses(() => clock.now());
    this.#access = new AdminAccess(options.key, guesses);
    this.#audit = api?.audit;
    this.#api = api && options.api && createApi(options.api, { ...api, log }, this.#access, guesses);
    // The first request loads status feed, console and routes. Loading them at start would take up to a tenth of the start-up time.
    this.#backstage = new OpenedOnce(async () => {
      const { openBackstage } = await import('./backstage.ts');
      return openBackstage({ sources, hasAdminApi: this.#api !== undefined, log, clock });
    });
    this.#http = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#http.maxConnections = limitOf('admin.connections');
    this.#http.on('drop', () => this.#logRefusal('admin.connections'));
  }

  listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen({ host, port }, () => {
        this.#http.removeListener('error', reject);
        const bound = this.#http.address() as AddressInfo;
        resolve({ host: bound.address, port: bound.port });
      });
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
    });
    const backstage = await this.#backstage.opening?.catch(() => undefined);
    backstage?.feed.close();
    this.#http.closeAllConnections();
    await closed;
    await this.#audit?.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isForApi = this.#api !== undefined && (request.url ?? '').startsWith(API_ROOT);
    try {
      if (this.#api !== undefined && isForApi) {
        await (await this.#api.get()).serve(request, response);
        return;
      }
      this.#access.check(request);
      await (await this.#backstage.get()).routes.serve(request, response);
    } catch (error) {
      if (!(error instanceof AdminRefusal)) this.#log.error({ err: error }, 'the admin server failed');
      if (error instanceof BoundRefusal) this.#logRefusal(error.bound);
      const refusal = error instanceof AdminRefusal ? error : new AdminRefusal(500, 'internal error');
      if (response.headersSent || response.destroyed) return;
      if (isForApi) sendProblem(response, refusal);
      else sendRefusal(response, refusal);
    }
  }

  #logRefusal(bound: BoundName): void {
    this.#log.warn({ bound }, 'the admin server refused a request: a bound was reached');
  }
}

/** Describes how the Admin API is opened. The first request loads the API, so that a start does not take longer. */
function createApi(
  credentials: NonNullable<AdminOptions['api']>,
  parts: AdminApiParts & { readonly log: Logger },
  site: AdminAccess,
  guesses: Guesses,
): OpenedOnce<ApiServer> {
  return new OpenedOnce(async () => {
    const { ApiAccess } = await import('./api/api-access.ts');
    const { ApiServer } = await import('./api/api-server.ts');
    return new ApiServer({ access: new ApiAccess(credentials, guesses), site, ...parts });
  });
}
