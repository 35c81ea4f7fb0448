import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminOptions } from '../../src/admin/options.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { parseConfig } from '../../src/config/load-config.ts';

const KEY = '0123456789abcdef';
/** Reference to an environment variable in a configuration file. */
const FROM_ENVIRONMENT = ['$', '{ADMIN_KEY}'].join('');

function parse(
  admin: string,
  environment: Record<string, string> = {},
): AdminOptions | false | readonly string[] {
  const text = `networks: { a: { hosts: [a.localhost], builtin: devnet } }\n${admin}\n`;
  try {
    return parseConfig(text, { name: 'p.yaml', folder: '/etc/portcullis', environment }).admin;
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.lines;
  }
}

const rows: readonly {
  readonly name: string;
  readonly text?: string;
  readonly environment?: Record<string, string>;
  readonly expected: AdminOptions | false | readonly string[];
}[] = [
  { name: 'nothing: on loopback, port not chosen', expected: { host: '127.0.0.1' } },
  { name: 'off', text: 'admin: false', expected: false },
  { name: 'a port', text: 'admin: { port: 9000 }', expected: { host: '127.0.0.1', port: 9_000 } },
  { name: 'loopback in IPv6', text: 'admin: { host: "::1" }', expected: { host: '::1' } },
  {
    name: 'beyond loopback with a key',
    text: `admin: { host: 0.0.0.0, key: ${KEY} }`,
    expected: { host: '0.0.0.0', key: KEY },
  },
  {
    name: 'a key of the environment',
    text: `admin: { host: 0.0.0.0, key: "${FROM_ENVIRONMENT}" }`,
    environment: { ADMIN_KEY: KEY },
    expected: { host: '0.0.0.0', key: KEY },
  },
  {
    name: 'a key that the environment does not have',
    text: `admin: { key: "${FROM_ENVIRONMENT}" }`,
    expected: ['p.yaml:2: admin.key: the environment has no variable ADMIN_KEY'],
  },
  {
    name: 'beyond loopback without a key',
    text: 'admin: { host: 0.0.0.0 }',
    expected: ['p.yaml:2: admin.host: an address other than loopback needs admin.key'],
  },
  {
    name: 'a host that only looks like loopback',
    text: 'admin: { host: 127.0.0.1.example.org }',
    expected: ['p.yaml:2: admin.host: an address other than loopback needs admin.key'],
  },
  {
    name: 'a short key',
    text: 'admin: { key: short }',
    expected: ['p.yaml:2: admin.key: expected at least 16 characters'],
  },
  {
    name: 'a key with a space',
    text: 'admin: { key: "0123456789 abcdef" }',
    expected: ['p.yaml:2: admin.key: expected visible ASCII without spaces'],
  },
  {
    name: 'an unknown key',
    text: 'admin: { prot: 1 }',
    expected: ['p.yaml:2: admin.prot: unknown key, did you mean port?'],
  },
  {
    name: 'true',
    text: 'admin: true',
    expected: ['p.yaml:2: admin: expected false, or a map of host, port, key and api'],
  },
  {
    name: 'tokens of the Admin API from the environment',
    text: `admin: { api: { ci: { role: read, token: "${FROM_ENVIRONMENT}" } } }`,
    environment: { ADMIN_KEY: KEY },
    expected: { host: '127.0.0.1', api: { ci: { role: 'read', token: KEY } } },
  },
  {
    name: 'a token that the environment does not have',
    text: `admin: { api: { ci: { role: read, token: "${FROM_ENVIRONMENT}" } } }`,
    expected: ['p.yaml:2: admin.api.ci.token: the environment has no variable ADMIN_KEY'],
  },
  {
    name: 'a short token of the Admin API',
    text: 'admin: { api: { ci: { role: read, token: short } } }',
    expected: ['p.yaml:2: admin.api.ci.token: expected at least 16 characters'],
  },
  {
    name: 'an unknown role',
    text: `admin: { api: { ci: { role: admin, token: ${KEY} } } }`,
    expected: ['p.yaml:2: admin.api.ci.role: expected read or write'],
  },
  {
    name: 'an Admin API without credentials',
    text: 'admin: { api: {} }',
    expected: ['p.yaml:2: admin.api: expected at least one credential'],
  },
  {
    name: 'two credentials with one token',
    text: `admin: { api: { a: { role: read, token: ${KEY} }, b: { role: write, token: ${KEY} } } }`,
    expected: ['p.yaml:2: admin.api: two credentials have the same token: expected one token for each'],
  },
  {
    name: 'a credential with the key of the page',
    text: `admin: { key: ${KEY}, api: { a: { role: read, token: ${KEY} } } }`,
    expected: ['p.yaml:2: admin.api: a credential has the token of admin.key: expected another token'],
  },
  {
    name: 'a port of the environment',
    text: `admin: { port: 1, key: ${KEY} }`,
    environment: { PORTCULLIS_ADMIN_PORT: '9001' },
    expected: { host: '127.0.0.1', port: 9_001, key: KEY },
  },
  {
    name: 'a port of the environment over off',
    text: 'admin: false',
    environment: { PORTCULLIS_ADMIN_PORT: '0' },
    expected: { host: '127.0.0.1', port: 0 },
  },
  { name: 'off by the environment', environment: { PORTCULLIS_ADMIN_PORT: 'off' }, expected: false },
  {
    name: 'an empty variable',
    environment: { PORTCULLIS_ADMIN_PORT: '' },
    expected: { host: '127.0.0.1' },
  },
  {
    name: 'no port in the environment',
    environment: { PORTCULLIS_ADMIN_PORT: 'on' },
    expected: ['PORTCULLIS_ADMIN_PORT: expected a port number from 0 to 65535, or off'],
  },
];

for (const { name, text = '', environment, expected } of rows) {
  test(`admin: ${name}`, () => assert.deepEqual(parse(text, environment), expected));
}
