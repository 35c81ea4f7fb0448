import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChainError } from '../../../src/chain/errors.ts';
import { readError } from '../../../src/pool/errors/read-error.ts';
import { encodeErrorString } from '../../../src/pool/errors/revert-data.ts';
import { maskSecrets, scrubMessage } from '../../../src/pool/errors/scrub-message.ts';
import { listCredentials, listSecrets } from '../../../src/pool/errors/secrets.ts';
import { countRuns } from '../../support/count-runs.ts';

const secret = fc.oneof(
  fc.string({ minLength: 6, maxLength: 60 }),
  fc.string({ unit: 'binary', minLength: 6, maxLength: 20 }),
  fc.constantFrom('******', 'a***bc', '(((((((', '\\d+\\d+', '$&$&$&', 'node-1.internal:8545'),
);

test('no secret of six characters or more remains', () => {
  fc.assert(
    fc.property(
      fc.array(secret, { maxLength: 5 }),
      fc.array(fc.string({ maxLength: 30 })),
      (secrets, words) => {
        const text = words.flatMap((word, i) => [word, secrets[i % secrets.length] ?? '']).join('');
        const scrubbed = scrubMessage(text, secrets);
        for (const each of secrets) assert.ok(!scrubbed.includes(each), JSON.stringify([scrubbed, each]));
      },
    ),
    { numRuns: countRuns(1_000) },
  );
});

test('secrets are masked in another case, around control characters and at the end of a long text', () => {
  assert.equal(scrubMessage('key ABCDEF123 is bad', ['abcdef123']), 'key *** is bad');
  assert.ok(!scrubMessage('abc\u0000def', ['abc def']).includes('abc def'));
  const long = `${'-'.repeat(3_990)}abcdefghijklmnop`;
  assert.ok(!scrubMessage(long, ['abcdefghijklmnop', '-'.repeat(20)]).includes('abcdefghij'));
});

test('a secret that a mask completes is masked too', () => {
  assert.equal(scrubMessage('q-kXYZXYZ-b1-tail99', ['XYZXYZ', 'k***-b1', 'q-***-tail99']), '***');
  assert.equal(scrubMessage('see http://node.example', ['see ***']), '***');
});

test('a scrubbed message is one bounded line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 6_000 }), (message) => {
      const scrubbed = scrubMessage(message, []);
      assert.ok(scrubbed.length <= 1_000);
      assert.doesNotMatch(scrubbed, /[\p{Cc}\u2028\u2029\u202e]/u);
    }),
  );
});

test('a text that is too long ends with an ellipsis, a shorter one is unchanged', () => {
  const words = 'word '.repeat(199);
  assert.equal(scrubMessage(`${words}words`, []), `${words}words`);
  assert.equal(scrubMessage(`${words}words.`, []), `${words}word…`);
  assert.equal(scrubMessage(`${words.repeat(100)}`, []), `${words}word…`);
});

test('no prefix of a secret or credential remains at a cut, wherever it is', () => {
  const key = 'Eb9WMf1yew7NYpARcaZZif4NOxMV7LD6';
  const secret = 'node-1.internal:8545';
  for (const masked of ['- ', `${secret} `, 'http://node.example/v3/0123456789 ']) {
    for (const at of [960, 990, 3_960, 3_975, 3_990, 4_000, 15_985, 16_000]) {
      for (const end of [key, secret]) {
        const before = masked.repeat(Math.floor(at / masked.length)).padEnd(at, ' -');
        const scrubbed = scrubMessage(`${before}${end} and more`, [secret]);
        for (const part of [end.slice(0, 8), end.slice(0, 12)]) {
          assert.ok(!scrubbed.includes(part), JSON.stringify([at, end, scrubbed.slice(-40)]));
        }
      }
    }
  }
});

test('maskSecrets masks only the secrets, in a text of any length', () => {
  const text = `see https://other.example ${'word '.repeat(100_000)}`;
  assert.equal(maskSecrets(text, ['abcdef']), text);
  assert.equal(maskSecrets(`${text}ABCdef!`, ['abcdef']), `${text}***!`);
});

test('URLs, addresses and credentials are recognised by their form', () => {
  const seen: readonly (readonly [string, string])[] = [
    ['Post "https://user:pw@node.example/v3/abc?key=1": dial tcp', 'Post "***": dial tcp'],
    ['dial tcp 10.0.0.7:8545: connect: connection refused', 'dial tcp ***: connect: connection refused'],
    ['see wss://node.example/ws/abc.', 'see ***'],
    ['bad Bearer eyJhbGciOi.eyJzdWIi.abc', 'bad ***'],
    ['bad api_key=0123456789', 'bad ***'],
    ['project 0123456789abcdef0123456789abcdef is over its limit', 'project *** is over its limit'],
    ['app Eb9WMf1yew7NYpARcaZZif4NOxMV7LD6 has exceeded', 'app *** has exceeded'],
  ];
  for (const [message, scrubbed] of seen) assert.equal(scrubMessage(message, []), scrubbed);
});

test('text that clients need is unchanged', () => {
  const texts = [
    'err: insufficient funds for gas * price + value: address 0x5B38Da6a701c568545dCfcB03FcB875f56beddC4 have 0 want 21000 (supplied gas 21000)',
    'missing trie node c6ebfa185e24077a555f06caaf4b78d9e0ae9dcb7a693ec753e856f49f55c85c (path )',
    'the method eth_getBlockReceipts does not exist/is not available',
    'gas required exceeds allowance (16777216)',
    'BlockOutOfRangeError: block height is 0 but requested was 65535',
  ];
  for (const text of texts) assert.equal(scrubMessage(text, []), text);
});

test('secrets of a node are the parts of its URL and headers that must not be revealed', () => {
  const secrets = listSecrets(
    new URL('https://al%20ice:s3cr%2Ft@Node-1.example:8545/v3/0123456789abcdef/rpc?apikey=q%2Bery1&x=1#f'),
    {
      authorization: `Basic ${Buffer.from('bob:hunter22').toString('base64')}`,
      'x-api-key': 'header-key',
      'x-auth': 'Bearer tok.en.value',
    },
  );
  for (const part of [
    'node-1.example:8545',
    'node-1.example',
    'al%20ice',
    'al ice',
    's3cr%2Ft',
    's3cr/t',
    '0123456789abcdef',
    'q%2Bery1',
    'q+ery1',
    'bob:hunter22',
    'hunter22',
    'header-key',
    'tok.en.value',
    'Bearer tok.en.value',
  ]) {
    assert.ok(secrets.includes(part), part);
  }
  for (const harmless of ['v3', 'rpc', '1', 'https:', '']) assert.ok(!secrets.includes(harmless), harmless);
});

test('a URL without credentials has only its host as a secret, verbatim and encoded', () => {
  const secrets = listSecrets(new URL('http://localhost:8545/'), {});
  assert.deepEqual(
    secrets.filter((secret) => secret.includes('localhost')),
    ['localhost:8545', 'localhost', 'localhost%3A8545', 'localhost%253A8545'],
  );
  for (const secret of secrets.slice(2)) {
    const decoded = ['hex', 'base64'].map((form) => Buffer.from(secret, form as BufferEncoding).toString());
    assert.ok(
      decoded.some((text) => 'localhost:8545'.includes(text)) || /^[bsx]\S{9,17}$/.test(secret),
      secret,
    );
  }
});

const KEY_URL = new URL('http://10.1.2.3:8545/v1/k3y-0f-the-operator');
const KEY_HEADERS = { 'x-api-key': 'lettersonly' };

test('secrets in base64 and hex are masked anywhere in a longer text', () => {
  const secrets = listSecrets(KEY_URL, KEY_HEADERS);
  for (const secret of ['k3y-0f-the-operator', 'lettersonly']) {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const bytes = Buffer.from(`${before}${secret} and more`);
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        const text = scrubMessage(`seen: ${bytes.toString(form)} by the node`, secrets);
        assert.match(text, /\*\*\*/, `${form} ${before}${secret}`);
        const [, left = ''] = /seen: (\S*) by/.exec(text) ?? [];
        for (const part of left.split('***'))
          assert.ok(!Buffer.from(part, form).toString('latin1').includes(secret.slice(2, -2)), text);
      }
    }
  }
});

test('accounts and hashes are unchanged even if they spell a secret in hex, unless they are one', () => {
  const secrets = listSecrets(KEY_URL, KEY_HEADERS);
  const account = `0x${Buffer.from('lettersonly').toString('hex').padEnd(40, '0')}`;
  const hash = account.padEnd(66, '1');
  const text = `insufficient funds: address ${account} have 0 want 1 in ${hash}`;
  assert.equal(scrubMessage(text, secrets), text);
  assert.equal(scrubMessage(`of ${account}`, [account]), 'of ***');
  assert.match(scrubMessage(`${account}0`, secrets), /\*\*\*/, 'a number of another length may be anything');
});

const USER = 'operator-one';
const HEADERS = {
  ...KEY_HEADERS,
  authorization: `Basic ${Buffer.from(`${USER}:hunter2`).toString('base64')}`,
};

/** Reads the revert that a client receives for a node's error about an execution. */
function readRevert(error: { code: number; message: string; data?: unknown }): string {
  const [secrets, credentials] = [listSecrets(KEY_URL, HEADERS), listCredentials(KEY_URL, HEADERS)];
  const read = readError({ data: undefined, ...error }, 'eth_call', secrets, credentials);
  assert.ok(read instanceof ChainError && read.kind === 'reverted', read.message);
  return String(read.data);
}

test('a revert is returned byte for byte, even if it contains a host, a user name or a short password', () => {
  const guesses = ['10.1.2.3', '10.1.2.3:8545', '10.1.2.4', USER, 'hunter2', 'hunter3'];
  for (const guess of guesses) {
    const data = encodeErrorString(`is it ${guess}?`);
    assert.equal(readRevert({ code: 3, message: `execution reverted: is it ${guess}?`, data }), data);
  }
  const custom = `0x12345678${Buffer.from('lettersonly').toString('hex')}`;
  assert.equal(readRevert({ code: 3, message: 'execution reverted', data: custom }), custom);
});

test('keys in a revert reason are masked in any spelling', () => {
  const keys = [
    'k3y-0f-the-operator',
    'lettersonly',
    Buffer.from('lettersonly').toString('base64').slice(0, 14),
  ];
  for (const key of keys) {
    const data = encodeErrorString(`x-api-key: ${key}.`);
    const masked = encodeErrorString(`x-api-key: ${'*'.repeat(key.length)}.`);
    assert.equal(readRevert({ code: 3, message: 'execution reverted', data }), masked);
  }
  const { href } = KEY_URL;
  const data = readRevert({ code: 3, message: 'execution reverted', data: encodeErrorString(`at ${href}`) });
  assert.equal(data, encodeErrorString(`at http:${'*'.repeat(href.length - 'http:'.length)}`));
});

test('a reason in words is masked like a reason in bytes', () => {
  const said = `10.1.2.3 ${USER} https://docs.example/v1 lettersonly at http://10.1.2.3:8545`;
  const masked = `10.1.2.3 ${USER} https://docs.example/v1 ${'*'.repeat(11)} at http:${'*'.repeat(15)}`;
  for (const error of [
    { code: 3, message: `execution reverted: ${said}` },
    { code: -32000, message: `Execution reverted (${said})` },
    { code: -32015, message: 'VM execution error.', data: `revert: ${said}` },
  ])
    assert.equal(readRevert(error), encodeErrorString(masked));
});

test('a key escaped for a URL or for JSON is masked', () => {
  const key = 'p@ss/w"rd+1 x';
  const url = new URL('https://node.example/rpc');
  url.searchParams.set('k', key);
  const percent = encodeURIComponent(key);
  const json = JSON.stringify(key).slice(1, -1);
  const secrets = listSecrets(url, { 'x-key': key });
  for (const spelling of [key, percent, encodeURIComponent(percent), json, json.replaceAll('/', '\\/')])
    assert.equal(scrubMessage(`refused: <${spelling}>`, secrets), 'refused: <***>', spelling);
});
