/** Shipped configuration examples, which operators copy. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Directives of a file, without comments. */
function readLines(file: string): string {
  return readFileSync(file, 'utf8').replace(/^\s*#.*$/gm, '');
}

test('the shipped proxy configurations log no paths, which contain keys', () => {
  const haproxy = readLines('deploy/haproxy/haproxy.cfg');
  assert.doesNotMatch(haproxy, /option\s+(httplog|httpslog|tcplog)/);
  const format = /log-format "(.*)"/.exec(haproxy)?.[1] ?? '';
  assert.match(format, /%ST/);
  // Variables of the request line, paths, queries and captured headers.
  assert.doesNotMatch(format, /%(\{[^}]*\})?(r|HU|HP|HPO|HQ|hr|hs)\b|path|url/);
  const nginx = readLines('deploy/nginx/portcullis.conf');
  assert.match(nginx, /access_log off;/);
  assert.match(nginx, /error_log stderr emerg;/);
});
