import * as z from 'zod';
import { type ApiRoute, defineRoute } from './api-route.ts';

const MAX_ENTRIES = 500;

const entrySchema = z.strictObject({
  change: z.string().describe('identifier of the change; both entries of a change have it'),
  time: z.iso.datetime(),
  credential: z.string(),
  role: z.enum(['read', 'write']),
  address: z
    .string()
    .describe('address of the connection; behind a proxy, the address of the proxy')
    .exactOptional(),
  route: z.string(),
  target: z.string(),
  members: z
    .array(z.string())
    .describe('names of the members of the body, such as `settings.rate`; never their values')
    .exactOptional(),
  outcome: z
    .enum(['begun', 'done', 'refused', 'failed'])
    .describe('a change that has only `begun` was interrupted by the end of the process'),
  status: z.int().describe('HTTP status of the answer').exactOptional(),
});

/** Routes for the audit log. */
export const AUDIT_ROUTES: readonly ApiRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/audit',
    operation: 'readAudit',
    summary: 'Read the audit log, newest entries first',
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_ENTRIES)
        .default(100)
        .describe('maximum number of entries'),
      before: z.string().max(100).describe('`next` of the previous page').exactOptional(),
    }),
    answer: {
      status: 200,
      says: 'a page of the log; `next` is absent on the last page',
      schema: z.strictObject({ entries: z.array(entrySchema), next: z.string().exactOptional() }),
    },
    run: async ({ audit, query: { limit, before } }) => ({ value: await audit.read(limit, before) }),
  }),
];
