import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

/** Schema of the Compose specification, from compose-go v2.9.0 (Apache-2.0). */
const SCHEMA = 'test/deploy/compose-spec/schema.json';

/** Returns a validator for the schema. It does not check the formats of strings. */
function createComposeValidator(): (file: unknown) => string[] {
  // Removes the address of the draft, which the validator knows under another address, and the names of definitions.
  const isName = (key: string, value: unknown): boolean =>
    (key === 'id' || key === '$schema') && typeof value === 'string';
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'), (key, value) =>
    isName(key, value) ? undefined : value,
  );
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  return (value) =>
    validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

test('the schema of the Compose specification accepts the compose file, and no unknown or malformed option', () => {
  const listFaults = createComposeValidator();
  const file = parse(readFileSync('deploy/compose.yaml', 'utf8'));
  assert.deepEqual(listFaults(file), []);
  file.services.portcullis.readonly = true;
  file.services.valkey.healthcheck.interval = 5;
  const faults = listFaults(file).join('\n');
  assert.match(faults, /\/services\/portcullis must NOT have additional properties/);
  assert.match(faults, /\/services\/valkey\/healthcheck\/interval must be string/);
});
