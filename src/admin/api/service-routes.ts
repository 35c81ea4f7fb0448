import * as z from 'zod';
import { AdminRefusal } from '../refusal.ts';
import { type ApiRoute, defineRoute } from './api-route.ts';
import { ProblemsRefusal } from './problem.ts';

const networkSchema = z.string().regex(/^[\w-]{1,64}$/, 'expected the name of a network');

const UNKNOWN_NETWORK = 'no network of this service has this name';

/** Routes for the service as a whole. */
export const SERVICE_ROUTES: readonly ApiRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/health',
    operation: 'readHealth',
    summary: 'Report whether the networks can answer',
    answer: {
      status: 200,
      says: 'the verdict, also if networks cannot answer',
      schema: z.strictObject({
        state: z
          .enum(['healthy', 'impaired', 'failing', 'draining'])
          .describe('`failing`: at least one network cannot answer; `impaired`: all answer, with warnings'),
        summary: z.string(),
        problems: z.array(
          z.strictObject({
            kind: z.string().describe('such as `outage`'),
            network: z.string().exactOptional(),
            reason: z.string(),
          }),
        ),
      }),
    },
    run: async ({ sources }) => ({ value: await sources.readHealth() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/reload',
    operation: 'reload',
    summary: 'Reload the configuration file and the TLS certificate, even if they are unchanged',
    body: z.strictObject({}),
    answer: {
      status: 200,
      says: 'the configuration is in force in every process',
      schema: z.strictObject({ changes: z.array(z.string()).describe('options that differ from before') }),
    },
    refusals: { 409: 'the configuration cannot be used; `problems` lists the reasons' },
    target: () => 'configuration',
    async run({ sources }) {
      const answer = await sources.reload();
      if (answer === undefined)
        throw new AdminRefusal(409, 'the service runs without a configuration file: restart it to change it');
      if (answer.outcome === 'applied') return { value: { changes: answer.changes } };
      throw new ProblemsRefusal(
        409,
        'the new configuration cannot be used; the previous one stays in force',
        answer.problems,
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/cache/evict',
    operation: 'evictCache',
    summary: 'Remove the cached answers of a network, or of all networks, in every process',
    body: z.strictObject({ network: networkSchema.describe('by default, all networks').exactOptional() }),
    answer: { status: 200, says: 'the answers are removed', schema: z.strictObject({}) },
    refusals: { 404: 'no network has this name', 503: 'a process, or the shared cache, does not answer' },
    target({ sources, body: { network } }) {
      if (network === undefined) return 'cache';
      if (!sources.listNetworks().includes(network)) throw new AdminRefusal(404, UNKNOWN_NETWORK);
      return `cache of ${network}`;
    },
    async run({ sources, body: { network } }) {
      if (await sources.evictCache(network)) return { value: {} };
      throw new AdminRefusal(404, UNKNOWN_NETWORK);
    },
  }),
];
