import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const PARSER = new URL('../../../src/pool/transport/http-parser.js', import.meta.url).href;
const BYTES = createRequire(import.meta.url).resolve('undici/lib/llhttp/llhttp_simd-wasm.js');

/** Parses enough heads for V8 to optimize, then prints whether the parser still runs code of the baseline compiler. */
const PARSE = `
  const { createRequire } = await import('node:module');
  const bytes = createRequire(${JSON.stringify(BYTES)})(${JSON.stringify(BYTES)});
  const names = ['url', 'status', 'message_begin', 'header_field', 'header_value', 'headers_complete', 'body', 'message_complete'];
  const env = Object.fromEntries(names.map((name) => ['wasm_on_' + name, () => 0]));
  const llhttp = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports;
  const head = Buffer.from('HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: 2\\r\\n\\r\\n{}');
  const parser = llhttp.llhttp_alloc(2);
  const at = llhttp.malloc(head.length);
  new Uint8Array(llhttp.memory.buffer).set(head, at);
  for (let turn = 0; turn < 100_000; turn++)
    if (llhttp.llhttp_execute(parser, at, head.length) !== 0) throw new Error('a head that is not read');
  const isBaseline = () => %IsLiftoffFunction(llhttp.llhttp_execute);
  for (let tenths = 0; isBaseline() && tenths < TENTHS; tenths++) await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(isBaseline());
`;
const COMPILE = `(await import(${JSON.stringify(PARSER)})).compileHttpParser();`;

/** @param tenths tenths of a second for V8 to optimize on a thread of its own */
function parse(before: string, tenths: number): string {
  const script = `${before}\nconst TENTHS = ${tenths};${PARSE}`;
  const options = ['--allow-natives-syntax', '--input-type=module', '-e', script];
  return execFileSync(process.execPath, options, { encoding: 'utf8' }).trim();
}

test('compileHttpParser keeps the parser of the HTTP client at the code of the baseline compiler', () => {
  assert.equal(parse(COMPILE, 10), 'true');
  assert.equal(parse('', 300), 'false', 'the client by itself: V8 optimizes');
});
