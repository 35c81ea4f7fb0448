/** A token cannot choose the key that verifies it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { createTokenVerifier, type TokenVerifier } from '../../src/access/tokens.ts';
import { makeFolder } from '../access/key-tables.ts';

type Heard = { readonly url: string; readonly paths: readonly string[] };

/** Starts a server that records its requests. */
async function listen(t: TestContext, answer: RequestListener): Promise<Heard> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

type Issuer = { readonly verifier: TokenVerifier; readonly jwk: JWK; readonly pem: string };

async function createIssuer(t: TestContext): Promise<Issuer> {
  const { publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'a' };
  const file = join(makeFolder(t), 'jwks.json');
  writeFileSync(file, JSON.stringify({ keys: [jwk] }));
  return { verifier: createTokenVerifier({ main: { jwks: file } }), jwk, pem: await exportSPKI(publicKey) };
}

test('the token headers jku, x5u and jwk are ignored, and no server gets a request for them', async (t) => {
  const { verifier } = await createIssuer(t);
  const stranger = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(stranger.publicKey)), kid: 'a' };
  const { url, paths } = await listen(t, (_, response) => response.end(JSON.stringify({ keys: [jwk] })));
  for (const header of [
    { jku: `${url}/jwks.json` },
    { x5u: `${url}/chain.pem` },
    { jwk },
    { jku: `${url}/jwks.json`, jwk, kid: `${url}/kid` },
  ]) {
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'a', ...header })
      .setExpirationTime('1h')
      .sign(stranger.privateKey);
    assert.equal(await verifier.verify('main', token), 'invalidToken');
  }
  assert.deepEqual(paths, []);
});

test('only RS256 and ES256 are accepted: neither none, nor HMAC with public data as the secret', async (t) => {
  const { verifier, jwk, pem } = await createIssuer(t);
  const secrets = [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? '', 'secret'];
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    for (const secret of secrets) {
      const token = await new SignJWT({})
        .setProtectedHeader({ alg, kid: 'a' })
        .setExpirationTime('1h')
        .sign(Buffer.from(secret.padEnd(64, '\0')));
      assert.equal(await verifier.verify('main', token), 'invalidToken');
    }
  }
  const unsecured = new UnsecuredJWT({}).setExpirationTime('1h').encode();
  const [, payload] = unsecured.split('.');
  for (const alg of ['none', 'None', 'NONE', '']) {
    const header = Buffer.from(JSON.stringify({ alg, kid: 'a' })).toString('base64url');
    for (const signature of ['', 'AA']) {
      const token = `${header}.${payload}.${signature}`;
      assert.equal(await verifier.verify('main', token), 'invalidToken');
    }
  }
});

test('redirects of a key set are not followed', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'a' }] });
  const inside = await listen(t, (_, response) => response.end(keys));
  const named = await listen(t, (_, response) => {
    response.writeHead(302, { Location: `${inside.url}/keys` }).end();
  });
  const verifier = createTokenVerifier({ main: { jwks: `${named.url}/jwks` } });
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: 'a' })
    .setExpirationTime('1h')
    .sign(privateKey);
  // The failure is not the token's fault, so it does not count as a guess.
  await assert.rejects(
    async () => verifier.verify('main', token),
    /keys of a token issuer are not available/,
  );
  assert.deepEqual(named.paths, ['/jwks']);
  assert.deepEqual(inside.paths, []);
});

test('names of built-in object properties are not accepted as issuers', async (t) => {
  const { verifier } = await createIssuer(t);
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(await verifier.verify(name, 'a.b.c'), 'invalidToken');
  }
});
