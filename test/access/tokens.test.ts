import assert from 'node:assert/strict';
import { once } from 'node:events';
import { utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { createTokenVerifier } from '../../src/access/tokens.ts';
import { makeFolder } from './key-tables.ts';

type Signer = { readonly jwk: JWK; sign(claims?: object, expires?: string | undefined): Promise<string> };

async function createSigner(algorithm: string, kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm },
    sign: (claims = {}, expires = '1h') =>
      new SignJWT({ aud: 'portcullis', iss: 'me', ...claims })
        .setProtectedHeader({ alg: algorithm, kid })
        .setExpirationTime(expires)
        .sign(privateKey),
  };
}

describe('tokens of a file of keys', () => {
  test('RS256 and ES256 that are in it, in their time, for us', async (t) => {
    const [rsa, ec, stranger] = await Promise.all([
      createSigner('RS256', 'a'),
      createSigner('ES256', 'b'),
      createSigner('ES256', 'b'),
    ]);
    const file = join(makeFolder(t), 'jwks.json');
    writeFileSync(file, JSON.stringify({ keys: [rsa.jwk, ec.jwk] }));
    const issuer = { jwks: file, issuer: 'me', audience: 'portcullis' };
    const verifier = createTokenVerifier({ main: issuer });
    for (const signer of [rsa, ec]) {
      const token = await signer.sign();
      for (let time = 0; time < 2; time++) assert.equal(await verifier.verify('main', token), undefined);
      assert.equal(await verifier.verify('other', token), 'invalidToken');
      for (const bad of [
        await signer.sign({ aud: 'another' }),
        await signer.sign({ iss: 'another' }),
        await signer.sign({}, '-1h'),
        `${token}x`,
        token.slice(0, -8),
      ]) {
        assert.equal(await verifier.verify('main', bad), 'invalidToken');
      }
    }
    for (const bad of [
      await stranger.sign(),
      '',
      'a.b.c',
      new UnsecuredJWT({ aud: 'portcullis' }).encode(),
    ]) {
      assert.equal(await verifier.verify('main', bad), 'invalidToken');
    }
  });

  test('without an end, or signed by what is no key pair', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const file = join(makeFolder(t), 'jwks.json');
    writeFileSync(file, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'c' }] }));
    const verifier = createTokenVerifier({ main: { jwks: file } });
    const endless = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'c' }).sign(privateKey);
    const mac = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', kid: 'c' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(JSON.stringify(ec.jwk)));
    assert.equal(await verifier.verify('main', endless), 'invalidToken');
    assert.equal(await verifier.verify('main', mac), 'invalidToken');
  });

  test('however many come first', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const file = join(makeFolder(t), 'jwks.json');
    writeFileSync(file, JSON.stringify({ keys: [ec.jwk] }));
    const verifier = createTokenVerifier({ main: { jwks: file } });
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => ec.sign({ i })));
    const outcomes = await Promise.all(tokens.map((token) => verifier.verify('main', token)));
    assert.deepEqual(new Set(outcomes), new Set([undefined]));
  });

  test('a file that comes later counts then', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const file = join(makeFolder(t), 'jwks.json');
    const verifier = createTokenVerifier({ main: { jwks: file } });
    const token = await ec.sign();
    await assert.rejects(async () => verifier.verify('main', token), /cannot be had/);
    writeFileSync(file, JSON.stringify({ keys: [ec.jwk] }));
    utimesSync(file, 1, 1);
    const until = Date.now() + 10_000;
    const isGood = async (): Promise<boolean> => {
      try {
        return (await verifier.verify('main', token)) === undefined;
      } catch {
        return false;
      }
    };
    while (!(await isGood()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await verifier.verify('main', token), undefined);
  });
});

test('tokens of keys at an address, which is asked once', async (t) => {
  const ec = await createSigner('ES256', 'b');
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [ec.jwk] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const verifier = createTokenVerifier({ main: { jwks: `http://127.0.0.1:${port}/jwks.json` } });
  for (let i = 0; i < 3; i++) assert.equal(await verifier.verify('main', await ec.sign({ i })), undefined);
  assert.equal(asked, 1);
});
