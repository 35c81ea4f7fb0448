import { AdminRefusal } from '../refusal.ts';
import { type ApiRoute, defineRoute } from './api-route.ts';
import { readUsageQuery, type UsageQuery, type UsageTexts, usageQuerySchema } from './usage-query.ts';
import { formatUsageCsv, usageViewSchema } from './usage-view.ts';

const CSV_TYPE = 'text/csv; charset=utf-8';

/** Routes for the usage of keys. */
export const USAGE_ROUTES: readonly ApiRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/usage',
    operation: 'readUsage',
    summary: 'Read calls, refused calls and credits by day, key, network and method',
    query: usageQuerySchema,
    answer: {
      status: 200,
      says: 'the rows, in the order of their columns; with `format=csv` a table with a line of titles',
      schema: usageViewSchema,
      otherTypes: [CSV_TYPE],
    },
    refusals: {
      400: 'the query is invalid',
      413: 'the answer would have more than 100,000 rows',
      503: 'the table of usage is not available',
    },
    async run({ sources, query: texts, left }) {
      const query = readQuery(texts);
      const value = await sources.readUsage(query, left);
      return {
        value,
        ...(texts.format === 'csv' && { text: { type: CSV_TYPE, body: formatUsageCsv(value, query.by) } }),
      };
    },
  }),
];

/** @throws AdminRefusal */
function readQuery(texts: UsageTexts): UsageQuery {
  try {
    return readUsageQuery(texts, Date.now());
  } catch (error) {
    throw new AdminRefusal(400, (error as Error).message);
  }
}
