/** The documents that are generated from the schemas of the options, and the JSON Schema for editors. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { renderConfigPage, renderConfigSchema, renderExampleConfig } from '../../scripts/docs/config-docs.ts';
import { ROOT } from '../../scripts/program-files.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { listOptions, readJsonSchema } from '../../src/config/json-schema.ts';
import { parseConfig } from '../../src/config/load-config.ts';

const HINT = 'run: npm run docs';

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

test('docs/configuration.md matches the options', () => {
  assert.equal(read('docs/configuration.md'), renderConfigPage(), HINT);
});

test('docs/portcullis.schema.json matches the options', () => {
  assert.equal(read('docs/portcullis.schema.json'), renderConfigSchema(), HINT);
});

test('portcullis.example.yaml matches the options', () => {
  assert.equal(read('portcullis.example.yaml'), renderExampleConfig(), HINT);
});

test('every option has a description, and a place in the example', () => {
  const example = read('portcullis.example.yaml');
  for (const { path, schema } of listOptions()) {
    assert.match(schema.description ?? '', /^[A-Z].*\.$/, path);
    // These are alternatives of options that the example has.
    if (
      /\.(anchor\.(registry|oracle)|tags\.(safe|finalized)|private\.(headers|bearer)|development)$/.test(path)
    )
      continue;
    const key = path.split('.').at(-1);
    assert.match(example, new RegExp(`[ {#\n]${key}:`), path);
  }
});

function createValidator(schema: object): ValidateFunction {
  return new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
}

const validate = createValidator(JSON.parse(read('docs/portcullis.schema.json')));
/** Documents show parts of a configuration. */
const { required: _, ...partial } = JSON.parse(read('docs/portcullis.schema.json'));
const validatePart = createValidator(partial);

function findFaults(isValid: ValidateFunction, value: unknown): string | undefined {
  return isValid(value) ? undefined : JSON.stringify(isValid.errors);
}

for (const file of [
  'portcullis.example.yaml',
  'deploy/portcullis.yaml',
  'deploy/kubernetes/portcullis.yaml',
]) {
  test(`${file} validates against the JSON Schema`, () => {
    assert.equal(findFaults(validate, parse(read(file))), undefined);
  });
}

test('every YAML example of the documents validates against the JSON Schema', () => {
  const documents = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
  let examples = 0;
  for (const document of documents.filter((name) => name.endsWith('.md'))) {
    for (const [, text = ''] of read(document).matchAll(/^ *```yaml\n(.*?)^ *```/gms)) {
      const value = parse(text.replaceAll(/0x(…|\.\.\.)/g, `0x${'0'.repeat(64)}`));
      if (value === null) continue;
      examples++;
      // A part begins at the top, in `networks`, or in one network.
      const forms = [value, { networks: value }, { networks: { a: value } }];
      const faults = forms.map((form) => findFaults(validatePart, form));
      assert.ok(faults.includes(undefined), `${document}:\n${text}\n${faults.join('\n')}`);
    }
  }
  assert.ok(examples >= 20, `${examples} examples`);
});

test('unset options of the example are valid when they are set', () => {
  const text = read('portcullis.example.yaml')
    .replaceAll(/^( *)#(?=\S)/gm, '$1')
    .replace('"0x..."', `"0x${'0'.repeat(64)}"`);
  assert.equal(findFaults(validate, parse(text)), undefined);
});

type Path = readonly (string | number)[];

/** Returns the paths of all maps in a value. */
function listMaps(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => listMaps(item, [...path, i]));
  if (typeof value !== 'object' || value === null) return [];
  return [path, ...Object.entries(value).flatMap(([key, item]) => listMaps(item, [...path, key]))];
}

test('an unknown name fails in every map of the example except maps whose names operators choose', () => {
  const example = parse(read('portcullis.example.yaml'));
  const maps = listMaps(example).filter((path) => path.join('.') !== 'networks');
  assert.ok(maps.length > 20);
  for (const path of maps) {
    const copy = structuredClone(example);
    let map = copy;
    for (const key of path) map = map[key];
    map['zzz'] = 1;
    assert.ok(!validate(copy), `zzz is accepted in ${path.join('.')}`);
  }
});

/** Values of a network's or the service's options, and whether they are valid for both the JSON Schema and the service. */
const rows: readonly (readonly [text: string, isValid: boolean])[] = [
  ['limits: { bodyBytes: 5MB }', true],
  ['limits: { bodyBytes: 5 mib }', true],
  ['limits: { bodyBytes: 5 megs }', false],
  ['limits: { bodyBytes: "5" }', false],
  ['limits: { bodyBytes: 0 }', false],
  ['limits: { queueWait: 5 min }', true],
  ['limits: { queueWait: 5 }', false],
  ['limits: { queueWait: 5 weeks }', false],
  ['listen: { port: 65536 }', false],
  ['admin: false', true],
  ['admin: true', false],
  ['admin: { key: short }', false],
  [`admin: { key: "\${KEY}" }`, true],
  ['workers: auto', true],
  ['workers: all', false],
  ['log: { level: loud }', false],
];
for (const [text, isValid] of rows) {
  test(`the JSON Schema and the service ${isValid ? 'accept' : 'refuse'}: ${text}`, () => {
    const file = `networks: { a: { builtin: devnet } }\n${text}\n`;
    assert.equal(validate(parse(file)), isValid);
    const load = () =>
      parseConfig(file, { name: 'p', folder: '/', environment: { KEY: '0123456789abcdef' } });
    if (isValid) load();
    else assert.throws(load, ConfigError);
  });
}

test('a node may be a URL, or a map with a variable', () => {
  const nodes = (row: unknown): unknown => ({ networks: { a: { upstreams: [row] } } });
  assert.equal(findFaults(validate, nodes('http://127.0.0.1:8546')), undefined);
  assert.equal(findFaults(validate, nodes({ url: 'http://127.0.0.1', bearer: `\${TOKEN}` })), undefined);
  assert.ok(!validate(nodes({ ulr: 'http://127.0.0.1' })));
  assert.ok(!validate(nodes(1)));
  assert.equal(readJsonSchema().properties?.['networks']?.description?.startsWith('Networks by name.'), true);
});
