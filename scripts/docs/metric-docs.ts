import { METRICS } from '../../src/observe/metrics/metric-table.ts';

const HEAD = `# Metrics

<!-- Written by scripts/write-docs.ts from src/observe/metrics; do not edit. -->

In Prometheus' text format. Times are seconds, sizes bytes. Labels hold names of the configuration and of the service's
own tables, never what a client sent: a method that is not served is \`unknown\`. With several processes their values
become one as the last column says.

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
