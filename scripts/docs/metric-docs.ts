import { METRICS } from '../../src/observe/metrics/metric-table.ts';

const HEAD = `# Metrics

<!-- Written by scripts/write-docs.ts from src/observe/metrics; do not edit. -->

The service reports metrics in Prometheus' text format. Times are in seconds, sizes in bytes. Label values are names of the
configuration and of the service's own tables, never text of a client. Methods that are not served are labelled \`unknown\`. The last
column says how the values of several processes are merged.

| Name | Type | Labels | What | Of several processes |
|---|---|---|---|---|
`;

/** Renders the page `docs/metrics.md`. */
export function renderMetricsPage(): string {
  const rows = METRICS.map(({ name, type, labels, help, merge }) => {
    const list = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${list} | ${help} | ${merge} |`;
  });
  return `${HEAD}${rows.join('\n')}\n`;
}
