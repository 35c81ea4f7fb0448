import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from './find-program.ts';
import { parseRendered } from './helm-program.ts';
import { listManifestFaults } from './manifest-faults.ts';

const FOLDER = 'deploy/kubernetes';
/** Files there that are not objects of Kubernetes. */
const OTHERS: ReadonlySet<string> = new Set([
  'kustomization.yaml',
  'portcullis.yaml',
  'prometheus-adapter.yaml',
]);

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.yaml') && !OTHERS.has(file))) {
  test(`the schemas of Kubernetes accept ${name}`, () => {
    const objects = parseRendered(readFileSync(join(FOLDER, name), 'utf8'));
    assert.ok(objects.length > 0);
    for (const object of objects) assert.deepEqual(listManifestFaults(object), []);
  });
}

test('the schemas of Kubernetes accept what kustomize makes of the folder', (t) => {
  const kubectl = findProgram('kubectl');
  if (kubectl === undefined) return t.skip('kubectl is not installed');
  const objects = parseRendered(execFileSync(kubectl, ['kustomize', FOLDER], { encoding: 'utf8' }));
  assert.ok(objects.some(({ kind }) => kind === 'ConfigMap'));
  for (const object of objects) assert.deepEqual(listManifestFaults(object), [], object.kind);
});

test('an unknown, a missing and a malformed field of an object are found', () => {
  const [deployment] = parseRendered(readFileSync(join(FOLDER, 'deployment.yaml'), 'utf8'));
  const faultsAfter = (change: (object: typeof deployment) => void): string[] => {
    const copy = structuredClone(deployment);
    change(copy);
    return listManifestFaults(copy);
  };
  assert.deepEqual(
    faultsAfter((object) => {
      object.spec.template.spec.containers[0].securityContext.readOnlyRootFileSystem = true;
      object.specification = {};
    }),
    [
      'unknown field .specification',
      'unknown field .spec.template.spec.containers.0.securityContext.readOnlyRootFileSystem',
    ],
  );
  const [missing = ''] = faultsAfter((object) => delete object.spec.selector);
  assert.match(missing, /selector/);
  const [malformed = ''] = faultsAfter((object) => {
    object.spec.template.spec.terminationGracePeriodSeconds = '40';
  });
  assert.match(malformed, /terminationGracePeriodSeconds/);
  assert.deepEqual(listManifestFaults({ apiVersion: 'v1', kind: 'Gateway' }), ['no schema for v1 Gateway']);
});
