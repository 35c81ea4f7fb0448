import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { MAX_AUDIT_BYTES } from '../../src/admin/api/audit-log.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { METRICS } from '../../src/observe/metrics/metric-table.ts';
import { findRoute } from '../../src/server/request-head.ts';
import { parseDuration } from '../../src/util/duration.ts';
import { findProgram } from './find-program.ts';

const ENVIRONMENT = {
  NODE_URL: 'http://127.0.0.1:8546',
  VALKEY_URL: 'redis://valkey:6379',
  ADMIN_KEY: 'a-key-of-some-length',
};
const SECOND = 1_000;

/** Parsed file of another program, read one value at a time: the library gives no types for it. */
type Document = ReturnType<typeof parse>;

const readText = (file: string): string => readFileSync(join('deploy', file), 'utf8');
const readYaml = (file: string): Document => parse(readText(file));

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-deploy-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function checkWith(t: TestContext, name: string, args: readonly string[]): void {
  const program = findProgram(name);
  if (program === undefined) {
    t.skip(`${name} is not installed: its configuration is not checked`);
    return;
  }
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

/** Lists the variables that a configuration names, in its order. */
const listVariables = (file: string): string[] => [
  ...new Set([...readText(file).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name as string)),
];

/** Maximum duration of a stop, milliseconds. */
const stopTime = ({ limits }: Config): number => limits.drainDelay + limits.drainTimeout;

/** Reads the duration of a setting such as `timeout server 35s`. */
function readSetting(text: string, name: string): number {
  const value = new RegExp(`^\\s*${name}\\s+([\\d.]+(?:ms|s|m)?);?$`, 'm').exec(text)?.[1];
  assert.ok(value !== undefined, `${name} is set`);
  return parseDuration(value);
}

test('HAProxy accepts its configuration', (t) =>
  checkWith(t, 'haproxy', ['-c', '-f', 'deploy/haproxy/haproxy.cfg']));

test('timeouts of HAProxy fit those of the service', async () => {
  const text = readText('haproxy/haproxy.cfg');
  const { limits, listen } = await loadConfig('deploy/portcullis.yaml', ENVIRONMENT);
  assert.ok(text.includes(`portcullis:${listen.port}`));
  assert.ok(readSetting(text, 'timeout server') > limits.requestTimeout);
  assert.ok(readSetting(text, 'timeout tunnel') > 2 * limits.webSocketPing);
  assert.ok(readSetting(text, 'timeout http-request') <= limits.headersTimeout);
  const [, interval, fall] = /inter (\d+)s fall (\d+)/.exec(text) ?? [];
  assert.ok(
    Number(interval) * Number(fall) * SECOND < limits.drainDelay,
    'it notices before the drain begins',
  );
  const [, purge] = /pool-purge-delay (\d+)s/.exec(text) ?? [];
  assert.ok(Number(purge) * SECOND < limits.keepAliveTimeout);
  assert.equal(findRoute(/meth GET uri (\S+)/.exec(text)?.[1] ?? '').to, 'ready');
  assert.match(text, /^\s*option forwardfor$/m);
});

test('nginx accepts its configuration', (t) => {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'logs'));
  const file = join(folder, 'nginx.conf');
  const include = join(folder, 'portcullis.conf');
  writeFileSync(include, readText('nginx/portcullis.conf').replace('/var/log/nginx', folder));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const http = `access_log off; ${temporary.join(' ')} include ${include};`;
  writeFileSync(file, `pid ${folder}/pid; error_log stderr; events {} http { ${http} }`);
  checkWith(t, 'nginx', ['-t', '-p', folder, '-c', file]);
});

test('timeouts of nginx fit those of the service', async () => {
  const text = readText('nginx/portcullis.conf');
  const { limits } = await loadConfig('deploy/portcullis.yaml', ENVIRONMENT);
  assert.ok(
    readSetting(text, 'proxy_read_timeout') > Math.max(limits.requestTimeout, 2 * limits.webSocketPing),
  );
  assert.ok(readSetting(text.slice(text.indexOf('upstream')), 'keepalive_timeout') < limits.keepAliveTimeout);
  const megabytes = Number(/client_max_body_size (\d+)m;/.exec(text)?.[1]);
  assert.equal(megabytes * 1024 * 1024, limits.bodyBytes);
  for (const line of [
    'proxy_http_version 1.1;',
    'proxy_set_header Upgrade $http_upgrade;',
    'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    'proxy_set_header Host $http_host;',
  ]) {
    assert.ok(text.includes(line), line);
  }
});

test('systemd accepts the unit', (t) => {
  const folder = createFolder(t);
  const file = join(folder, 'portcullis.service');
  // systemd-analyze checks that the program exists.
  writeFileSync(file, readText('systemd/portcullis.service').replace('/usr/bin/node', process.execPath));
  checkWith(t, 'systemd-analyze', ['verify', file]);
});

test('the unit allows enough time for a stop, reload by SIGHUP, enough file descriptors, and JIT memory', async () => {
  const text = readText('systemd/portcullis.service');
  const { limits } = await loadConfig('deploy/kubernetes/portcullis.yaml', ENVIRONMENT);
  const settings = new Map(
    text
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  assert.ok(parseDuration(settings.get('TimeoutStopSec') ?? '') > limits.drainDelay + limits.drainTimeout);
  assert.equal(settings.get('MemoryDenyWriteExecute'), 'no');
  assert.match(settings.get('ExecReload') ?? '', /kill -HUP \$MAINPID/);
  assert.ok(Number(settings.get('LimitNOFILE')) > 2 * (limits.connections + limits.webSockets));
  const [, script = '', command] = (settings.get('ExecStart') ?? '').split(' ');
  const [install] = text.match(/npm install --global --prefix \S+/) ?? [''];
  assert.ok(readFileSync('docs/deployment.md', 'utf8').includes(install), install);
  const root = `${install.split(' ').at(-1)}/lib/node_modules/portcullis/`;
  const manual = new URL(text.match(/file:\/\/\S+/)?.[0] ?? '').pathname;
  for (const path of [script, manual]) {
    assert.ok(path.startsWith(root), path);
    assert.ok(existsSync(path.slice(root.length)), path);
  }
  assert.equal(command, 'serve');
  // A key that is created elsewhere does not open the service.
  const folder = /PORTCULLIS_DATA_DIR=(\S+)/.exec(settings.get('Environment') ?? '')?.[1];
  assert.ok(text.includes(`portcullis keys create --data ${folder} `));
});

test('services of the compose file reference existing services and files, and have enough time to stop', async () => {
  const { services, volumes, secrets } = readYaml('compose.yaml');
  const { portcullis } = services;
  const environment = portcullis.environment;
  const config = await loadConfig('deploy/portcullis.yaml', {
    ...ENVIRONMENT,
    VALKEY_URL: environment.VALKEY_URL,
  });
  for (const [name, service] of Object.entries<Document>(services)) {
    const others = Array.isArray(service.depends_on)
      ? service.depends_on
      : Object.keys(service.depends_on ?? {});
    for (const other of others) assert.ok(other in services, `${name} depends on ${other}`);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = String(volume).split(':');
      assert.ok(source.startsWith('./') ? existsSync(join('deploy', source)) : source in volumes, source);
    }
  }
  assert.deepEqual(Object.keys(environment).sort(), listVariables('portcullis.yaml').sort());
  assert.ok(portcullis.deploy.replicas > 1);
  assert.ok(parseDuration(portcullis.stop_grace_period) > stopTime(config));
  assert.equal(portcullis.build.context, '..');
  for (const url of [config.cache.redis?.url, config.access.valkey?.url])
    assert.ok(new URL(url ?? '').hostname in services, url);
  assert.ok(services.valkey.healthcheck, 'is waited for');
  assert.equal(config.workers, 'auto');
  for (const [, name] of Object.entries<Document>(secrets)) assert.ok(name.environment in environment);
  const [published] = services.proxy.ports;
  assert.ok(readText('haproxy/haproxy.cfg').includes(`bind :${String(published).split(':')[1]}`));
});

test('the compose file runs Valkey with persistence, and without eviction of keys that do not expire', () => {
  const { command } = readYaml('compose.yaml').services.valkey;
  const readOption = (name: string): string => command[command.indexOf(name) + 1];
  assert.equal(readOption('--appendonly'), 'yes');
  assert.match(readOption('--maxmemory-policy'), /^volatile-/);
});

test('Prometheus accepts its configuration', (t) =>
  checkWith(t, 'promtool', ['check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yaml']));

test('Prometheus scrapes the metrics of every container with the admin key', async () => {
  const { services, secrets } = readYaml('compose.yaml');
  const config = await loadConfig('deploy/portcullis.yaml', ENVIRONMENT);
  const [job] = readYaml('prometheus/prometheus.yaml').scrape_configs;
  const [{ names, port, type }] = job.dns_sd_configs;
  assert.deepEqual([job.metrics_path, type], ['/metrics', 'A']);
  assert.ok(names.every((name: string) => name in services));
  const admin = config.admin || assert.fail('it is on');
  assert.deepEqual([admin.host, admin.port, admin.key], ['0.0.0.0', port, ENVIRONMENT.ADMIN_KEY]);
  const secret = /^\/run\/secrets\/(\w+)$/.exec(job.authorization.credentials_file)?.[1] ?? '';
  assert.ok(services.prometheus.secrets.includes(secret));
  assert.equal(secrets[secret].environment, 'ADMIN_KEY');
});

/** Reads all objects that `kubectl apply -k` would make, except those that kustomize generates. */
function readObjects(): Document[] {
  const { resources } = readYaml('kubernetes/kustomization.yaml');
  return (resources as string[]).flatMap((file) =>
    parseAllDocuments(readText(`kubernetes/${file}`)).map((document) => {
      assert.deepEqual(document.errors, [], file);
      return document.toJS();
    }),
  );
}

test('kustomize accepts the manifests', (t) => checkWith(t, 'kubectl', ['kustomize', 'deploy/kubernetes']));

test('probes request existing routes, and the grace period of a pod exceeds the stop time', async () => {
  const config = await loadConfig('deploy/kubernetes/portcullis.yaml', ENVIRONMENT);
  const { spec } = readObjects().find(({ kind }) => kind === 'Deployment').spec.template;
  const [container] = spec.containers;
  const ports = new Map<string, number>(
    container.ports.map((port: Document) => [port.name, port.containerPort]),
  );
  assert.equal(ports.get('rpc'), config.listen.port);
  for (const [probe, route] of [
    ['startupProbe', 'live'],
    ['livenessProbe', 'live'],
    ['readinessProbe', 'ready'],
  ] as const) {
    const { path, port } = container[probe].httpGet;
    assert.equal(findRoute(path).to, route);
    assert.equal(port, 'rpc');
  }
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  assert.ok(periodSeconds * failureThreshold * SECOND < config.limits.drainDelay);
  assert.ok(spec.terminationGracePeriodSeconds * SECOND > stopTime(config));
  const volumes = new Set(spec.volumes.map((volume: Document) => volume.name));
  for (const { name, subPath } of container.volumeMounts) {
    assert.ok(volumes.has(name), name);
    assert.equal(subPath, undefined, 'a changed ConfigMap would not come');
  }
  const named = container.env.map((variable: Document) => variable.name);
  assert.deepEqual(named.sort(), listVariables('kubernetes/portcullis.yaml').sort());
  const admin = config.admin || assert.fail('it is on');
  assert.deepEqual([admin.host, admin.port], ['0.0.0.0', ports.get('admin')]);
  assert.equal(admin.key, ENVIRONMENT.ADMIN_KEY);
  assert.ok(config.access.valkey !== undefined, 'pods have no disk in common');
  assert.equal(config.workers, 1);
});

test('the Kubernetes objects reference each other consistently', () => {
  const objects = readObjects();
  const of = (kind: string): Document[] => objects.filter((object) => object.kind === kind);
  const [deployment] = of('Deployment');
  const { metadata, spec } = deployment.spec.template;
  const selectors = [
    deployment.spec.selector.matchLabels,
    ...of('Service').map((service) => service.spec.selector),
    ...of('PodDisruptionBudget').map((budget) => budget.spec.selector.matchLabels),
    ...of('NetworkPolicy').map((policy) => policy.spec.podSelector.matchLabels),
  ];
  assert.equal(selectors.length, 5);
  for (const selector of selectors) assert.deepEqual(selector, metadata.labels);
  const ports = spec.containers[0].ports.map((port: Document) => port.name);
  const targets = of('Service').flatMap((service) =>
    service.spec.ports.map((port: Document) => port.targetPort),
  );
  const allowed = of('NetworkPolicy').flatMap(({ spec: { ingress } }) =>
    ingress.flatMap((rule: Document) => rule.ports.map((port: Document) => port.port)),
  );
  for (const port of [...targets, ...allowed]) assert.ok(ports.includes(port), port);
  const [scaler] = of('HorizontalPodAutoscaler');
  assert.equal(scaler.spec.scaleTargetRef.name, deployment.metadata.name);
  const metric = scaler.spec.metrics.find((row: Document) => row.type === 'Pods').pods.metric.name;
  const [rule] = readYaml('kubernetes/prometheus-adapter.yaml').rules.custom;
  assert.equal(rule.name.as, metric);
  assert.ok(rule.seriesQuery.startsWith(`${metric}{`));
  const [, summed = ''] = /__name__=~"([^"]+)"/.exec(rule.metricsQuery) ?? [];
  const gauges = METRICS.filter(({ type, merge }) => type === 'gauge' && merge === 'sum').map(
    ({ name }) => name,
  );
  assert.deepEqual(
    gauges.filter((name) => /queue_depth/.test(name)).sort(),
    summed.split('|').sort(),
    'all that is reported of waiting',
  );
  assert.ok(gauges.includes(metric));
  const kustomization = readYaml('kubernetes/kustomization.yaml');
  const [generated] = kustomization.configMapGenerator;
  assert.equal(kustomization.generatorOptions.disableNameSuffixHash, true, 'pods are not replaced');
  const config = spec.volumes.find((volume: Document) => volume.name === 'config');
  assert.equal(config.configMap.name, generated.name);
  const adminRules = of('NetworkPolicy')[0].spec.ingress.filter((row: Document) =>
    row.ports.some((port: Document) => port.port === 'admin'),
  );
  const monitor = readYaml('kubernetes/service-monitor.yaml').spec;
  const [endpoint] = monitor.endpoints;
  const [scraped] = of('Service').filter((service) =>
    Object.entries(monitor.selector.matchLabels).every(
      ([key, value]) => service.metadata.labels[key] === value,
    ),
  );
  assert.equal(scraped.spec.ports[0].name, endpoint.port);
  assert.equal(endpoint.path, '/metrics');
  const adminKey = spec.containers[0].env.find((variable: Document) => variable.name === 'ADMIN_KEY');
  assert.deepEqual(endpoint.authorization.credentials, adminKey.valueFrom.secretKeyRef);
  const described = readText('kubernetes/secrets.md');
  for (const { valueFrom } of spec.containers[0].env) {
    const { name, key } = valueFrom.secretKeyRef;
    assert.ok(described.includes(`${name} --from-literal=${key}=`), name);
  }
  assert.ok(adminRules.length > 0 && adminRules.every((row: Document) => row.from.length > 0));
});

test('networks of the examples have a chain id, so that one node that is down does not keep them down', async () => {
  for (const file of ['portcullis.yaml', 'kubernetes/portcullis.yaml']) {
    const { networks } = await loadConfig(`deploy/${file}`, ENVIRONMENT);
    for (const [name, { pool }] of Object.entries(networks)) assert.ok(pool?.chainId, `${file}: ${name}`);
  }
});

test('data folders of containers have twice the room of the audit log', () => {
  const [deployment] = parseAllDocuments(readText('kubernetes/deployment.yaml')).map(
    (document) => document.toJS() as Document,
  );
  const volumes: readonly Document[] = deployment.spec.template.spec.volumes;
  const sizes = [
    volumes.find(({ name }) => name === 'data').emptyDir.sizeLimit,
    readYaml('helm/portcullis/values.yaml').data.sizeLimit,
    readYaml('compose.yaml')
      .services.portcullis.tmpfs.find((row: string) => row.startsWith('/data:'))
      .split('size=')[1],
  ];
  for (const size of sizes) {
    const [, megabytes] = /^(\d+)(?:Mi|m)$/.exec(size) ?? [];
    assert.ok(Number(megabytes) * 1024 * 1024 >= 2 * MAX_AUDIT_BYTES, size);
  }
});
