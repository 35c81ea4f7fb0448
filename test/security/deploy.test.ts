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
  const formats = new Map(
    [...nginx.matchAll(/^log_format\s+(\w+)\s+([^;]*);/gm)].map(([, name, text]) => [name, text] as const),
  );
  const logs = [...nginx.matchAll(/\baccess_log\s+\S+\s+(\w+)\b[^;]*;/g)];
  assert.ok(logs.length > 0);
  assert.equal(logs.length, nginx.match(/\baccess_log\b/g)?.length, 'each log has a format of its own');
  for (const [, name] of logs) {
    const variables = [...(formats.get(name) ?? '$request').matchAll(/\$\{?(\w+)/g)].map(
      ([, one = '']) => one,
    );
    assert.ok(variables.includes('status'));
    // Variables of the request line, paths, queries and headers.
    for (const variable of variables)
      assert.doesNotMatch(
        variable,
        /^(request|request_uri|uri|document_uri|args|query_string|request_filename)$|^(arg|http|sent_http|upstream_http)_/,
      );
  }
  assert.match(nginx, /error_log stderr emerg;/);
});
