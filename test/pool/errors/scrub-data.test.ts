/** Error data of nodes and of proxies in front of them, and the spellings of a key in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readError } from '../../../src/pool/errors/read-error.ts';
import { readPassedError } from '../../../src/pool/errors/read-passed-error.ts';
import { encodeErrorString } from '../../../src/pool/errors/revert-data.ts';
import { scrubData } from '../../../src/pool/errors/scrub-data.ts';
import { scrubMessage } from '../../../src/pool/errors/scrub-message.ts';
import { listCredentials, listSecrets } from '../../../src/pool/errors/secrets.ts';

const KEY = 'k3y/of-the"operator+1';
const PASSWORD = 'pa55w';
const TOKEN = 'tok.en-value_9';
const URL_OF_NODE = new URL(`https://bob:${PASSWORD}@node-1.example:8545/v2/${encodeURIComponent(KEY)}`);
const HEADERS = { 'x-api-key': TOKEN, authorization: `Basic ${toBase64('alice:h1dd')}` };
const SECRETS = listSecrets(URL_OF_NODE, HEADERS);
const CREDENTIALS = listCredentials(URL_OF_NODE, HEADERS);
const HIDDEN = [
  KEY,
  `bob:${PASSWORD}`,
  TOKEN,
  'alice:h1dd',
  'node-1.example',
  toBase64(`bob:${PASSWORD}`),
  toBase64('alice:h1dd'),
];

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const toUnicode = (text: string): string =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const toPercent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const toEntities = (text: string): string =>
  [...text].map((each) => `&#x${each.charCodeAt(0).toString(16)};`).join('');
const quote = (text: string): string => JSON.stringify(text).slice(1, -1);

const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'percent, lower case': (text) => encodeURIComponent(text).toLowerCase(),
  'percent, upper case': (text) => encodeURIComponent(text).toUpperCase(),
  'percent, every byte': toPercent,
  'percent, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent, three times': (text) => encodeURIComponent(encodeURIComponent(encodeURIComponent(text))),
  'in JSON': quote,
  'in JSON, twice': (text) => quote(quote(text)),
  'in JSON, three times': (text) => quote(quote(quote(text))),
  'in JSON, slashes too': (text) => quote(text).replaceAll('/', '\\/'),
  'in JSON, every character': toUnicode,
  'in JSON, every character, twice': (text) => quote(toUnicode(text)),
  'percent in JSON': (text) => toUnicode(encodeURIComponent(text)),
  'in HTML': toEntities,
  base64: toBase64,
  'base64 in a longer text': (text) => toBase64(`: ${text} and`),
  'base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
};

const PLACES: Readonly<Record<string, (said: string) => unknown>> = {
  'a text': (said) => said,
  'an object': (said) => ({ at: said }),
  'an array': (said) => [1, [said]],
  'a name of a member': (said) => ({ [said]: 1 }),
  'the error of the node behind': (said) => ({ error: { code: -32000, message: `at ${said}`, data: null } }),
  'errors in errors': (said) => ({ error: { data: { originalError: { cause: [{ message: said }] } } } }),
  'a text of JSON': (said) => JSON.stringify({ error: { message: `at ${said}` } }),
  'a text of JSON in one': (said) => JSON.stringify({ body: JSON.stringify({ error: { message: said } }) }),
  'a text of JSON in an object': (said) => ({ body: JSON.stringify([said]) }),
  'JSON inside of words': (said) => `the node said ${JSON.stringify({ message: said })} to it`,
  'JSON with a member twice': (said) => `{"a":${JSON.stringify(said)},"a":1}`,
  'a text of JSON that is cut short': (said) => `${JSON.stringify({ message: said })}`.slice(0, -1),
};

/** All decodings of a text, with its escapes decoded repeatedly. */
function read(value: unknown): string {
  let text = JSON.stringify(value) ?? '';
  const seen = [text];
  for (let level = 0; level < 8; level++) {
    text = text
      .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\(["\\/])/g, '$1');
    seen.push(text);
  }
  for (const run of text.match(/[\w+/=-]{8,}/g) ?? [])
    for (const form of ['base64', 'base64url', 'hex'] as const)
      for (const skip of [0, 1, 2, 3]) seen.push(Buffer.from(run.slice(skip), form).toString('latin1'));
  return seen.join('\n').toLowerCase();
}

for (const [spelling, spell] of Object.entries(SPELLINGS))
  test(`a key is masked everywhere: ${spelling}`, () => {
    for (const [place, put] of Object.entries(PLACES))
      for (const hidden of HIDDEN) {
        const data = put(spell(hidden));
        const error = readPassedError(
          { code: -32602, message: `no: ${JSON.stringify(data)}`, data },
          'debug_traceCall',
          SECRETS,
          CREDENTIALS,
        );
        assert.ok('nodeData' in error, `${error}`);
        assert.notEqual(error.nodeData, undefined, place);
        for (const shown of [error.nodeData, error.message])
          assert.ok(!read(shown).includes(hidden.toLowerCase()), `${place}: ${JSON.stringify(shown)}`);
      }
  });

test('URLs of other nodes with credentials are masked', () => {
  const said = 'https://eth.example/v2/0123456789abcdefghij';
  for (const [place, put] of Object.entries(PLACES))
    for (const spelled of [said, quote(said).replaceAll('/', '\\/'), encodeURIComponent(said)]) {
      const shown = read(scrubData(put(spelled), [], []));
      assert.ok(!shown.includes('0123456789abcdefghij'), `${place}: ${shown.slice(0, 200)}`);
    }
});

test('a number that equals a key is masked', () => {
  assert.deepEqual(scrubData({ project: 123_456_789, at: 12 }, ['123456789'], []), {
    project: '***',
    at: 12,
  });
});

test('data without secrets is unchanged', () => {
  for (const data of [
    '',
    'words',
    'gas required exceeds allowance (0)',
    7,
    true,
    null,
    [],
    { a: [1, null, 'b', { c: { d: 'e' } }] },
    { address: '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4', 'key%20': '100% of & <b> \\ \\x' },
    '{"code":3,"nested":["a"]}',
  ])
    assert.deepEqual(scrubData(data, SECRETS, CREDENTIALS), data);
});

test('contract bytes are unchanged everywhere, except for a key in a revert reason', () => {
  const custom = `0x12345678${Buffer.from(`${TOKEN} at node-1.example`).toString('hex')}`;
  for (const put of [(data: string) => data, (data: string) => ({ data }), (data: string) => [{ x: data }]]) {
    assert.deepEqual(scrubData(put(custom), SECRETS, CREDENTIALS), put(custom));
    const reason = encodeErrorString(`key ${TOKEN}`);
    const masked = encodeErrorString(`key ${'*'.repeat(TOKEN.length)}`);
    assert.deepEqual(scrubData(put(reason), SECRETS, CREDENTIALS), put(masked));
  }
});

test('an escaped key in a revert reason is masked, and the reason keeps its length', () => {
  for (const spell of [toPercent, toUnicode, (text: string) => quote(quote(text))]) {
    const written = spell(KEY);
    const data = encodeErrorString(`at ${written}!`);
    const error = readError(
      { code: 3, message: 'execution reverted', data },
      'eth_call',
      SECRETS,
      CREDENTIALS,
    );
    assert.ok('data' in error);
    assert.equal(error.data, encodeErrorString(`at ${'*'.repeat(written.length)}!`));
  }
});

test('the length, number and depth of values in data are bounded', () => {
  assert.equal(scrubData(['y'.repeat(64 * 1024)], SECRETS, []), undefined);
  const deep = `${'['.repeat(30_000)}"${TOKEN}"${']'.repeat(30_000)}`;
  const many = JSON.stringify(Array.from({ length: 10_000 }, () => 'a'));
  for (const data of [deep, many, { deep }, [many, TOKEN]]) {
    const shown = JSON.stringify(scrubData(data, SECRETS, []));
    assert.ok(shown.length <= 2 * 64 * 1024 && !shown.includes(TOKEN));
  }
});

test('masking ends for texts of nothing but masks and escapes', () => {
  for (const text of [
    '%2a'.repeat(500),
    '\\u002a'.repeat(500),
    '&#42;'.repeat(500),
    '%'.repeat(900),
    '%25'.repeat(300),
  ])
    assert.ok(scrubMessage(text, ['****', '%2a%2a', 'a***']).length <= 1_000);
});
