import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod';
import type { Logger } from '../../observe/logger.ts';
import { describeIssues } from '../../util/describe-issue.ts';
import type { AdminAccess } from '../access.ts';
import { checkOrigin } from '../access.ts';
import { JSON_TYPE, sendText } from '../answers.ts';
import { readJsonBody } from '../read-body.ts';
import { AdminRefusal } from '../refusal.ts';
import type { ApiAccess, ApiCaller } from './api-access.ts';
import { type ApiRoute, type RouteAnswer, type RouteRequest, roleOf } from './api-route.ts';
import { findApiRoute } from './api-router.ts';
import { API_PATH, API_ROUTES } from './api-routes.ts';
import type { ApiSources } from './api-sources.ts';
import type { AuditEntry, AuditOutcome } from './audit-entry.ts';
import type { AuditLog } from './audit-log.ts';

/** Maximum size of a body, bytes. The largest body names 30 entries of each list of a key, which takes under 32 KiB. */
const MAX_BODY_BYTES = 64 * 1024;

/** Error of a change that was made while the audit log could not be written. */
const UNLOGGED = 'the change was made, but its outcome is not in the audit log';

export type ApiServerParts = {
  readonly access: ApiAccess;
  /** Checks the Host header as for the status page. */
  readonly site: Pick<AdminAccess, 'checkHost'>;
  readonly sources: ApiSources;
  readonly audit: AuditLog;
  /** Version of the service. */
  readonly version: string;
  readonly log: Logger;
};

/** Serves the Admin API. */
export class ApiServer {
  readonly #parts: ApiServerParts;

  constructor(parts: ApiServerParts) {
    this.#parts = parts;
  }

  /** @throws AdminRefusal (by rejection) for requests that are refused */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { access, site, sources, audit, version } = this.#parts;
    site.checkHost(request);
    checkOrigin(request);
    const caller = access.identify(request);
    const { method = '', url = '' } = request;
    const [path = '', query = ''] = url.split('?', 2);
    const { route, params } = findApiRoute(API_ROUTES, API_PATH, method, path);
    checkRole(route, caller);
    const left = new AbortController();
    response.once('close', () => left.abort());
    const sent = route.body && (hasBody(request) ? await readJsonBody(request, MAX_BODY_BYTES) : {});
    const checked: RouteRequest<unknown, unknown> = {
      sources,
      audit,
      version,
      caller,
      params,
      query: check(route.query, Object.fromEntries(new URLSearchParams(query)), 400),
      body: check(route.body, sent, 422),
      left: left.signal,
    };
    const from = { ...caller, address: request.socket.remoteAddress ?? '', members: listMembers(sent) };
    const { value, text } =
      roleOf(route) === 'read' ? await route.run(checked) : await this.#change(route, checked, from);
    const { type, body } = text ?? { type: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
    sendText(response, route.answer.status, type, body);
  }

  /** Makes a change. The line `begun` is in the log before the change is made, and the outcome before the change is acknowledged. */
  async #change(
    route: ApiRoute,
    request: RouteRequest<unknown, unknown>,
    { name, role, address, members }: ApiCaller & Pick<AuditEntry, 'address' | 'members'>,
  ): Promise<RouteAnswer> {
    const { audit, log } = this.#parts;
    const begun: AuditEntry = {
      change: randomBytes(8).toString('hex'),
      time: new Date().toISOString(),
      credential: name,
      role,
      address,
      route: `${route.method} ${API_PATH}${route.path}`,
      target: (await route.target?.(request)) ?? '',
      members,
      outcome: 'begun',
    };
    const note = (outcome: AuditOutcome, status: number, target = begun.target): Promise<void> =>
      audit.append({ ...begun, time: new Date().toISOString(), target, outcome, status });
    await audit.append(begun);
    let answer: RouteAnswer;
    try {
      answer = await route.run(request);
    } catch (error) {
      const status = error instanceof AdminRefusal ? error.status : 500;
      await note(status < 500 ? 'refused' : 'failed', status).catch((failure: Error) =>
        log.error(
          { change: begun.change, err: failure },
          'a change failed, and its outcome is not in the audit log',
        ),
      );
      throw error;
    }
    try {
      await note('done', route.answer.status, answer.target);
    } catch (error) {
      log.error({ change: begun.change, err: error }, UNLOGGED);
      throw new AdminRefusal(500, UNLOGGED);
    }
    return answer;
  }
}

/** Whether a request has a body, by its headers. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Lists the names of the members of a body that a schema has accepted, and of the members of its objects. */
function listMembers(body: unknown): string[] {
  return listEntries(body).flatMap(([name, value]) => {
    const below = listEntries(value).map(([inner]) => `${name}.${inner}`);
    return below.length > 0 ? below : [name];
  });
}

function listEntries(value: unknown): (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** @throws AdminRefusal if the caller may only read */
function checkRole(route: ApiRoute, { name, role }: ApiCaller): void {
  if (roleOf(route) === 'read' || role === 'write') return;
  throw new AdminRefusal(403, `the credential ${name} has the role read: this request needs the role write`);
}

/** @throws AdminRefusal with all problems of the value */
function check(schema: z.ZodType | undefined, value: unknown, status: number): unknown {
  const parsed = schema?.safeParse(value);
  if (parsed?.success === false) throw new AdminRefusal(status, describeIssues(parsed.error.issues));
  return parsed?.data;
}
