import assert from 'node:assert/strict';
import { once } from 'node:events';
import { utimesSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
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

describe('token verification with a JWKS file', () => {
  test('accepts RS256 and ES256 tokens of its keys with matching issuer, audience and expiry', async (t) => {
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

  test('refuses tokens without expiry and tokens signed with HMAC', async (t) => {
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

  test('verifies concurrent first tokens', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const file = join(makeFolder(t), 'jwks.json');
    writeFileSync(file, JSON.stringify({ keys: [ec.jwk] }));
    const verifier = createTokenVerifier({ main: { jwks: file } });
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => ec.sign({ i })));
    const outcomes = await Promise.all(tokens.map((token) => verifier.verify('main', token)));
    assert.deepEqual(new Set(outcomes), new Set([undefined]));
  });

  test('uses a file that is created later', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const file = join(makeFolder(t), 'jwks.json');
    const verifier = createTokenVerifier({ main: { jwks: file } });
    const token = await ec.sign();
    await assert.rejects(
      async () => verifier.verify('main', token),
      /keys of a token issuer are not available/,
    );
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

/** Starts an issuer that answers with `answer`, and counts its requests. */
async function startIssuer(
  t: TestContext,
  answer: (response: ServerResponse) => void,
): Promise<{
  readonly url: string;
  readonly requested: () => number;
  answer: (response: ServerResponse) => void;
}> {
  let requested = 0;
  const issuer = { url: '', requested: () => requested, answer };
  const server = createServer((_, response) => {
    requested++;
    issuer.answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  issuer.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/jwks.json`;
  return issuer;
}

const giveKeys =
  (...signers: readonly Signer[]) =>
  (response: ServerResponse): void => {
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ keys: signers.map(({ jwk }) => jwk) }));
  };

const fail = (response: ServerResponse): void => void response.writeHead(500).end('{"keys":[]}');

describe('token verification with a JWKS URL', () => {
  test('fetches the key set once', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const { url, requested } = await startIssuer(t, giveKeys(ec));
    const verifier = createTokenVerifier({ main: { jwks: url } });
    for (let i = 0; i < 3; i++) assert.equal(await verifier.verify('main', await ec.sign({ i })), undefined);
    assert.equal(requested(), 1);
  });

  test('fetches again for unknown key ids at most every half minute', async (t) => {
    const [ec, next] = await Promise.all([createSigner('ES256', 'b'), createSigner('ES256', 'next')]);
    const clock = { now: 0 };
    const issuer = await startIssuer(t, giveKeys(ec));
    const verifier = createTokenVerifier({ main: { jwks: issuer.url } }, () => clock.now);
    assert.equal(await verifier.verify('main', await ec.sign()), undefined);
    const token = await next.sign();
    for (let i = 0; i < 20; i++) assert.equal(await verifier.verify('main', token), 'invalidToken');
    assert.equal(issuer.requested(), 1);
    clock.now += 30_000;
    for (let i = 0; i < 20; i++) assert.equal(await verifier.verify('main', token), 'invalidToken');
    assert.equal(issuer.requested(), 2);
    clock.now += 30_000;
    issuer.answer = giveKeys(ec, next);
    assert.equal(await verifier.verify('main', token), undefined);
    assert.equal(issuer.requested(), 3);
  });

  for (const [what, answer] of [
    ['fails', fail],
    ['hangs up', (response: ServerResponse) => void response.destroy()],
    ['gives no key set', (response: ServerResponse) => void response.end('[]')],
    [
      'sends the client elsewhere',
      (response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
    ],
  ] as const) {
    test(`backs off for growing intervals when the issuer ${what}`, async (t) => {
      const ec = await createSigner('ES256', 'b');
      const clock = { now: 0 };
      const issuer = await startIssuer(t, answer);
      const verifier = createTokenVerifier({ main: { jwks: issuer.url } }, () => clock.now);
      const tokens = await Promise.all(Array.from({ length: 40 }, (_, i) => ec.sign({ i })));
      const refuseAll = async (): Promise<void> => {
        const check = async (token: string): Promise<void> =>
          assert.rejects(
            async () => verifier.verify('main', token),
            /keys of a token issuer are not available/,
          );
        await Promise.all(tokens.slice(0, 20).map(check));
        for (const token of tokens.slice(20)) await check(token);
      };
      await refuseAll();
      assert.equal(issuer.requested(), 1);
      // Minimum waits, half of each pause: 1, 2, 4, 8, 15 seconds.
      for (const pause of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
        const requested = issuer.requested();
        clock.now += pause - 1;
        await refuseAll();
        assert.equal(issuer.requested(), requested);
        clock.now += pause + 1;
        await refuseAll();
        assert.equal(issuer.requested(), requested + 1);
      }
      clock.now += 30_000;
      issuer.answer = giveKeys(ec);
      assert.equal(await verifier.verify('main', tokens[0] as string), undefined);
    });
  }

  test('still accepts known keys when a later fetch fails, and does not refuse unknown keys permanently', async (t) => {
    const [ec, next] = await Promise.all([createSigner('ES256', 'b'), createSigner('ES256', 'next')]);
    const clock = { now: 0 };
    const issuer = await startIssuer(t, giveKeys(ec));
    const verifier = createTokenVerifier({ main: { jwks: issuer.url } }, () => clock.now);
    assert.equal(await verifier.verify('main', await ec.sign()), undefined);
    clock.now += 30_000;
    issuer.answer = fail;
    for (let i = 0; i < 50; i++) {
      await assert.rejects(
        async () => verifier.verify('main', await next.sign({ i })),
        /keys of a token issuer are not available/,
      );
      assert.equal(await verifier.verify('main', await ec.sign({ i })), undefined);
    }
    assert.equal(issuer.requested(), 2);
  });

  test('aborts a key set that exceeds the size limit', async (t) => {
    const ec = await createSigner('ES256', 'b');
    let sent = 0;
    const issuer = await startIssuer(t, (response) => {
      response.setHeader('content-type', 'application/json').write('{"keys":[');
      const piece = `${'{},'.repeat(5_000)}`;
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) sent += piece.length;
        sent += piece.length;
      };
      response.on('drain', more).on('error', () => {});
      more();
    });
    const verifier = createTokenVerifier({ main: { jwks: issuer.url } }, () => 0);
    await assert.rejects(
      async () => verifier.verify('main', await ec.sign()),
      /keys of a token issuer are not available/,
    );
    // The buffers of the sockets come on top.
    assert.ok(sent < 32 * 1024 * 1024, String(sent));
  });

  test('refuses a key set that arrives in thousands of chunks', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const keys = `${JSON.stringify({ keys: [ec.jwk] })}${' '.repeat(2_000)}`;
    const issuer = await startIssuer(t, (response) => {
      const chunks = [...keys].map((byte) => `1\r\n${byte}\r\n`).join('');
      response.socket?.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    });
    const verifier = createTokenVerifier({ main: { jwks: issuer.url } }, () => 0);
    await assert.rejects(
      async () => verifier.verify('main', await ec.sign()),
      /keys of a token issuer are not available/,
    );
  });

  test('refuses a small compressed key set that decompresses beyond the limit', async (t) => {
    const ec = await createSigner('ES256', 'b');
    const keys = JSON.stringify({ keys: [ec.jwk, ...Array(100_000).fill({})] });
    const issuer = await startIssuer(t, (response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync(keys));
    });
    const verifier = createTokenVerifier({ main: { jwks: issuer.url } }, () => 0);
    await assert.rejects(
      async () => verifier.verify('main', await ec.sign()),
      /keys of a token issuer are not available/,
    );
  });
});
