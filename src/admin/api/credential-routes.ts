import * as z from 'zod';
import { type ApiRoute, defineRoute } from './api-route.ts';

/** Route for the credential of the request itself, so that a page can offer only what the credential may do. */
export const CREDENTIAL_ROUTES: readonly ApiRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/credential',
    operation: 'readCredential',
    summary: 'Read the name and role of the credential that the request carries',
    answer: {
      status: 200,
      says: 'the credential',
      schema: z.strictObject({ name: z.string(), role: z.enum(['read', 'write']) }),
    },
    run: async ({ caller: { name, role } }) => ({ value: { name, role } }),
  }),
];
