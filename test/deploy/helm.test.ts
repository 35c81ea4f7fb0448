/** The Helm chart, rendered by Helm with its default values and with each file in `ci`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { MAIN } from '../../scripts/program-files.ts';
import { isLoopbackAddress } from '../../src/admin/loopback.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createCertificate } from '../support/certificate.ts';
import { findRedisProgram, NO_REDIS_REASON, startRedis } from '../support/redis.ts';
import { CASES, ofKind } from './helm-cases.ts';
import { CHART, type KubernetesObject, NO_HELM, renderChart, runHelm } from './helm-program.ts';
import { listManifestFaults } from './manifest-faults.ts';

const SECOND = 1_000;
const ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_URL: 'http://127.0.0.1:8546',
  VALKEY_URL: 'redis://:a-password@valkey:6379',
  ADMIN_KEY: 'a-key-of-some-length',
};

/** Writes the configuration of the ConfigMap to a file, with a certificate of its own if it has TLS. */
function writeConfig(t: TestContext, objects: readonly KubernetesObject[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-helm-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { cert, key } = createCertificate();
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  const [map] = ofKind(objects, 'ConfigMap');
  const file = join(folder, 'portcullis.yaml');
  writeFileSync(file, map.data['portcullis.yaml'].replaceAll('/etc/portcullis-tls/', `${folder}/`));
  return file;
}

test('Helm finds no fault in the chart', { skip: NO_HELM }, () => {
  for (const { args } of CASES) {
    const { status, out, err } = runHelm('lint', '--strict', CHART, ...args);
    assert.equal(status, 0, `${out}${err}`);
  }
});

for (const { name, args } of CASES) {
  test(`the schemas of Kubernetes accept the chart with ${name}`, { skip: NO_HELM }, () => {
    for (const object of renderChart(...args))
      assert.deepEqual(listManifestFaults(object), [], `${object.kind} ${object.metadata.name}`);
  });

  test(`check-config accepts the configuration of the chart with ${name}`, { skip: NO_HELM }, async (t) => {
    const objects = renderChart(...args);
    const file = writeConfig(t, objects);
    const [deployment] = ofKind(objects, 'Deployment');
    const names: string[] = deployment.spec.template.spec.containers[0].env.map(
      (row: KubernetesObject) => row.name,
    );
    const environment = Object.fromEntries(names.map((variable) => [variable, ENVIRONMENT[variable]]));
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'check-config', file], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], PORTCULLIS_DATA_DIR: join(file, '../data'), ...environment },
    });
    assert.equal(status, 0, stderr);
    const { limits } = await loadConfig(file, ENVIRONMENT);
    const { terminationGracePeriodSeconds, containers } = deployment.spec.template.spec;
    assert.ok(terminationGracePeriodSeconds * SECOND > limits.drainDelay + limits.drainTimeout);
    const { periodSeconds, failureThreshold } = containers[0].readinessProbe;
    assert.ok(periodSeconds * failureThreshold * SECOND < limits.drainDelay);
  });
}

test('the chart refuses unknown values and options that it sets itself, and says what to do', {
  skip: NO_HELM,
}, () => {
  for (const [set, message] of [
    ['replicaCount=2', /'replicaCount' not allowed/],
    ['drain.timeoutSeconds=20s', /drain\/timeoutSeconds.*want integer/s],
    ['replicas=2', /more than one replica needs Valkey .*: set valkey\.enabled or secrets\.VALKEY_URL/],
    ['autoscaling.enabled=true', /more than one replica needs Valkey/],
    ['config.limits.drainDelay=2s', /config\.limits\.drainDelay: .* set drain\.delaySeconds/],
    ['config.networks.devnet.builtin=devnet', /config\.networks: .* set networks/],
    [
      'valkey.enabled=true,secrets.VALKEY_URL.name=a,secrets.VALKEY_URL.key=b',
      /two servers: set one of them/,
    ],
    [
      'replicas=2,valkey.enabled=true,data.existingClaim=a',
      /data\.existingClaim is for one replica: pods cannot share a store/,
    ],
  ] as const) {
    assert.throws(() => renderChart('--set', set), message, set);
  }
});

test('the chart generates no secret if all exist, and otherwise one password for Valkey and its clients', {
  skip: NO_HELM,
}, () => {
  const existing = ['--values', join(CHART, 'ci/existing-secrets.yaml')];
  assert.deepEqual(renderChart(...existing), renderChart(...existing));
  assert.deepEqual(ofKind(renderChart(...existing), 'Secret'), []);
  const [, made] = ofKind(renderChart('--set', 'valkey.enabled=true'), 'Secret');
  const { password, url } = made.stringData;
  assert.match(password, /^\w{48}$/);
  assert.equal(new URL(url).password, password);
  assert.ok(made.stringData['valkey.conf'].includes(`\nrequirepass ${password}\n`));
});

test('Valkey accepts its configuration in the chart, and only the password of its clients', {
  skip: NO_HELM || (findRedisProgram() === undefined && NO_REDIS_REASON),
}, async (t) => {
  const made = ofKind(renderChart('--set', 'valkey.enabled=true'), 'Secret')[1].stringData;
  const options = (made['valkey.conf'] as string)
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    // These options have addresses and paths of the pod.
    .filter(([name = '']) => !['bind', 'port', 'dir'].includes(name))
    .flatMap(([name, ...values]) => [`--${name}`, ...values]);
  const server = await startRedis(...options);
  t.after(() => server.close());
  const { Redis } = await import('iovalkey');
  const client = new Redis({ host: '127.0.0.1', port: server.port, password: new URL(made.url).password });
  assert.equal(await client.ping(), 'PONG');
  assert.deepEqual(await client.config('GET', 'maxmemory-policy'), ['maxmemory-policy', 'volatile-ttl']);
  assert.deepEqual(await client.config('GET', 'appendonly'), ['appendonly', 'yes']);
  client.disconnect();
  const stranger = new Redis({ host: '127.0.0.1', port: server.port, lazyConnect: true });
  stranger.on('error', () => {});
  await assert.rejects(stranger.set('key', 'value'), /NOAUTH/);
  stranger.disconnect();
});

test('the commands of docs/deployment.md render the chart', { skip: NO_HELM }, () => {
  const text = readFileSync('docs/deployment.md', 'utf8');
  const commands = [...text.matchAll(/^helm (?:install|upgrade --install) (.*)$/gm)];
  assert.equal(commands.length, 2);
  for (const [command, args = ''] of commands) {
    const { status, err } = runHelm('template', ...args.split(' '), '--kube-version', '1.27.0');
    assert.equal(status, 0, `${command}: ${err}`);
  }
});

test('the notes of the chart name a key that opens its networks', { skip: NO_HELM }, async (t) => {
  for (const { name, args } of CASES) {
    const { listen } = await loadConfig(writeConfig(t, renderChart(...args)), ENVIRONMENT);
    const { status, out, err } = runHelm('install', 'rpc', CHART, '--dry-run=client', ...args);
    assert.equal(status, 0, err);
    const notes = out.slice(out.indexOf('\nNOTES:'));
    assert.equal(/\/v3\/demo\b/.test(notes), isLoopbackAddress(listen.host), name);
    assert.match(notes, /keys create --config \S+ --name my-app/, name);
  }
});

test('versions of the chart, of the kustomization and of the package are equal', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.equal(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')).appVersion, version);
  const kustomization = parse(readFileSync('deploy/kubernetes/kustomization.yaml', 'utf8'));
  assert.equal(kustomization.images[0].newTag, version);
});
