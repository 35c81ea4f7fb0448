import * as z from 'zod';
import { describeKey } from '../../access/keys/describe-key.ts';
import {
  ClosedKeyError,
  type IssuedKey,
  type KeyBook,
  UnknownNameError,
} from '../../access/keys/key-book.ts';
import { type KeyRecord, keyNameSchema } from '../../access/keys/key-record.ts';
import { newSettingsSchema, settingsChangeSchema } from '../../access/keys/key-settings.ts';
import { describeIssues } from '../../util/describe-issue.ts';
import { durationBetween } from '../../util/duration-schema.ts';
import { AdminRefusal } from '../refusal.ts';
import { type ApiRoute, defineRoute, type RouteRequest } from './api-route.ts';
import type { ApiSources } from './api-sources.ts';

/** Form of the id of a key. The key itself is longer. */
const KEY_ID = /^[0-9a-f]{12}$/;
/** Maximum and default number of keys of a page. */
const MAX_KEYS = 1_000;

const keySchema = z.strictObject({
  id: z.string().describe('12 hex digits'),
  name: z.string(),
  state: z.enum(['open', 'expired', 'revoked']),
  createdAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().exactOptional(),
  keys: z
    .array(
      z.strictObject({
        isCurrent: z.boolean().describe('false for a value that a rotation replaced'),
        validUntil: z.iso
          .datetime()
          .describe('end of the grace of a value that a rotation replaced')
          .exactOptional(),
      }),
    )
    .describe('values of the key, newest first'),
  settings: z
    .record(z.string(), z.unknown())
    .describe(
      'settings as in the body of `POST /admin/v1/keys`; `secret: true` if requests must carry a secret',
    ),
});

const issuedSchema = z.strictObject({
  key: z.string().describe('the key, which cannot be shown again'),
  secret: z.string().describe('the secret, which cannot be shown again').exactOptional(),
  record: keySchema,
});

const UNKNOWN = { 404: 'no key has this id' };
const INVALID = { 422: 'a setting is invalid, or names something that the configuration lacks' };

/** Runs work on the keys. @throws AdminRefusal for invalid settings */
async function useKeys<T>(sources: ApiSources, work: (book: KeyBook) => Promise<T>): Promise<T> {
  try {
    return await sources.useKeys(work);
  } catch (error) {
    if (error instanceof UnknownNameError) throw new AdminRefusal(422, error.message);
    if (error instanceof ClosedKeyError) throw new AdminRefusal(409, error.message);
    if (error instanceof z.ZodError) throw new AdminRefusal(422, describeIssues(error.issues));
    throw error;
  }
}

/** @throws AdminRefusal if there is no record */
function requireKey<T>(found: T | undefined): T {
  if (found === undefined)
    throw new AdminRefusal(404, 'no key has this id: GET /admin/v1/keys lists the keys');
  return found;
}

function describeIssued({ key, secret, record }: IssuedKey): object {
  return { key, ...(secret !== undefined && { secret }), record: describeKey(record) };
}

const nameKey = (id: string): string => `key ${id}`;

/** @throws AdminRefusal for text that cannot be an id, such as the key itself, which must not get into the audit log */
const nameTarget = ({ params: { id = '' } }: Pick<RouteRequest<unknown, unknown>, 'params'>): string =>
  nameKey(requireKey(KEY_ID.test(id) ? id : undefined));

const describeFound = (record: KeyRecord | undefined): object => describeKey(requireKey(record));

/** Routes for API keys: the operations of `portcullis keys`, on the same store and with the same checks. */
export const KEY_ROUTES: readonly ApiRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/keys',
    operation: 'listKeys',
    summary: 'List all keys ever created, oldest first',
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_KEYS)
        .default(MAX_KEYS)
        .describe('maximum number of keys'),
      after: z
        .string()
        .regex(KEY_ID, 'expected an id')
        .describe('`next` of the previous page')
        .exactOptional(),
    }),
    answer: {
      status: 200,
      says: 'a page of the keys; `next` is absent on the last page',
      schema: z.strictObject({
        keys: z.array(keySchema),
        next: z.string().describe('id of the last key of the page').exactOptional(),
      }),
    },
    async run({ sources, query: { limit, after } }) {
      const all = await useKeys(sources, (book) => book.list());
      const first = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      if (after !== undefined && first === 0)
        throw new AdminRefusal(400, '`after` names no key: use `next` of the previous page');
      const page = all.slice(first, first + limit);
      const next = first + limit < all.length ? page.at(-1)?.id : undefined;
      return {
        value: {
          keys: page.map((record) => describeKey(record)),
          ...(next !== undefined && { next }),
        },
      };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/keys',
    operation: 'createKey',
    summary: 'Create a key; the answer is the only place where the key and its secret appear',
    body: z.strictObject({
      name: keyNameSchema,
      secret: z.boolean().default(false).describe('whether requests must carry a secret besides the key'),
      settings: newSettingsSchema.default({}),
    }),
    example: {
      name: 'wallet',
      secret: true,
      settings: {
        expiresAt: '2030-01-01T00:00:00Z',
        networks: ['mainnet'],
        methods: ['eth_call', 'eth_getBalance'],
        addresses: ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
        origins: ['https://*.example.org'],
        userAgents: ['my-app'],
        send: false,
        rate: { perSecond: 50, burst: 100 },
        dailyCredits: 5_000_000,
        jwt: 'main',
      },
    },
    answer: { status: 201, says: 'the new key', schema: issuedSchema },
    refusals: INVALID,
    // The name is the caller's text, and there is no id yet.
    target: () => 'new key',
    async run({ sources, body: { name, settings, secret } }) {
      const issued = await useKeys(sources, (book) => book.create(name, settings, secret));
      return { value: describeIssued(issued), target: nameKey(issued.record.id) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/keys/{id}',
    operation: 'showKey',
    summary: 'Show a key',
    answer: { status: 200, says: 'the key', schema: keySchema },
    refusals: UNKNOWN,
    run: async ({ sources, params: { id = '' } }) => ({
      value: describeFound(await useKeys(sources, (book) => book.find(id))),
    }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/keys/{id}',
    operation: 'updateKey',
    summary:
      'Change the name or settings of a key; null removes a setting, and absent settings do not change',
    body: z
      .strictObject({
        name: keyNameSchema.exactOptional(),
        settings: settingsChangeSchema.default({}),
      })
      .refine(({ name, settings }) => name !== undefined || Object.keys(settings).length > 0, {
        error: 'expected a name, or a setting to change',
      }),
    answer: { status: 200, says: 'the changed key', schema: keySchema },
    refusals: { ...UNKNOWN, ...INVALID },
    target: nameTarget,
    run: async ({ sources, params: { id = '' }, body: { name, settings } }) => ({
      value: describeFound(await useKeys(sources, (book) => book.update(id, settings, name))),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/keys/{id}/rotate',
    operation: 'rotateKey',
    summary: 'Give a key a new value; previous values remain valid for `grace`',
    body: z.strictObject({ grace: durationBetween('0s', '365d').prefault('24h') }),
    answer: { status: 200, says: 'the new value of the key', schema: issuedSchema },
    refusals: { ...UNKNOWN, 409: 'the key is revoked or expired; it does not change' },
    target: nameTarget,
    run: async ({ sources, params: { id = '' }, body: { grace } }) => ({
      value: describeIssued(requireKey(await useKeys(sources, (book) => book.rotate(id, grace)))),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/keys/{id}/revoke',
    operation: 'revokeKey',
    summary: 'Revoke a key for ever; requests with it are refused within a second',
    body: z.strictObject({}),
    answer: { status: 200, says: 'the revoked key', schema: keySchema },
    refusals: UNKNOWN,
    target: nameTarget,
    run: async ({ sources, params: { id = '' } }) => ({
      value: describeFound(await useKeys(sources, (book) => book.revoke(id))),
    }),
  }),
];
