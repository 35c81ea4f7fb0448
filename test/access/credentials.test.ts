import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCredentials } from '../../src/access/credentials.ts';
import { hashApiKey } from '../../src/access/keys/api-key.ts';
import type { Terms } from '../../src/access/principal.ts';

const SECRET = 'dd'.repeat(16);
const NONE: Terms = {
  rules: undefined,
  rate: undefined,
  dailyCredits: undefined,
  secretHash: undefined,
  jwt: undefined,
};
const tokens = {
  verify: async (_: string, token: string) => (token === 'good' ? undefined : ('invalidToken' as const)),
};
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test('a secret is accepted as the Basic password, with any user name', async () => {
  const terms = { ...NONE, secretHash: hashApiKey(SECRET) };
  for (const good of [
    basic(`:${SECRET}`),
    basic(`me:${SECRET}`),
    basic(`:${SECRET}`).replace('Basic', 'basic '),
  ]) {
    assert.equal(await checkCredentials(terms, good, tokens), undefined);
  }
  for (const bad of [
    undefined,
    '',
    basic(SECRET),
    basic(`:${SECRET}0`),
    basic(':'),
    `Bearer ${SECRET}`,
    `Basic !${SECRET}`,
    basic(`:${SECRET}`).repeat(400),
  ]) {
    assert.equal(await checkCredentials(terms, bad, tokens), 'wrongSecret', bad?.slice(0, 80));
  }
});

test('a bearer token is verified by the issuer of the key', async () => {
  const terms = { ...NONE, jwt: 'main' };
  assert.equal(await checkCredentials(terms, 'Bearer good', tokens), undefined);
  for (const bad of [undefined, 'Bearer bad', 'good', basic('good:good')]) {
    assert.equal(await checkCredentials(terms, bad, tokens), 'invalidToken');
  }
});

test('a key can require both a secret and a token', async () => {
  const terms = { ...NONE, jwt: 'main', secretHash: hashApiKey(SECRET) };
  assert.equal(await checkCredentials(terms, `${basic(`:${SECRET}`)}, Bearer good`, tokens), undefined);
  assert.equal(await checkCredentials(terms, 'Bearer good', tokens), 'wrongSecret');
  assert.equal(await checkCredentials(terms, basic(`:${SECRET}`), tokens), 'invalidToken');
});

test('a key without credentials ignores the Authorization header', () => {
  assert.equal(checkCredentials(NONE, 'Basic ???', tokens), undefined);
});
