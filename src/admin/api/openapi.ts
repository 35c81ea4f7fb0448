import * as z from 'zod';
import { type ApiRoute, roleOf } from './api-route.ts';
import { PROBLEM_TYPE } from './problem.ts';

export type JsonSchemaObject = Readonly<Record<string, unknown>>;

const PARAMETER = /\{(\w+)\}/g;

const PROBLEM: JsonSchemaObject = {
  type: 'object',
  description: 'Problem document (RFC 9457)',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'what happened and what to do' },
    problems: { type: 'array', items: { type: 'string' } },
  },
  required: ['type', 'title', 'status', 'detail'],
};

/** Refusals that every route may answer with. */
const COMMON: Readonly<Record<number, string>> = {
  401: 'the request has no valid credential',
  403: 'the credential does not have the role that the request needs, or the request comes from another site',
  429: 'too many wrong credentials from this address; `Retry-After` has the wait in seconds',
};
/** Refusals that every change may answer with. */
const OF_CHANGES: Readonly<Record<number, string>> = {
  400: 'the body is not JSON',
  413: 'the body is too large',
  415: 'the body is not application/json',
  422: 'a member of the body is invalid',
  500: 'the change was made, but its outcome is not in the audit log; or an unexpected error ended it',
  503: 'the audit log cannot be written, and nothing was changed; or a process of the service does not answer',
};

/** Returns the JSON Schema of the values that a schema accepts. */
export function toJsonSchema(schema: z.ZodType): JsonSchemaObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}

/** Whether a request of a route must have a body: one of its members is required. */
export function needsBody({ body }: Pick<ApiRoute, 'body'>): boolean {
  return body !== undefined && !body.safeParse({}).success;
}

/** Returns the refusals of a route by status, including those that all routes share. */
export function listRefusals(route: ApiRoute): Readonly<Record<number, string>> {
  return { ...COMMON, ...(roleOf(route) === 'write' && OF_CHANGES), ...route.refusals };
}

/**
 * Returns the OpenAPI 3.1 document of the Admin API.
 * @param prefix path that all routes begin with
 */
export function describeApi(routes: readonly ApiRoute[], prefix: string, version: string): JsonSchemaObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = `${prefix}${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Portcullis Admin API', version },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'a token of admin.api' } },
      schemas: { Problem: PROBLEM },
    },
  };
}

function describeRoute(route: ApiRoute): JsonSchemaObject {
  const { operation, summary, query, body, example, answer } = route;
  const parameters = [
    ...listPathParameters(route),
    ...(query === undefined ? [] : listQueryParameters(query)),
  ];
  return {
    operationId: operation,
    summary,
    'x-role': roleOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: needsBody(route),
        content: {
          'application/json': { schema: toJsonSchema(body), ...(example !== undefined && { example }) },
        },
      },
    }),
    responses: {
      [answer.status]: {
        description: answer.says,
        content: {
          'application/json': { schema: toJsonSchema(answer.schema) },
          ...Object.fromEntries(
            (answer.otherTypes ?? []).map((type) => [type.split(';')[0], { schema: { type: 'string' } }]),
          ),
        },
      },
      ...Object.fromEntries(
        Object.entries(listRefusals(route)).map(([status, description]) => [
          status,
          { description, content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } } },
        ]),
      ),
    },
  };
}

function listPathParameters({ path }: ApiRoute): JsonSchemaObject[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function listQueryParameters(query: z.ZodType): JsonSchemaObject[] {
  const { properties = {} } = toJsonSchema(query) as { properties?: Record<string, JsonSchemaObject> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
  }));
}
