import * as z from 'zod';
import { type ApiRoute, defineRoute } from './api-route.ts';
import { AUDIT_ROUTES } from './audit-routes.ts';
import { CREDENTIAL_ROUTES } from './credential-routes.ts';
import { KEY_ROUTES } from './key-routes.ts';
import { NODE_ROUTES } from './node-routes.ts';
import { describeApi } from './openapi.ts';
import { SERVICE_ROUTES } from './service-routes.ts';
import { USAGE_ROUTES } from './usage-routes.ts';

/** Path that all routes of the Admin API begin with. */
export const API_PATH = '/admin/v1';

const DOCUMENT_ROUTE: ApiRoute = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  operation: 'readOpenApi',
  summary: 'Read the OpenAPI document of this API',
  answer: { status: 200, says: 'the document', schema: z.record(z.string(), z.unknown()) },
  run: async ({ version }) => ({ value: describeApi(API_ROUTES, API_PATH, version) }),
});

/** All routes of the Admin API. */
export const API_ROUTES: readonly ApiRoute[] = [
  ...KEY_ROUTES,
  ...USAGE_ROUTES,
  ...NODE_ROUTES,
  ...SERVICE_ROUTES,
  ...AUDIT_ROUTES,
  ...CREDENTIAL_ROUTES,
  DOCUMENT_ROUTE,
];
