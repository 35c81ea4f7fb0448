/** The dashboard and the alerts use only existing metrics and their labels. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { METRICS } from '../../src/observe/metrics/metric-table.ts';
import { listFaults } from '../../src/rpc/errors.ts';
import { NO_PROMTOOL, runPromtool } from '../support/promtool.ts';

const DEPLOY = new URL('../../../deploy/', import.meta.url);
const ALERTS = new URL('prometheus/alerts.yaml', DEPLOY).pathname;
const ALERT_TESTS = new URL('prometheus/alerts.test.yaml', DEPLOY).pathname;

type Dashboard = {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
};
type Rules = {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
};

const dashboard = JSON.parse(readFileSync(new URL('grafana/portcullis.json', DEPLOY), 'utf8')) as Dashboard;
const rules = (parse(readFileSync(ALERTS, 'utf8')) as Rules).groups.flatMap((group) => group.rules);
const expressions = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, expr, kind: 'dashboard' })),
  ),
  ...rules.map(({ alert, expr }) => ({ where: alert, expr, kind: 'alert' })),
];

/** Labels of a metric, by each name under which it has samples. */
const LABELS = new Map(
  METRICS.flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? [
          [`${name}_bucket`, [...labels, 'le']] as const,
          [`${name}_sum`, labels] as const,
          [`${name}_count`, labels] as const,
        ]
      : [[name, labels] as const],
  ),
);
const GIVEN_BY_PROMETHEUS = ['instance', 'job'];

for (const { where, expr, kind } of expressions) {
  test(`${kind}, ${where}: ${expr.trim().slice(0, 60)}`, () => {
    const used = [...expr.matchAll(/\b(portcullis_\w+)(?:\{([^}]*)\})?/g)];
    assert.ok(used.length > 0 || expr.startsWith('up{'));
    const known = new Set(GIVEN_BY_PROMETHEUS);
    for (const [, name = '', selector = ''] of used) {
      const labels = LABELS.get(name);
      assert.ok(labels !== undefined, `there is no ${name}`);
      for (const label of labels) known.add(label);
      for (const [, label = ''] of selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
        assert.ok(labels.includes(label), `${name} has no label ${label}`);
      }
    }
    for (const [, list = ''] of expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)) {
      for (const label of list.split(',')) assert.ok(known.has(label.trim()), `no label ${label}`);
    }
    for (const [, outcomes = ''] of expr.matchAll(/outcome=~"([^"]*)"/g)) {
      assert.deepEqual(outcomes.split('|').sort(), [...listFaults()].sort());
    }
  });
}

test('every metric appears on the dashboard', () => {
  const text = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
  const missing = METRICS.filter(({ name }) => !new RegExp(`\\b${name}(_bucket|_count)?\\b`).test(text));
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});

for (const [what, args] of [
  ['are well formed', ['check', 'rules', ALERTS]],
  ['fire when they should, and only then', ['test', 'rules', ALERT_TESTS]],
] as const) {
  test(`the alerts ${what}`, (t) => {
    const verdict = runPromtool(args);
    if (verdict === undefined) t.skip(NO_PROMTOOL);
    else assert.ok(verdict.isFine, verdict.text);
  });
}

test('Prometheus loads only files of rules', () => {
  const { rule_files: patterns } = parse(
    readFileSync(new URL('prometheus/prometheus.yaml', DEPLOY), 'utf8'),
  ) as {
    readonly rule_files: readonly string[];
  };
  const folder = new URL('prometheus/', DEPLOY);
  const loaded = patterns.map((pattern) => {
    assert.doesNotMatch(pattern, /[[\]?\\]/, 'this test expands only *');
    const form = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
    return readdirSync(folder).filter((file) => form.test(file));
  });
  for (const [i, files] of loaded.entries()) assert.ok(files.length > 0, `${patterns[i]} names a file`);
  assert.ok(loaded.flat().includes('alerts.yaml'));
  for (const file of loaded.flat()) {
    const members = Object.keys(parse(readFileSync(new URL(file, folder), 'utf8')) as object);
    assert.deepEqual(members, ['groups'], file);
  }
});

test('promtool accepts the configuration of Prometheus and the files that it names', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-prometheus-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(new URL('prometheus', DEPLOY), folder, { recursive: true });
  const file = join(folder, 'prometheus.yaml');
  const key = join(folder, 'admin-key');
  writeFileSync(key, 'a-key-of-some-length');
  writeFileSync(file, readFileSync(file, 'utf8').replace('/run/secrets/admin_key', key));
  const verdict = runPromtool(['check', 'config', file]);
  if (verdict === undefined) t.skip(NO_PROMTOOL);
  else assert.ok(verdict.isFine, verdict.text);
});

test('every alert is tested', () => {
  const text = readFileSync(ALERT_TESTS, 'utf8');
  for (const { alert } of rules) assert.equal(text.split(`alertname: ${alert}\n`).length, 2, alert);
});
