import type * as z from 'zod';
import type { ApiRole } from '../options.ts';
import type { ApiCaller } from './api-access.ts';
import type { ApiSources } from './api-sources.ts';
import type { AuditLog } from './audit-log.ts';

/** A checked request to a route. */
export type RouteRequest<Query, Body> = {
  readonly sources: ApiSources;
  readonly audit: AuditLog;
  /** Version of the service. */
  readonly version: string;
  readonly caller: ApiCaller;
  /** Decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Aborted when the client has disconnected. */
  readonly left: AbortSignal;
};

export type RouteAnswer = {
  /** Value of the JSON body. */
  readonly value: unknown;
  /** Object of the change, if it is known only afterwards, such as the id of a new key. */
  readonly target?: string;
  /** Body in another media type, in place of the JSON body. */
  readonly text?: { readonly type: string; readonly body: string };
};

/** Route of the Admin API: a row of the table from which dispatch, roles, audit log and OpenAPI document come. */
export type ApiRoute<Query = unknown, Body = unknown> = {
  /** `GET` reads; any other method makes a change, needs the role `write`, and is logged. */
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below `/admin/v1`, with parameters in braces. */
  readonly path: string;
  /** Name of the operation in the OpenAPI document. */
  readonly operation: string;
  readonly summary: string;
  /** Schema of the query; if absent, the query is ignored. */
  readonly query?: z.ZodType<Query>;
  /** Schema of the JSON body; present for changes only. */
  readonly body?: z.ZodType<Body>;
  /** Example of a body with all its members, for the documentation. */
  readonly example?: Readonly<Record<string, unknown>>;
  readonly answer: {
    readonly status: 200 | 201;
    readonly says: string;
    readonly schema: z.ZodType;
    /** Media types of bodies other than JSON. */
    readonly otherTypes?: readonly string[];
  };
  /** Refusals of this route alone, by status. */
  readonly refusals?: Readonly<Record<number, string>>;
  /**
   * Describes the object of a change for the audit log, before the change. A client may send a secret in the place of a name, so names of things that
   * exist are described only.
   * @throws AdminRefusal if there can be no such object; then nothing is logged
   */
  readonly target?: (
    request: Pick<RouteRequest<Query, Body>, 'sources' | 'params' | 'body'>,
  ) => string | Promise<string>;
  /** @throws AdminRefusal, by rejection */
  run(request: RouteRequest<Query, Body>): Promise<RouteAnswer>;
};

/** Returns the role that a route needs. */
export function roleOf({ method }: Pick<ApiRoute, 'method'>): ApiRole {
  return method === 'GET' ? 'read' : 'write';
}

/** Creates a row of the table. Its schemas produce the values that `run` gets. */
export function defineRoute<Query, Body>(route: ApiRoute<Query, Body>): ApiRoute {
  return route as unknown as ApiRoute;
}
